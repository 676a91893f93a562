// Files from the web to the disk: several at a time, resumed where they were cut, each under its
// lock and checked by its hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hub/digest.h"
#include "hub/fetch_context.h"
#include "hub/http.h"

namespace whinchat::hub {

struct Download {
  std::string name;  // in sentences
  std::string url;
  std::filesystem::path target;
  std::filesystem::path lock;  // whoever holds it fetches; the others find the target afterwards
  uint64_t bytes = 0;
  Digest digest;
};

// Leaves every target in its place, those that are there already untouched. False: stopped. Throws
// Error: {Internal} for the disk, other kinds for the source. What has come of a file stays beside
// its target for the next attempt.
bool download_all(const FetchContext& context, const std::vector<Download>& downloads,
                  Credentials credentials);

}  // namespace whinchat::hub
