#include "ops/fast/buffers.h"

#include <mlx/allocator.h>
#include <mlx/array.h>

#include <bit>
#include <cstddef>
#include <iterator>
#include <mutex>

namespace whinchat::ops::fast {
namespace {

namespace mx = mlx::core;

// Smaller ones come from pages that are there anyhow.
constexpr size_t kLeast = size_t{64} << 10U;

// Sizes a little apart share their buffers: up to an eighth more than is asked for.
size_t class_of(size_t bytes) {
  const size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

Buffers::~Buffers() {
  for (const auto& [bytes, each] : waiting_) mx::allocator::allocator().free(each.buffer);
}

void Buffers::allocate(mx::array& out) {
  if (out.nbytes() < kLeast) {
    out.set_data(mx::allocator::malloc(out.nbytes()));
    return;
  }
  const size_t bytes = class_of(out.nbytes());
  out.set_data({take(bytes), [self = shared_from_this(), bytes](Buffer buffer) {
                  self->put_back(buffer, bytes);
                }});
}

size_t Buffers::kept() const {
  const std::scoped_lock lock(guard_);
  return kept_;
}

Buffers::Buffer Buffers::take(size_t bytes) {
  {
    const std::scoped_lock lock(guard_);
    ++taken_;
    // The one that came back last: others may have come once too often.
    const auto [first, behind] = waiting_.equal_range(bytes);
    if (first != behind) {
      const auto found = std::prev(behind);
      const Buffer buffer = found->second.buffer;
      waiting_.erase(found);
      kept_ -= bytes;
      return buffer;
    }
  }
  return mx::allocator::allocator().malloc(bytes);
}

void Buffers::put_back(Buffer buffer, size_t bytes) {
  {
    const std::scoped_lock lock(guard_);
    let_go();
    if (kept_ + bytes <= kMostKept) {
      waiting_.emplace(bytes, Waiting{buffer, taken_});
      kept_ += bytes;
      return;
    }
  }
  mx::allocator::allocator().free(buffer);
}

void Buffers::let_go() {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    if (taken_ - each->second.since <= kPatience) {
      ++each;
      continue;
    }
    kept_ -= each->first;
    mx::allocator::allocator().free(each->second.buffer);
    each = waiting_.erase(each);
  }
}

}  // namespace whinchat::ops::fast
