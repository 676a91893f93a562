// Python's pickle, protocol 2, as plain values: nothing is imported or called, and a global that
// the caller does not list is refused by its name. There are 200,000 values at most, and none owns
// another, so that neither depth nor a cycle costs anything.
// Errors: Error{Corrupt} or {Unsupported} naming `source`. Source: Python's pickletools.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace whinchat::weights {

struct PickleValue {
  enum class Kind { None, Bool, Integer, Float, Text, Tuple, List, Dict, Global, Call, Persistent };

  Kind kind = Kind::None;
  int64_t integer = 0;    // of a Bool too
  std::string_view text;  // a Text, or a Global's "module.name"
  // A Tuple's and a List's elements; a Dict's key, value, key, value, …; the Global that a Call
  // names and the Tuple of its arguments; a Persistent's identifier. Never null.
  std::vector<const PickleValue*> items;
};

// A Dict's value of that name, or nullptr; the last one where a name is there twice.
const PickleValue* find_item(const PickleValue& dict, std::string_view name);

struct Pickle {
  std::deque<PickleValue> values;  // all of them, where they stay
  const PickleValue* root = nullptr;
};

// Texts are views of `bytes`, which must outlive the result. collections.OrderedDict is a Dict
// without being listed; the attributes that a pickle sets on one are left out.
Pickle read_pickle(base::Bytes bytes, std::span<const std::string_view> globals,
                   const std::string& source);

}  // namespace whinchat::weights
