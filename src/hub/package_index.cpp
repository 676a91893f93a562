#include "hub/package_index.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace whinchat::hub {
namespace {

std::string text_of(const base::Json& json, const char* name) {
  const auto field = json.is_object() ? json.find(name) : json.end();
  const bool is_text = json.is_object() && field != json.end() && field->is_string();
  return is_text ? field->get<std::string>() : "";
}

std::optional<PackageLink> find_in_json(std::string_view page, std::string_view filename,
                                        std::string_view what) {
  const base::Json document = base::parse_json(page, what);
  const auto files = document.is_object() ? document.find("files") : document.end();
  if (!document.is_object() || files == document.end() || !files->is_array()) {
    base::fail(ErrorKind::Corrupt, "{}: expected a list of files", what);
  }
  for (const base::Json& file : *files) {
    if (text_of(file, "filename") != filename) continue;
    const auto hashes = file.find("hashes");
    return PackageLink{text_of(file, "url"),
                       hashes == file.end() ? "" : text_of(*hashes, "sha256")};
  }
  return std::nullopt;
}

std::string without_entities(std::string_view text) {
  std::string result(text);
  const std::string_view entity = "&amp;";
  for (size_t at = 0; (at = result.find(entity, at)) != std::string::npos; ++at) {
    result.erase(at + 1, entity.size() - 1);
  }
  return result;
}

// The value of an attribute href in either kind of quotes, each after the one before.
std::optional<std::string> next_link(std::string_view& page) {
  const std::string_view mark = "href=";
  while (true) {
    const size_t at = page.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    page.remove_prefix(at + mark.size());
    const char quote = page.empty() ? '\0' : page.front();
    const size_t end = quote == '"' || quote == '\'' ? page.find(quote, 1) : std::string_view::npos;
    if (end != std::string_view::npos) return without_entities(page.substr(1, end - 1));
  }
}

std::optional<PackageLink> find_in_html(std::string_view page, std::string_view filename) {
  while (const std::optional<std::string> link = next_link(page)) {
    const size_t hash = link->find('#');
    const std::string address = link->substr(0, hash);
    const std::string path = address.substr(0, address.find('?'));
    if (path.substr(path.rfind('/') + 1) != filename) continue;
    const std::string_view mark = "#sha256=";
    const bool has_sha256 = hash != std::string::npos && link->substr(hash).starts_with(mark);
    return PackageLink{address, has_sha256 ? link->substr(hash + mark.size()) : ""};
  }
  return std::nullopt;
}

}  // namespace

PackageLink find_package_link(std::string_view page, std::string_view content_type,
                              std::string_view filename, std::string_view what) {
  const bool is_json = content_type.find("json") != std::string_view::npos;
  const std::optional<PackageLink> link =
      is_json ? find_in_json(page, filename, what) : find_in_html(page, filename);
  if (!link || link->address.empty()) {
    base::fail(ErrorKind::NotFound, "{}: there is no file {}", what, filename);
  }
  return *link;
}

}  // namespace whinchat::hub
