// What a thread needs before it builds or evaluates a graph.
#pragma once

#include <mlx/device.h>

namespace whinchat::ops {

// Gives the calling thread the CPU stream on which every model of the process runs. Once a process.
void begin_engine_thread();

// While it lives, graphs are built for `device`, on the engine thread's stream of it. Models on
// several devices take turns. Engine thread.
class OnDevice {
 public:
  explicit OnDevice(mlx::core::Device device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  mlx::core::Device before_;
};

}  // namespace whinchat::ops
