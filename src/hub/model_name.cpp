#include "hub/model_name.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"

namespace whinchat::hub {
namespace {

// CTranslate2 in f16 first: half the bytes of OpenAI's own safetensors. The others are what
// faster-whisper, transformers and mlx-whisper fetch. Parameters: OpenAI's and distil-whisper's
// model cards.
const std::vector<KnownModel>& table() {
  static const std::vector<KnownModel> kModels{
      {"tiny",
       39,
       {"Systran/faster-whisper-tiny", "openai/whisper-tiny", "mlx-community/whisper-tiny-mlx",
        "mlx-community/whisper-tiny"}},
      {"tiny.en",
       39,
       {"Systran/faster-whisper-tiny.en", "openai/whisper-tiny.en",
        "mlx-community/whisper-tiny.en-mlx"}},
      {"base",
       74,
       {"Systran/faster-whisper-base", "openai/whisper-base", "mlx-community/whisper-base-mlx"}},
      {"base.en",
       74,
       {"Systran/faster-whisper-base.en", "openai/whisper-base.en",
        "mlx-community/whisper-base.en-mlx"}},
      {"distil-small.en",
       166,
       {"Systran/faster-distil-whisper-small.en", "distil-whisper/distil-small.en"}},
      {"small",
       244,
       {"Systran/faster-whisper-small", "openai/whisper-small", "mlx-community/whisper-small-mlx"}},
      {"small.en",
       244,
       {"Systran/faster-whisper-small.en", "openai/whisper-small.en",
        "mlx-community/whisper-small.en-mlx"}},
      {"distil-medium.en",
       394,
       {"Systran/faster-distil-whisper-medium.en", "distil-whisper/distil-medium.en"}},
      {"distil-large-v2",
       756,
       {"Systran/faster-distil-whisper-large-v2", "distil-whisper/distil-large-v2"}},
      {"distil-large-v3",
       756,
       {"Systran/faster-distil-whisper-large-v3", "distil-whisper/distil-large-v3",
        "mlx-community/distil-whisper-large-v3"}},
      {"distil-large-v3.5",
       756,
       {"distil-whisper/distil-large-v3.5-ct2", "distil-whisper/distil-large-v3.5"}},
      {"medium",
       769,
       {"Systran/faster-whisper-medium", "openai/whisper-medium",
        "mlx-community/whisper-medium-mlx"}},
      {"medium.en",
       769,
       {"Systran/faster-whisper-medium.en", "openai/whisper-medium.en",
        "mlx-community/whisper-medium.en-mlx"}},
      {"large-v3-turbo",
       809,
       {"mobiuslabsgmbh/faster-whisper-large-v3-turbo", "deepdml/faster-whisper-large-v3-turbo-ct2",
        "openai/whisper-large-v3-turbo", "mlx-community/whisper-large-v3-turbo"}},
      {"large-v1",
       1550,
       {"Systran/faster-whisper-large-v1", "openai/whisper-large",
        "mlx-community/whisper-large-v1-mlx"}},
      {"large-v2",
       1550,
       {"Systran/faster-whisper-large-v2", "openai/whisper-large-v2",
        "mlx-community/whisper-large-v2-mlx"}},
      {"large-v3",
       1550,
       {"Systran/faster-whisper-large-v3", "openai/whisper-large-v3",
        "mlx-community/whisper-large-v3-mlx"}},
  };
  return kModels;
}

std::string_view without_alias(std::string_view name) {
  if (name == "turbo") return "large-v3-turbo";
  if (name == "large") return "large-v3";
  return name;
}

bool is_name_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// One part of a path that cannot lead anywhere else.
bool is_plain_part(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         std::ranges::all_of(part, is_name_character);
}

bool is_revision(std::string_view revision) {
  constexpr size_t kLongest = 200;
  if (revision.size() > kLongest) return false;
  while (true) {
    const size_t slash = revision.find('/');
    if (!is_plain_part(revision.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    revision.remove_prefix(slash + 1);
  }
}

}  // namespace

std::span<const KnownModel> known_models() { return table(); }

const KnownModel* find_known_model(std::string_view name) {
  const auto found = std::ranges::find(table(), without_alias(name), &KnownModel::name);
  return found == table().end() ? nullptr : &*found;
}

std::optional<Repository> parse_repository(std::string_view text) {
  const size_t at = text.find('@');
  const std::string_view id = text.substr(0, at);
  const size_t slash = id.find('/');
  constexpr size_t kLongest = 200;
  if (slash == std::string_view::npos || id.size() > kLongest) return std::nullopt;
  // The cache writes "--" for the slash, and the hub allows it in no name.
  const bool is_id = is_plain_part(id.substr(0, slash)) && is_plain_part(id.substr(slash + 1)) &&
                     id.find("--") == std::string_view::npos;
  if (!is_id || id.starts_with('.')) return std::nullopt;
  if (at == std::string_view::npos) return Repository{std::string(id)};
  const std::string_view revision = text.substr(at + 1);
  if (!is_revision(revision)) return std::nullopt;
  return Repository{std::string(id), std::string(revision)};
}

std::vector<Repository> candidate_repositories(std::string_view name) {
  std::vector<Repository> repositories;
  if (const KnownModel* known = find_known_model(name)) {
    for (const std::string_view id : known->repositories) {
      repositories.push_back({std::string(id)});
    }
  } else if (std::optional<Repository> repository = parse_repository(name)) {
    repositories.push_back(*std::move(repository));
  }
  return repositories;
}

std::string_view nearest_known_name(std::string_view name) {
  constexpr size_t kLongest = 40;
  if (name.size() > kLongest) return "";
  const auto distance = [&](const KnownModel& model) {
    return base::edit_distance(name, model.name);
  };
  const auto nearest = std::ranges::min_element(table(), {}, distance);
  return distance(*nearest) <= 3 && distance(*nearest) < name.size() ? nearest->name : "";
}

}  // namespace whinchat::hub
