// A sentence for each way in which a transfer fails, and whether trying again may help.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "hub/fetch_context.h"
#include "hub/http.h"

namespace whinchat::hub {

struct Failure {
  std::string sentence;  // names the host alone: an address may hold a password or a signature
  ErrorKind kind = ErrorKind::NotFound;
  bool is_temporary = false;     // trying again may help
  bool is_unreachable = false;   // there was no connection
  std::chrono::seconds wait{0};  // that the server asks for
};

// nullopt: the transfer ended well. `what` names what was asked for.
std::optional<Failure> failure_of(const Request& request, CURLcode code, const std::string& what,
                                  Credentials credentials);

// scheme://host:port of an address: what may be shown of it.
std::string shown_host(const std::string& url);

// How long before the next attempt, the `attempt`-th having failed (from 1): what the server asks
// for, else longer each time. nullopt: trying again does not help, or it asks for too long a wait.
std::optional<std::chrono::seconds> wait_after(int attempt, const Failure& failure);

// Says so and waits. False: stopped, or there is no point in waiting.
bool wait_to_retry(const FetchContext& context, const Failure& failure, int attempt);

}  // namespace whinchat::hub
