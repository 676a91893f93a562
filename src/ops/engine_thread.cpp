#include "ops/engine_thread.h"

#include <mlx/compile.h>
#include <mlx/device.h>
#include <mlx/stream.h>
#include <mlx/version.h>

#include <string>

namespace whinchat::ops {

namespace mx = mlx::core;

void begin_engine_thread() {
  // On a CPU compile would call g++ at run time, and fall back silently where there is none.
  mx::disable_compile();
  const mx::Device cpu(mx::Device::cpu);
  mx::set_default_device(cpu);
  mx::set_default_stream(mx::new_thread_unsafe_stream(cpu));
}

std::string mlx_version() { return mx::version(); }

}  // namespace whinchat::ops
