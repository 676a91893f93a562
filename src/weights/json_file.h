// JSON documents of a checkpoint, within the limits that keep a bad one from costing time: base's
// objects keep their order and are searched from the front, so parsing takes the square of their
// size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/json.h"

namespace whinchat::weights {

// Members of all objects together. In a valid document each one has a colon outside of strings.
size_t count_members(std::string_view text);
size_t count_members(const base::Json& json);

// Throws Error{Corrupt} naming `source` for a syntax error, Error{Unsupported} for more members
// than 65536. A key that is there twice counts once, with its last value.
base::Json read_json(std::string_view text, const std::string& source);

base::Json load_json(const std::filesystem::path& file);

}  // namespace whinchat::weights
