// What a user may call a model: a short name of the table below, or a repository of the hub,
// "owner/name" or "owner/name@revision".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::hub {

struct Repository {
  std::string id;                 // owner/name
  std::string revision = "main";  // a branch, a tag or a commit
};

struct KnownModel {
  std::string_view name;
  int million_parameters;  // as its makers state; its first repository has two bytes for each
  // The first is the one to fetch; one of the others serves as well where it is there already.
  std::vector<std::string_view> repositories;
};

// The table, smallest first.
std::span<const KnownModel> known_models();

// nullptr for a name that the table lacks.
const KnownModel* find_known_model(std::string_view name);

// nullopt where the text is no repository's name at all, such as a path or a single word.
std::optional<Repository> parse_repository(std::string_view text);

// The repositories that a name may stand for, the one to fetch first; empty for an unknown name.
std::vector<Repository> candidate_repositories(std::string_view name);

// The table's name that is nearest to a misspelt one; empty where none is near.
std::string_view nearest_known_name(std::string_view name);

}  // namespace whinchat::hub
