#include "hub/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hub/text_file.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : std::string(base::trimmed(value));
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  return "";
}

bool is_true(std::string value) {
  std::ranges::transform(value, value.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const std::array<std::string_view, 4> words{"1", "ON", "YES", "TRUE"};
  return std::ranges::find(words, value) != words.end();
}

// A library built on one system knows that one's place alone; a tarball runs on others too. Empty
// where none is there: then the library's own.
std::string system_certificates() {
  const std::array<const char*, 4> places{
      "/etc/ssl/certs/ca-certificates.crt",  // Debian, Arch
      "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora
      "/etc/ssl/ca-bundle.pem",              // openSUSE
      "/etc/ssl/cert.pem",                   // Alpine, macOS
  };
  std::error_code error;
  const auto* place =
      std::ranges::find_if(places, [&](const char* path) { return fs::exists(path, error); });
  return place == places.end() ? "" : *place;
}

fs::path home() { return variable("HOME"); }

// A configuration file says ~/models, which no shell has turned into a path.
fs::path expanded(const std::string& path) {
  return path.starts_with("~/") ? home() / path.substr(2) : fs::path(path);
}

fs::path user_cache() {
  const std::string folder = variable("XDG_CACHE_HOME");
  return folder.empty() ? home() / ".cache" : fs::path(folder);
}

fs::path hub_home() {
  const std::string folder = variable("HF_HOME");
  return folder.empty() ? user_cache() / "huggingface" : expanded(folder);
}

std::string read_token() {
  if (std::string token = first_of({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}); !token.empty()) {
    return token;
  }
  if (is_true(variable("HF_HUB_DISABLE_IMPLICIT_TOKEN"))) return "";
  const std::string path = variable("HF_TOKEN_PATH");
  return read_text_file(path.empty() ? hub_home() / "token" : expanded(path));
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string require_web_address(const char* name, std::string url) {
  // A password in the address stays unsaid.
  if (!url.starts_with("https://") && !url.starts_with("http://")) {
    base::fail(ErrorKind::BadInput, "{} must begin with https:// or http://", name);
  }
  return without_slash(std::move(url));
}

std::chrono::seconds seconds(const char* name, std::chrono::seconds usual) {
  const std::string value = variable(name);
  if (value.empty()) return usual;
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  constexpr int kDay = 86'400;
  if (error != std::errc() || *end != '\0' || number < 1 || number > kDay) {
    base::fail(ErrorKind::BadInput, "{} must be a number of seconds from 1, got {}", name, value);
  }
  return std::chrono::seconds(number);
}

}  // namespace

fs::path cache_folder() {
  const std::string folder = variable("WHINCHAT_CACHE");
  return folder.empty() ? user_cache() / "whinchat" : fs::path(folder);
}

Settings settings_from_environment() {
  Settings settings;
  settings.cache = cache_folder();
  const std::string hub_cache = first_of({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});
  settings.hub_cache = hub_cache.empty() ? hub_home() / "hub" : expanded(hub_cache);
  const std::string endpoint = variable("HF_ENDPOINT");
  settings.endpoint =
      endpoint.empty() ? "https://huggingface.co" : require_web_address("HF_ENDPOINT", endpoint);
  settings.token = read_token();
  const std::string index = variable("PIP_INDEX_URL");
  settings.package_index =
      index.empty() ? "https://pypi.org/simple" : require_web_address("PIP_INDEX_URL", index);
  settings.certificates = first_of({"CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  if (settings.certificates.empty()) settings.certificates = system_certificates();
  settings.offline = is_true(variable("HF_HUB_OFFLINE"));
  settings.answer_timeout = seconds("HF_HUB_ETAG_TIMEOUT", settings.answer_timeout);
  settings.download_timeout = seconds("HF_HUB_DOWNLOAD_TIMEOUT", settings.download_timeout);
  return settings;
}

}  // namespace whinchat::hub
