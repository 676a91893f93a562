// The stack of values that a pickle's opcodes work on, with its marks and its memory.
// Throws Error{Corrupt} where an opcode finds less than it works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weights/formats/pickle.h"

namespace whinchat::weights {

class PickleStack {
 public:
  explicit PickleStack(const std::string& source) : source_(source) {}

  PickleValue& push(PickleValue::Kind kind, int64_t integer = 0);
  void push_with(PickleValue::Kind kind, std::vector<const PickleValue*> items);
  void mark() { marks_.push_back(stack_.size()); }

  PickleValue* top() const;  // above the last mark
  std::vector<const PickleValue*> pop(size_t count);
  std::vector<const PickleValue*> pop_to_mark();

  // Adds to the List or Dict on top.
  void extend(PickleValue::Kind kind, const std::vector<const PickleValue*>& items);

  void keep(uint32_t index) { memory_[index] = top(); }
  void recall(uint32_t index);

  // The values, with the one that is left as their root.
  Pickle finish();

  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const std::string& source_;
  Pickle pickle_;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint32_t, PickleValue*> memory_;
};

}  // namespace whinchat::weights
