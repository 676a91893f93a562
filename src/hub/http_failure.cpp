#include "hub/http_failure.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "hub/fetch_context.h"
#include "hub/http.h"

namespace whinchat::hub {
namespace {

constexpr std::chrono::seconds kLongestWait{120};

std::string url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return "";
  const std::string result = text;
  curl_free(text);
  return result;
}

// What a user can do about a refusal. The hub says 401 for a repository that is not there, too.
std::string refusal(const Request& request, Credentials credentials) {
  const long status = request.status();
  if (credentials == Credentials::None) {
    return status == 404 ? "there is nothing of that name"
                         : fmt::format("access is refused (status {})", status);
  }
  const std::string reason = request.header("x-error-code");
  if (reason == "RevisionNotFound") return "there is no such revision";
  if (reason == "GatedRepo" || status == 403) {
    return fmt::format(
        "access is refused (status {}): its licence must be accepted on its page, "
        "and HF_TOKEN must be a token of that account",
        status);
  }
  if (status == 404) return "there is no such repository or file: check the spelling";
  return "there is no public repository of that name (status 401): check the spelling; for a "
         "private one set HF_TOKEN to a valid token";
}

Failure failure_of_status(const Request& request, const std::string& place,
                          Credentials credentials) {
  const long status = request.status();
  Failure failure;
  if (status == 401 || status == 403 || status == 404 || status == 410) {
    failure.sentence = fmt::format("{}: {}", place, refusal(request, credentials));
    return failure;
  }
  failure.kind = ErrorKind::Busy;
  failure.is_temporary = status == 408 || status == 425 || status == 429 || status >= 500;
  failure.sentence = status == 429
                         ? fmt::format("{}: too many requests (status 429)", place)
                         : fmt::format("{}: the server answered with status {}", place, status);
  curl_off_t wait_s = 0;
  curl_easy_getinfo(request.handle(), CURLINFO_RETRY_AFTER, &wait_s);
  failure.wait = std::chrono::seconds(wait_s);
  if (failure.wait > kLongestWait) {
    failure.sentence += fmt::format("; it asks to wait {} s", failure.wait.count());
  }
  return failure;
}

bool is_certificate_problem(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
}

bool is_wrong_by_nature(CURLcode code) {
  return code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT ||
         code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_WRITE_ERROR ||
         code == CURLE_OUT_OF_MEMORY;
}

}  // namespace

std::string shown_host(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return "a malformed address";
  }
  const std::string port = url_part(parsed.get(), CURLUPART_PORT);
  return url_part(parsed.get(), CURLUPART_SCHEME) + "://" + url_part(parsed.get(), CURLUPART_HOST) +
         (port.empty() ? "" : ":" + port);
}

std::optional<Failure> failure_of(const Request& request, CURLcode code, const std::string& what,
                                  Credentials credentials) {
  const long status = request.status();
  if (code == CURLE_OK && status >= 200 && status < 300) return std::nullopt;
  const std::string host = shown_host(request.address());
  const std::string place = fmt::format("{} at {}", what, host);
  if (code == CURLE_OK || code == CURLE_HTTP_RETURNED_ERROR) {
    return failure_of_status(request, place, credentials);
  }
  Failure failure{.kind = ErrorKind::Busy};
  const char* reason = curl_easy_strerror(code);
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
      code == CURLE_COULDNT_CONNECT) {
    failure.is_temporary = failure.is_unreachable = true;
    failure.sentence = fmt::format("{}: it cannot be reached ({})", place, reason);
  } else if (is_certificate_problem(code)) {
    failure.sentence = fmt::format(
        "{}: its certificate is not trusted ({}); CURL_CA_BUNDLE names the file of those that are",
        place, reason);
  } else {
    failure.is_temporary = !is_wrong_by_nature(code);
    failure.sentence = code == CURLE_OPERATION_TIMEDOUT
                           ? fmt::format("{}: it stopped sending", place)
                           : fmt::format("{}: the transfer failed ({})", place, reason);
  }
  return failure;
}

std::optional<std::chrono::seconds> wait_after(int attempt, const Failure& failure) {
  if (!failure.is_temporary || failure.wait > kLongestWait) return std::nullopt;
  constexpr int kMostDoublings = 4;
  const std::chrono::seconds usual{1 << std::min(attempt - 1, kMostDoublings)};
  return std::max(usual, failure.wait);
}

bool wait_to_retry(const FetchContext& context, const Failure& failure, int attempt) {
  const auto wait = wait_after(attempt, failure);
  if (!wait) return false;
  context.note(fmt::format("{}; trying again in {} s", failure.sentence, wait->count()));
  return pause(*wait, context.stop);
}

}  // namespace whinchat::hub
