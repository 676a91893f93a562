#include "weights/formats/pickle_stack.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "weights/formats/pickle.h"
#include "whinchat/error.h"

namespace whinchat::weights {

using Kind = PickleValue::Kind;

namespace {
constexpr size_t kMaxValues = 200'000;  // large-v3 has an eighth; each takes more than its bytes
}  // namespace

void PickleStack::fail(std::string_view expected) const {
  base::fail(ErrorKind::Corrupt, "{}: expected the pickle in it to {}", source_, expected);
}

PickleValue& PickleStack::push(Kind kind, int64_t integer) {
  if (pickle_.values.size() == kMaxValues) {
    base::fail(ErrorKind::Unsupported, "{}: expected a pickle of at most {} values, got more",
               source_, kMaxValues);
  }
  PickleValue& value = pickle_.values.emplace_back();
  value.kind = kind;
  value.integer = integer;
  stack_.push_back(&value);
  return value;
}

void PickleStack::push_with(Kind kind, std::vector<const PickleValue*> items) {
  push(kind).items = std::move(items);
}

PickleValue* PickleStack::top() const {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("make a value before it is used");
  return stack_.back();
}

std::vector<const PickleValue*> PickleStack::pop(size_t count) {
  std::vector<const PickleValue*> items(count);
  for (size_t i = count; i > 0; --i) {
    items[i - 1] = top();
    stack_.pop_back();
  }
  return items;
}

std::vector<const PickleValue*> PickleStack::pop_to_mark() {
  if (marks_.empty()) fail("set a mark before it is used");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<const PickleValue*> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleStack::extend(Kind kind, const std::vector<const PickleValue*>& items) {
  PickleValue* value = top();
  if (value->kind != kind) fail("add to a list or a dictionary");
  if (kind == Kind::Dict && items.size() % 2 != 0) fail("add pairs to a dictionary");
  value->items.insert(value->items.end(), items.begin(), items.end());
}

void PickleStack::recall(uint32_t index) {
  const auto value = memory_.find(index);
  if (value == memory_.end()) fail("keep a value before it is recalled");
  stack_.push_back(value->second);
}

Pickle PickleStack::finish() {
  pickle_.root = top();
  if (stack_.size() != 1 || !marks_.empty()) fail("end with one value");
  return std::move(pickle_);
}

}  // namespace whinchat::weights
