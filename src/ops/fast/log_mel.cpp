#include "ops/fast/log_mel.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <memory>
#include <optional>
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
  // Without a scale: the power.
  LogMelNode(std::shared_ptr<const LogMel> layer, std::optional<MelScale> scale)
      : LayerNode(std::move(layer)), scale_(scale) {}
  const char* name() const override { return "log_mel"; }

 protected:
  void run(Operands inputs, Operands outputs, kernels::Team& team) const override {
    const Operand& signal = inputs[0];
    const Operand& mel = outputs[0];
    const auto size = static_cast<size_t>(mel.rows() * mel.width());
    const float greatest =
        layer().kernel.log_power({signal.as<float>(), static_cast<size_t>(signal.width())},
                                 mel.rows(), mel.as<float>(), team);
    if (!scale_) return;
    kernels::LogMel::scale({mel.as<float>(), size}, scale_->maximum.value_or(greatest),
                           scale_->decades, team);
  }

 private:
  std::optional<MelScale> scale_;
};

mx::array make_node(const mx::array& signal, int frames, const std::shared_ptr<const LogMel>& layer,
                    std::optional<MelScale> scale) {
  return make<LogMelNode>({frames, layer->kernel.n_mels()}, mx::float32, {signal}, layer, scale);
}

}  // namespace

std::shared_ptr<const LogMel> make_log_mel(std::shared_ptr<Cpu> cpu,
                                           const LogMelParameters& layer) {
  return std::make_shared<const LogMel>(
      LogMel{{std::move(cpu)}, kernels::LogMel(layer.n_mels, layer.filters, layer.window)});
}

mx::array log_mel(const mx::array& signal, int frames, const std::shared_ptr<const LogMel>& layer,
                  const MelScale& scale) {
  return make_node(signal, frames, layer, scale);
}

mx::array log_power(const mx::array& signal, int frames,
                    const std::shared_ptr<const LogMel>& layer) {
  return make_node(signal, frames, layer, std::nullopt);
}

}  // namespace whinchat::ops::fast
