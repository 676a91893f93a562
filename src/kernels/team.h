// The threads that kernels run on, each with scratch memory of its own. Every parallel region of
// the process starts on one thread, which all Teams share: with a second one libgomp stops spinning
// and a region costs thirty times as much (docs/performance.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace whinchat::kernels {

// Memory for the time of one call: taken in order, given back together, 64-byte aligned.
class Arena {
 public:
  // Gives back what was taken during its life.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), block_(arena.block_), used_(arena.used_) {}
    ~Scope() { arena_.block_ = block_, arena_.used_ = used_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    size_t block_, used_;
  };

  // Uninitialised; lives until the Scope around it ends. Throws std::bad_alloc.
  template <typename T>
  T* take(size_t count) {
    static_assert(std::is_trivial_v<T> && alignof(T) <= 64);
    return static_cast<T*>(take_bytes(count * sizeof(T)));
  }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    size_t size;
  };

  void* take_bytes(size_t bytes);

  std::vector<Block> blocks_;
  size_t block_ = 0, used_ = 0;  // the block in use and what is taken of it
};

class Team {
 public:
  explicit Team(int threads);  // 0: as many as usable_cores()

  int size() const { return size_; }
  // The calling thread's scratch outside of regions; inside one, arena(thread).
  Arena& arena() { return arenas_[0]; }
  Arena& arena(int thread) { return arenas_[static_cast<size_t>(thread)]; }

  // Runs task(thread) for every thread in [0, size()), at once where OpenMP grants as many. The
  // first exception of a task comes out when all have ended. Not nested.
  void run(const std::function<void(int thread)>& task);

  // Runs task(begin, end, thread) over equal contiguous parts of [0, count), in multiples of
  // `grain`; the parts depend on count, grain and size() alone.
  void split(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end, int thread)>& task);

  // Runs task(index, thread) for every index of [0, count); a free thread takes the next one.
  void each(int64_t count, const std::function<void(int64_t index, int thread)>& task);

 private:
  int size_;
  std::vector<Arena> arenas_;
};

}  // namespace whinchat::kernels
