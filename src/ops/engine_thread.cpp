#include "ops/engine_thread.h"

#include <mlx/device.h>
#include <mlx/stream.h>

namespace whinchat::ops {

namespace mx = mlx::core;

void begin_engine_thread() {
  const mx::Device cpu(mx::Device::cpu);
  mx::set_default_device(cpu);
  mx::set_default_stream(mx::new_thread_unsafe_stream(cpu));
}

// A GPU's stream is MLX's affair: it makes one for the thread at the first need, so that a process
// that keeps to the CPU never wakes the GPU's driver.
OnDevice::OnDevice(mx::Device device) : before_(mx::default_device()) {
  mx::set_default_device(device);
}

OnDevice::~OnDevice() { mx::set_default_device(before_); }

}  // namespace whinchat::ops
