#include "hub/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "hub/fetch_context.h"
#include "hub/http_failure.h"
#include "hub/settings.h"

namespace whinchat::hub {
namespace {

constexpr size_t kMaxTextBytes = size_t{16} << 20;
constexpr long kMaxRedirections = 10;
constexpr int kTextAttempts = 4;

CURL* make_handle() {
  // Once for the process, before the first handle; libcurl keeps it until the end.
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  CURL* handle = kStarted == CURLE_OK ? curl_easy_init() : nullptr;
  if (handle == nullptr) base::fail(ErrorKind::Internal, "libcurl cannot be started");
  return handle;
}

int stop_transfer(void* stop, curl_off_t /*down_total*/, curl_off_t /*down*/,
                  curl_off_t /*up_total*/, curl_off_t /*up*/) {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

}  // namespace

Request::Request(const Settings& settings, const std::string& url, Credentials credentials,
                 std::function<bool(const Request&, base::Bytes)> take)
    : handle_(make_handle(), &curl_easy_cleanup),
      headers_(nullptr, &curl_slist_free_all),
      take_(std::move(take)) {
  CURL* curl = handle();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "whinchat");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, kMaxRedirections);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  // What began encrypted stays so.
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR,
                   url.starts_with("https:") ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
                   static_cast<long>(settings.answer_timeout.count()));
  if (!settings.certificates.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, settings.certificates.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Request::write);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  // libcurl leaves a header Authorization out where a redirection leads to another host.
  if (credentials == Credentials::HubToken && !settings.token.empty()) {
    add_header("Authorization: Bearer " + settings.token);
  }
}

void Request::add_header(const std::string& line) {
  curl_slist* extended = curl_slist_append(headers_.get(), line.c_str());
  if (extended == nullptr) base::fail(ErrorKind::Internal, "there is no memory for a request");
  // The list is extended in place: only a first line makes a new one.
  if (!headers_) headers_.reset(extended);
  curl_easy_setopt(handle(), CURLOPT_HTTPHEADER, headers_.get());
}

void Request::begin_at(uint64_t position) {
  const std::string range = std::to_string(position) + "-";
  curl_easy_setopt(handle(), CURLOPT_RANGE, position == 0 ? nullptr : range.c_str());
}

void Request::stop_when(const std::stop_token& stop) {
  curl_easy_setopt(handle(), CURLOPT_XFERINFOFUNCTION, &stop_transfer);
  curl_easy_setopt(handle(), CURLOPT_XFERINFODATA, &stop);
  curl_easy_setopt(handle(), CURLOPT_NOPROGRESS, 0L);
}

void Request::end_slow(std::chrono::seconds time) {
  constexpr long kBytesPerSecond = 100;
  curl_easy_setopt(handle(), CURLOPT_LOW_SPEED_LIMIT, kBytesPerSecond);
  curl_easy_setopt(handle(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(time.count()));
}

void Request::end_after(std::chrono::seconds time) {
  curl_easy_setopt(handle(), CURLOPT_TIMEOUT, static_cast<long>(time.count()));
}

long Request::status() const {
  long status = 0;
  curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::string Request::header(const char* name) const {
  curl_header* found = nullptr;
  constexpr int kLastAnswer = -1;
  const CURLHcode code = curl_easy_header(handle(), name, 0, CURLH_HEADER, kLastAnswer, &found);
  return code == CURLHE_OK ? found->value : "";
}

std::string Request::address() const {
  const char* address = nullptr;
  curl_easy_getinfo(handle(), CURLINFO_EFFECTIVE_URL, &address);
  return address == nullptr ? "" : address;
}

size_t Request::write(char* data, size_t size, size_t count, void* self) {
  const Request& request = *static_cast<const Request*>(self);
  const size_t bytes = size * count;
  return request.take_(request, base::as_bytes({data, bytes})) ? bytes : 0;
}

std::string escaped_path(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_plain = is_letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                          c == '~' || c == '/';
    escaped += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return escaped;
}

std::string resolved_address(const std::string& page, const std::string& link) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  char* address = nullptr;
  const bool is_address = url &&
                          curl_url_set(url.get(), CURLUPART_URL, page.c_str(), 0) == CURLUE_OK &&
                          curl_url_set(url.get(), CURLUPART_URL, link.c_str(), 0) == CURLUE_OK &&
                          curl_url_get(url.get(), CURLUPART_URL, &address, 0) == CURLUE_OK;
  if (!is_address) return link;
  const std::string resolved = address;
  curl_free(address);
  return resolved;
}

bool pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

std::optional<TextAnswer> get_text(const FetchContext& context, const std::string& url,
                                   const std::string& what, Credentials credentials,
                                   const std::string& accepted_type) {
  constexpr std::chrono::seconds kLongestAnswer{120};
  for (int attempt = 1;; ++attempt) {
    TextAnswer answer;
    Request request(context.settings, url, credentials,
                    [&](const Request& /*request*/, base::Bytes piece) {
                      answer.body += base::as_text(piece);
                      return answer.body.size() <= kMaxTextBytes;
                    });
    if (!accepted_type.empty()) request.add_header("Accept: " + accepted_type);
    request.stop_when(context.stop);
    request.end_slow(context.settings.answer_timeout);
    request.end_after(std::max(kLongestAnswer, context.settings.answer_timeout));
    const CURLcode code = curl_easy_perform(request.handle());
    if (context.stop.stop_requested()) return std::nullopt;
    if (answer.body.size() > kMaxTextBytes) {
      base::fail(ErrorKind::Corrupt, "{}: the answer has more than {} MiB", what,
                 kMaxTextBytes >> 20U);
    }
    const std::optional<Failure> failure = failure_of(request, code, what, credentials);
    if (!failure) {
      answer.type = request.header("content-type");
      answer.address = request.address();
      return answer;
    }
    // Where there is no way to the host now, another source is the better try.
    const bool is_last = attempt == kTextAttempts || failure->is_unreachable;
    if (is_last || !wait_to_retry(context, *failure, attempt)) {
      if (context.stop.stop_requested()) return std::nullopt;
      throw Error(failure->kind, failure->sentence);
    }
  }
}

}  // namespace whinchat::hub
