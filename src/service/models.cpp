#include "whinchat/models.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hub/fetch_context.h"
#include "hub/inventory.h"
#include "hub/model_folder.h"
#include "hub/model_name.h"
#include "hub/settings.h"

namespace whinchat {
namespace {

FileState state_of(hub::FileState state) {
  switch (state) {
    case hub::FileState::Ok:
      return FileState::Ok;
    case hub::FileState::Wrong:
      return FileState::Wrong;
    case hub::FileState::Missing:
      return FileState::Missing;
    case hub::FileState::Unknown:
      return FileState::Unknown;
  }
  return FileState::Unknown;
}

}  // namespace

std::optional<std::filesystem::path> find_or_fetch_model(const std::string& name,
                                                         const FetchOptions& options) {
  hub::FetchContext context{hub::settings_from_environment(), options.stop, options.on_progress,
                            options.on_note};
  context.settings.offline = context.settings.offline || options.offline;
  return hub::find_or_fetch_model(context, name);
}

std::filesystem::path find_model(const std::string& name) { return hub::find_model(name); }

std::vector<InstalledModel> installed_models() {
  std::vector<InstalledModel> models;
  for (hub::InstalledModel& model : hub::installed_models(hub::settings_from_environment())) {
    models.push_back({std::move(model.name), std::move(model.revision), std::move(model.folder),
                      model.is_in_hub_cache, model.disk_bytes, model.memory_bytes});
  }
  return models;
}

std::vector<KnownModel> known_models() {
  constexpr uint64_t kBytesPerMillion = 2'000'000;  // two for each parameter
  std::vector<KnownModel> models;
  for (const hub::KnownModel& model : hub::known_models()) {
    const auto millions = static_cast<uint64_t>(model.million_parameters);
    models.push_back({std::string(model.name), std::string(model.repositories.front()),
                      millions * kBytesPerMillion});
  }
  return models;
}

uint64_t remove_model(const std::string& name) {
  return hub::remove_model(hub::settings_from_environment(), name);
}

std::vector<CheckedFile> verify_model(const std::string& name) {
  std::vector<CheckedFile> files;
  for (hub::CheckedFile& file : hub::verify_model(hub::settings_from_environment(), name)) {
    files.push_back({std::move(file.path), state_of(file.state)});
  }
  return files;
}

}  // namespace whinchat
