// GET requests by libcurl, with the settings' timeouts and certificates.
// A Request belongs to one thread.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "hub/fetch_context.h"
#include "hub/settings.h"

namespace whinchat::hub {

enum class Credentials { None, HubToken };  // the token goes to the named host, never to another

class Request {
 public:
  // `take` is given the body of a good answer in pieces; false from it ends the transfer.
  Request(const Settings& settings, const std::string& url, Credentials credentials,
          std::function<bool(const Request&, base::Bytes)> take);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  CURL* handle() const { return handle_.get(); }
  void add_header(const std::string& line);
  void begin_at(uint64_t position);             // by Range; 0: the whole
  void stop_when(const std::stop_token& stop);  // which must outlive the transfer
  void end_slow(std::chrono::seconds time);     // fails where next to nothing came for so long
  void end_after(std::chrono::seconds time);

  // Of the last answer; 0 and empty before there is one.
  long status() const;
  std::string header(const char* name) const;
  std::string address() const;  // after redirections

 private:
  static size_t write(char* data, size_t size, size_t count, void* self);

  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_;
  std::function<bool(const Request&, base::Bytes)> take_;
};

// `text` as a path in an address; '/' stays.
std::string escaped_path(const std::string& text);

// Where a link on a page leads.
std::string resolved_address(const std::string& page, const std::string& link);

// Sleeps; false: stopped.
bool pause(std::chrono::milliseconds time, const std::stop_token& stop);

struct TextAnswer {
  std::string body;
  std::string type;     // Content-Type
  std::string address;  // after redirections
};

// A short answer, of at most 16 MiB; asks again where that may help. nullopt: stopped. Throws Error
// with a sentence that begins with `what`.
std::optional<TextAnswer> get_text(const FetchContext& context, const std::string& url,
                                   const std::string& what, Credentials credentials,
                                   const std::string& accepted_type = "");

}  // namespace whinchat::hub
