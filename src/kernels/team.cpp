#include "kernels/team.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "kernels/cores.h"

namespace whinchat::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kBlockBytes = size_t{1} << 20U;

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void Arena::Free::operator()(void* memory) const { std::free(memory); }

void* Arena::take_bytes(size_t bytes) {
  const size_t wanted = rounded_up(std::max<size_t>(bytes, 1), kAlignment);
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < wanted) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const size_t size = rounded_up(std::max(wanted, kBlockBytes), kAlignment);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
    if (memory == nullptr) throw std::bad_alloc();
    blocks_.push_back({std::unique_ptr<std::byte, Free>(memory), size});
    used_ = 0;
  }
  std::byte* taken = blocks_[block_].memory.get() + used_;
  used_ += wanted;
  return taken;
}

Team::Team(int threads)
    : size_(threads > 0 ? threads : usable_cores()), arenas_(static_cast<size_t>(size_)) {}

void Team::run(const std::function<void(int thread)>& task) {
  if (size_ == 1) {
    task(0);
    return;
  }
  std::exception_ptr first;
  std::mutex guard;
  // Chunks of one give thread i the index i; where OpenMP grants fewer threads, one takes several.
#pragma omp parallel for num_threads(size_) schedule(static, 1)
  for (int thread = 0; thread < size_; ++thread) {
    // A throw across the region would end the process.
    try {
      task(thread);
    } catch (...) {
      const std::scoped_lock lock(guard);
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Team::split(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end, int thread)>& task) {
  const int64_t grains = (count + grain - 1) / grain;
  const auto part = [&](int thread) {
    const int64_t begin = grains * thread / size_ * grain;
    const int64_t end = std::min(count, grains * (thread + 1) / size_ * grain);
    if (begin < end) task(begin, end, thread);
  };
  run(std::cref(part));
}

void Team::each(int64_t count, const std::function<void(int64_t index, int thread)>& task) {
  std::atomic<int64_t> next = 0;
  const auto rest = [&](int thread) {
    for (int64_t index = next++; index < count; index = next++) task(index, thread);
  };
  run(std::cref(rest));
}

}  // namespace whinchat::kernels
