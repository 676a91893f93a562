#include "hub/hub_source.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "hub/download.h"
#include "hub/fetch_context.h"
#include "hub/file_lock.h"
#include "hub/http.h"
#include "hub/hub_cache.h"
#include "hub/listing.h"
#include "hub/model_name.h"
#include "hub/settings.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

// A revision is one part of the address, although it may hold slashes.
std::string listing_address(const Settings& settings, const Repository& repository) {
  std::string revision = escaped_path(repository.revision);
  for (size_t at = 0; (at = revision.find('/', at)) != std::string::npos;) {
    revision.replace(at, 1, "%2F");
  }
  return fmt::format("{}/api/models/{}/revision/{}?blobs=true", settings.endpoint, repository.id,
                     revision);
}

std::vector<Download> downloads_of(const Settings& settings, const std::string& id,
                                   const std::string& commit,
                                   const std::vector<RemoteFile>& files) {
  std::vector<Download> downloads;
  downloads.reserve(files.size());
  for (const RemoteFile& file : files) {
    downloads.push_back({
        .name = id + "/" + file.path,
        .url = fmt::format("{}/{}/resolve/{}/{}", settings.endpoint, id, commit,
                           escaped_path(file.path)),
        .target = repository_folder(settings.hub_cache, id) / "blobs" / file.digest.hex,
        .lock = lock_path(settings.hub_cache, id, file.digest.hex),
        .bytes = file.bytes,
        .digest = file.digest,
    });
  }
  return downloads;
}

}  // namespace

std::optional<fs::path> fetch_from_hub(const FetchContext& context, const Repository& repository) {
  const Settings& settings = context.settings;
  const std::string& id = repository.id;
  const std::optional<TextAnswer> answer =
      get_text(context, listing_address(settings, repository), id, Credentials::HubToken);
  if (!answer) return std::nullopt;
  const Listing listing = read_listing(answer->body, "the hub's description of " + id);
  const std::vector<RemoteFile> files = wanted_files(listing, id);
  const std::optional<FileLock> lock =
      FileLock::lock(lock_path(settings.hub_cache, id, listing.commit), context.stop,
                     [&] { context.note("waiting for another process that fetches " + id); });
  if (!lock) return std::nullopt;
  const bool is_whole = download_all(context, downloads_of(settings, id, listing.commit, files),
                                     Credentials::HubToken);
  if (!is_whole) return std::nullopt;
  return write_snapshot(settings.hub_cache, repository, listing.commit, files);
}

}  // namespace whinchat::hub
