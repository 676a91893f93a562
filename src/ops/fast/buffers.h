// Memory of arrays that are gone, for those that come: of new memory, every 4 KiB cost a page fault
// (docs/performance.md). Any thread.
#pragma once

#include <mlx/allocator.h>
#include <mlx/array.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace whinchat::ops::fast {

class Buffers : public std::enable_shared_from_this<Buffers> {
 public:
  // Bytes that wait for arrays at most; what comes back beyond them goes back to the system.
  static constexpr size_t kMostKept = size_t{256} << 20U;
  // So does what waited while so many arrays came, those of some windows: some sizes never return.
  static constexpr uint64_t kPatience = 1024;

  Buffers() = default;
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  // Gives the array its memory, which comes back here when its last owner goes.
  void allocate(mlx::core::array& out);

  size_t kept() const;  // bytes that wait for arrays

 private:
  using Buffer = mlx::core::allocator::Buffer;

  struct Waiting {
    Buffer buffer;
    uint64_t since;  // of taken_
  };

  Buffer take(size_t bytes);
  void put_back(Buffer buffer, size_t bytes);
  void let_go();

  mutable std::mutex guard_;
  std::multimap<size_t, Waiting> waiting_;
  size_t kept_ = 0;
  uint64_t taken_ = 0;  // arrays that came
};

}  // namespace whinchat::ops::fast
