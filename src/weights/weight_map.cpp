#include "weights/weight_map.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr size_t kMaxListed = 10;

bool is_printable(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

// "2 missing (a, b)", or nothing for an empty list.
void add_finding(std::vector<std::string>& findings, const std::vector<std::string>& names,
                 std::string_view what) {
  if (names.empty()) return;
  const std::vector<std::string> listed(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMaxListed)));
  const std::string rest =
      names.size() > kMaxListed ? fmt::format(" and {} more", names.size() - kMaxListed) : "";
  findings.push_back(
      fmt::format("{} {} ({}{})", names.size(), what, fmt::join(listed, ", "), rest));
}

}  // namespace

void WeightMap::insert(std::string name, Tensor tensor) {
  if (!is_printable(name)) {
    base::fail(ErrorKind::Corrupt,
               "{}: expected tensor names of printable characters, got one of {} bytes with others",
               source_, name.size());
  }
  const auto [entry, is_new] = entries_.try_emplace(std::move(name));
  if (!is_new) {
    base::fail(ErrorKind::Corrupt, "{}: the tensor {} is there twice", source_, entry->first);
  }
  entry->second.tensor = std::move(tensor);
}

const Tensor* WeightMap::find(std::string_view name) const {
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? nullptr : &entry->second.tensor;
}

Tensor WeightMap::take(std::string_view name, Shape expected_shape) {
  const auto entry = entries_.find(name);
  Tensor placeholder{DType::F32, {expected_shape.begin(), expected_shape.end()}, {}, nullptr};
  if (entry == entries_.end()) {
    missing_.push_back(fmt::format("{} {}", name, shape_text(expected_shape)));
    return placeholder;
  }
  entry->second.used = true;
  const Tensor& tensor = entry->second.tensor;
  if (!std::ranges::equal(tensor.shape, expected_shape)) {
    misshapen_.push_back(fmt::format("{}: expected {}, got {}", name, shape_text(expected_shape),
                                     shape_text(tensor.shape)));
    return placeholder;
  }
  return tensor;
}

void WeightMap::tolerate(std::string_view name) {
  const auto entry = entries_.find(name);
  if (entry != entries_.end()) entry->second.used = true;
}

void WeightMap::audit() const {
  std::vector<std::string> unused;
  for (const auto& [name, entry] : entries_) {
    if (!entry.used) unused.push_back(name);
  }
  std::vector<std::string> findings;
  add_finding(findings, missing_, "missing");
  add_finding(findings, misshapen_, "of another shape");
  add_finding(findings, unused, "that no part of the model uses");
  if (findings.empty()) return;
  base::fail(missing_.empty() ? ErrorKind::Corrupt : ErrorKind::NotFound,
             "{}: the tensors do not fit the model: {}", source_, fmt::join(findings, "; "));
}

std::vector<std::string> WeightMap::names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace whinchat::weights
