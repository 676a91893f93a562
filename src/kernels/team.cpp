#include "kernels/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/cores.h"

namespace whinchat::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kBlockBytes = size_t{1} << 20U;

// Parts of a split: where another program takes a core for a while, the others do the rest.
constexpr int kPartsOfThread = 4;
// How long a thread waits awake: regions mostly follow each other within microseconds.
constexpr std::chrono::microseconds kAwake{200};

constexpr int kTaskBits = 32;
constexpr uint64_t kTasks = (uint64_t{1} << kTaskBits) - 1;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether it came about while awake.
template <typename Condition>
bool spin_until(const Condition& condition) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - begin < kAwake);
  return false;
}

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

Team::Team(int threads) : arenas_(static_cast<size_t>(threads > 0 ? threads : usable_cores())) {
  threads_.reserve(arenas_.size() - 1);
  for (int thread = 1; thread < size(); ++thread) {
    threads_.emplace_back([this, thread] { work(thread); });
  }
}

Team::~Team() {
  closing_ = true;
  ++begun_;
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::each(int64_t count, const std::function<void(int64_t index, int thread)>& task) {
  if (size() == 1 || count <= 1) {
    for (int64_t index = 0; index < count; ++index) task(index, 0);
    return;
  }
  task_ = &task;
  count_ = count;
  ended_ = 0;
  const uint32_t number = begun_ + 1;
  region_ = uint64_t{number} << kTaskBits | static_cast<uint64_t>(count);
  begun_ = number;
  begun_.notify_all();
  take_tasks(0);
  wait_for_tasks(static_cast<uint32_t>(count));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::split(int64_t count, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end, int thread)>& task) {
  const int64_t grains = (count + grain - 1) / grain;
  const int64_t parts = std::min<int64_t>(grains, size() == 1 ? 1 : size() * kPartsOfThread);
  each(parts, [&](int64_t part, int thread) {
    const int64_t begin = grains * part / parts * grain;
    const int64_t end = std::min(count, grains * (part + 1) / parts * grain);
    task(begin, end, thread);
  });
}

void Team::work(int thread) {
  uint32_t seen = 0;
  while (true) {
    if (!spin_until([&] { return begun_ != seen; })) begun_.wait(seen);
    seen = begun_;
    if (closing_) return;
    take_tasks(thread);
  }
}

void Team::take_tasks(int thread) {
  uint64_t region = region_;
  while ((region & kTasks) != 0) {
    if (!region_.compare_exchange_weak(region, region - 1)) continue;
    run_task(count_ - static_cast<int64_t>(region & kTasks), thread);
    region = region_;
  }
}

void Team::run_task(int64_t index, int thread) {
  try {
    (*task_)(index, thread);
  } catch (...) {
    const std::scoped_lock lock(guard_);
    if (!failure_) failure_ = std::current_exception();
  }
  if (++ended_ == count_) ended_.notify_one();
}

void Team::wait_for_tasks(uint32_t count) const {
  if (spin_until([&] { return ended_ == count; })) return;
  for (uint32_t ended = ended_; ended != count; ended = ended_) ended_.wait(ended);
}

}  // namespace whinchat::kernels
