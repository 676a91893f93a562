#include "ops/fast/cpu.h"

#include <mlx/backend/cpu/encoder.h>
#include <mlx/device.h>
#include <mlx/stream.h>

#include <exception>
#include <functional>

#include "kernels/team.h"

namespace whinchat::ops::fast {

namespace mx = mlx::core;

Cpu::Cpu(int threads, Precisions precisions)
    : stream_(mx::default_stream(mx::Device::cpu)), precisions_(precisions), team_(threads) {}

void Cpu::run(const std::function<void(kernels::Team&)>& work) {
  std::exception_ptr error;
  mx::cpu::get_command_encoder(stream_).dispatch([&] {
    try {
      work(team_);
    } catch (...) {
      error = std::current_exception();
    }
  });
  mx::synchronize(stream_);
  if (error) std::rethrow_exception(error);
}

}  // namespace whinchat::ops::fast
