// Where a model runs and in which form its words are made: chosen once, when it is loaded.
#pragma once

#include <mlx/device.h>
#include <mlx/dtype.h>

#include <memory>
#include <string>

namespace whinchat::ops {

namespace fast {
class Cpu;
}

struct Runtime {
  // Whoever builds or evaluates a graph of the model's holds an OnDevice for it.
  mlx::core::Device device = mlx::core::Device::cpu;
  // Weights and activations of the graph; on the fast path of a CPU its kernels choose theirs.
  mlx::core::Dtype dtype = mlx::core::float32;
  // The fast path of a CPU: words run on its kernels. Null: they are the oracle's graph …
  std::shared_ptr<fast::Cpu> cpu;
  // … in which a GPU uses MLX's fused operations.
  bool fused = false;
};

// The oracle's graph in `dtype`.
Runtime make_faithful(mlx::core::Dtype dtype, mlx::core::Device device = mlx::core::Device::cpu);

// The same words in MLX's fused operations. has_gpu() must hold.
Runtime make_fast_gpu(mlx::core::Dtype dtype);

// Whether MLX finds a GPU here that it can use.
bool has_gpu();

// Of a CPU's fast path. BF16: those of many rows. Int8: all of them, weights of 8 bits with a scale
// an output; where bf16 is fast, those of many rows are in bf16.
enum class Products { F32, BF16, Int8 };

// Our kernels on the calling thread's CPU stream. threads 0: one a usable core. Throws
// Error{Unsupported} for BF16 where it is not to be had.
Runtime make_fast_cpu(int threads, Products products);

// The instruction set of the fast path's kernels: "avx2", "amx", …
std::string instruction_set();

// Whether the processor and the build multiply in bf16, and faster than in f32.
bool has_fast_bf16();

}  // namespace whinchat::ops
