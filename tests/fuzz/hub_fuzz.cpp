// What comes from a hub or an index of packages, and what a user calls a model.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "hub/http.h"
#include "hub/listing.h"
#include "hub/model_name.h"
#include "hub/package_index.h"
#include "whinchat/error.h"

using namespace whinchat;

namespace {

// No file may leave the folder that it is fetched into.
void check_paths(const hub::Listing& listing) {
  for (const hub::RemoteFile& file : listing.files) {
    const std::filesystem::path path = file.path;
    if (path.empty() || path.is_absolute()) std::abort();
    for (const auto& part : path) {
      if (part == ".." || part == "." || part.empty()) std::abort();
    }
  }
}

void read_listing(std::string_view text) {
  try {
    const hub::Listing listing = hub::read_listing(text, "listing");
    check_paths(listing);
    hub::wanted_files(listing, "listing");
  } catch (const Error&) {
    return;  // a refusal is an answer
  }
}

void read_page(std::string_view text, std::string_view type) {
  try {
    const hub::PackageLink link = hub::find_package_link(text, type, "a_b-1.0.whl", "page");
    hub::resolved_address("https://index.example/simple/a-b/", link.address);
  } catch (const Error&) {
    return;  // a refusal is an answer
  }
}

void read_name(std::string_view text) {
  if (const auto repository = hub::parse_repository(text)) {
    if (repository->id.find('/') == std::string::npos) std::abort();
  }
  hub::candidate_repositories(text);
  hub::nearest_known_name(text);
  hub::escaped_path(std::string(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = base::as_text(std::as_bytes(std::span(data, size)));
  read_listing(text);
  read_page(text, "text/html");
  read_page(text, "application/vnd.pypi.simple.v1+json");
  read_name(text);
  return 0;
}
