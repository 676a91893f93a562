#include "ops/fast/log_mel.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "kernels/log_mel.h"
#include "kernels/team.h"
#include "ops/fast/cpu.h"
#include "ops/fast/layer_node.h"
#include "ops/fast/primitive.h"
#include "ops/log_mel.h"

namespace whinchat::ops::fast {
namespace {

class LogMelNode : public LayerNode<LogMel> {
 public:
  LogMelNode(std::shared_ptr<const LogMel> layer, float decades)
      : LayerNode(std::move(layer)), decades_(decades) {}
  const char* name() const override { return "log_mel"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& signal = inputs[0];
    const Operand& mel = outputs[0];
    const auto size = static_cast<size_t>(mel.rows() * mel.width());
    const float greatest =
        layer().kernel.log_power({signal.as<float>(), static_cast<size_t>(signal.width())},
                                 mel.rows(), mel.as<float>(), team);
    kernels::LogMel::scale({mel.as<float>(), size}, greatest, decades_, team);
  }

 private:
  float decades_;
};

}  // namespace

std::shared_ptr<const LogMel> make_log_mel(std::shared_ptr<Cpu> cpu,
                                           const LogMelParameters& layer) {
  return std::make_shared<const LogMel>(
      LogMel{{std::move(cpu)}, kernels::LogMel(layer.n_mels, layer.filters, layer.window)});
}

mx::array log_mel(const mx::array& signal, int frames, const std::shared_ptr<const LogMel>& layer,
                  float decades) {
  return make<LogMelNode>({frames, layer->kernel.n_mels()}, mx::float32, {signal}, layer, decades);
}

}  // namespace whinchat::ops::fast
