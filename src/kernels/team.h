// The threads that kernels run on, each with scratch memory of its own. Threads of our own and not
// OpenMP's: a region ends when its tasks have, though a thread that the system does not let run
// never came (docs/performance.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
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
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(arenas_.size()); }
  // The calling thread's scratch outside of regions; inside one, arena(thread).
  Arena& arena() { return arenas_[0]; }
  Arena& arena(int thread) { return arenas_[static_cast<size_t>(thread)]; }

  // Runs task(index, thread) for every index of [0, count), count < 2^32; a free thread takes the
  // next one, the calling thread, which is 0, among them. The first exception of a task comes out
  // when all have ended. One region at a time, not nested.
  void each(int64_t count, const std::function<void(int64_t index, int thread)>& task);

  // Runs task(begin, end, thread) over equal contiguous parts of [0, count), in multiples of
  // `grain`, a few for each thread; the parts depend on count, grain and size() alone.
  void split(int64_t count, int64_t grain,
             const std::function<void(int64_t begin, int64_t end, int thread)>& task);

 private:
  using Task = std::function<void(int64_t index, int thread)>;

  void work(int thread);
  void take_tasks(int thread);
  void run_task(int64_t index, int thread);
  void wait_for_tasks(uint32_t count) const;

  std::vector<Arena> arenas_;

  // The region's number in the upper half, how many of its tasks nobody has taken in the lower: who
  // takes one from it knows that the region lasts until that task has ended.
  alignas(64) std::atomic<uint64_t> region_ = 0;
  std::atomic<const Task*> task_ = nullptr;
  std::atomic<int64_t> count_ = 0;
  // What threads sleep on, without a lock that one of them could hold while it is not let run.
  std::atomic<uint32_t> begun_ = 0;              // regions
  alignas(64) std::atomic<uint32_t> ended_ = 0;  // tasks of the region

  alignas(64) std::mutex guard_;
  std::exception_ptr failure_;
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace whinchat::kernels
