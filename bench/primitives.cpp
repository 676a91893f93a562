// ./dev bench primitives: what a primitive of the fast path costs beside its work, in a chain of 60
// within one evaluation, before and after a model was packed. More than 10 µs means that a second
// thread has started a parallel region (docs/performance.md) and ends with status 1.

#include <mlx/array.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <ratio>
#include <span>
#include <vector>

#include "kernels/element.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "ops/engine_thread.h"
#include "ops/fast/cpu.h"
#include "ops/fast/primitive.h"

namespace {

namespace mx = mlx::core;
using namespace whinchat;

constexpr int kChain = 60;
constexpr double kMostMicroseconds = 10;

// A parallel region that does next to nothing.
class Touch : public ops::fast::Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "touch"; }

 protected:
  void run(std::span<const ops::fast::Operand> inputs, std::span<const ops::fast::Operand> outputs,
           kernels::Team& team) const override {
    team.each(team.size(), [&](int64_t i, int /*thread*/) {
      outputs[0].as<float>()[i] = inputs[0].as<float>()[i] + 1;
    });
  }
};

double microseconds_a_primitive(const std::shared_ptr<ops::fast::Cpu>& cpu) {
  const int width = 64;
  std::vector<double> times;
  for (int repeat = 0; repeat < 101; ++repeat) {
    mx::array x = mx::zeros({width});
    mx::eval(x);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kChain; ++i) {
      x = ops::fast::make<Touch>({width}, mx::float32, {x}, cpu);
    }
    mx::eval(x);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count() / kChain);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main() {
  try {
    ops::begin_engine_thread();
    const auto cpu = std::make_shared<ops::fast::Cpu>(0, ops::fast::Precisions{});
    const double before = microseconds_a_primitive(cpu);
    const std::vector<float> weights(size_t{512} * 2048, 1.0F);
    const kernels::WeightView view{weights.data(), kernels::Element::F32, 2048, 512};
    cpu->run([&](kernels::Team& team) {
      kernels::PackedWeights::pack({&view, 1}, kernels::RowsPerCall::Many, kernels::Precision::F32,
                                   team);
    });
    const double after = microseconds_a_primitive(cpu);
    std::printf("a primitive in a chain of %d: %.2f us, after packing weights %.2f us\n", kChain,
                before, after);
    if (after > kMostMicroseconds) {
      std::fprintf(stderr, "dev bench primitives: expected at most %.0f us\n", kMostMicroseconds);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dev bench primitives: %s\n", error.what());
    return 1;
  }
  return 0;
}
