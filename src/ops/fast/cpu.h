// What the fast path of a CPU runs on: one stream, whose thread alone starts parallel regions, and
// the team of that thread.
#pragma once

#include <mlx/stream.h>

#include <functional>
#include <memory>

#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/fast/buffers.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {

// Of the products of layers that mostly meet few or many rows.
struct Precisions {
  kernels::Precision few = kernels::Precision::F32;
  kernels::Precision many = kernels::Precision::F32;
};

class Cpu {
 public:
  // Works on the calling thread's default CPU stream. threads 0: one a usable core.
  Cpu(int threads, Precisions precisions);

  mlx::core::Stream stream() const { return stream_; }
  kernels::Precision precision(kernels::RowsPerCall rows) const {
    return rows == kernels::RowsPerCall::Few ? precisions_.few : precisions_.many;
  }
  kernels::Team& team() { return team_; }  // on the stream's thread only
  Profile& profile() { return profile_; }
  Buffers& buffers() { return *buffers_; }

  // Cache appends that wrote into the memory they found, and those that had to copy it first. The
  // thread that evaluates.
  struct Appends {
    int in_place = 0, copied = 0;
  };
  Appends& appends() { return appends_; }

  // Runs `work` on the stream's thread, after what was dispatched before, and waits; throws what it
  // threw. Engine thread.
  void run(const std::function<void(kernels::Team&)>& work);

 private:
  mlx::core::Stream stream_;
  Precisions precisions_;
  kernels::Team team_;
  Profile profile_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();  // arrays may outlive it
  Appends appends_;
};

}  // namespace whinchat::ops::fast
