// JSON documents of a checkpoint, within limits that keep a bad one from costing time or memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace whinchat::weights {

// A document of at most 1 MB and 4096 keys, such as a config. A key that is there twice counts with
// its last value. Throws Error{Corrupt} naming `source` for a syntax error, {Unsupported} past
// that.
base::Json read_json(std::string_view text, const std::string& source);
base::Json load_json(const std::filesystem::path& file);

// The members of an object of any size, in linear time: `visit` gets each name and the text of its
// value, which is not parsed yet. Throws Error{Corrupt} naming `source` for a syntax error.
void visit_members(std::string_view text, const std::string& source,
                   const std::function<void(const std::string&, std::string_view)>& visit);

// An object of a few keys, none of them twice.
base::Json read_strict_object(std::string_view text, const std::string& what);

}  // namespace whinchat::weights
