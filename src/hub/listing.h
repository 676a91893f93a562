// The hub's description of a repository at a revision: its commit, and each file's size and hash.
// It comes from outside: every name, size and hash in it is checked before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hub/digest.h"

namespace whinchat::hub {

struct RemoteFile {
  std::string path;  // relative to the snapshot; plain: no "..", nothing hidden
  uint64_t bytes = 0;
  Digest digest;
};

struct Listing {
  std::string commit;
  std::vector<RemoteFile> files;
};

// From the answer of /api/models/REPOSITORY/revision/REVISION?blobs=true, where commit and files
// cannot contradict each other; `what` names it. Throws Error{Corrupt}.
Listing read_listing(std::string_view json, std::string_view what);

// The files that our readers use: one set of weights and what describes it; weights last. Throws
// Error{Unsupported} where there are no weights that we read.
std::vector<RemoteFile> wanted_files(const Listing& listing, std::string_view what);

}  // namespace whinchat::hub
