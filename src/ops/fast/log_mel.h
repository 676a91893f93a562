// The log-mel front end on the kernels of a CPU: the packed form of ops/log_mel.h.
#pragma once

#include <mlx/array.h>

#include <memory>
#include <optional>

#include "kernels/log_mel.h"
#include "ops/fast/layers.h"

namespace whinchat::ops {

struct LogMelParameters;

namespace fast {

struct LogMel : Layer {
  kernels::LogMel kernel;
};

std::shared_ptr<const LogMel> make_log_mel(std::shared_ptr<Cpu> cpu, const LogMelParameters& layer);

struct MelScale {
  float decades;
  std::optional<float> maximum;  // unset: the greatest of the frames
};

mx::array log_mel(const mx::array& signal, int frames, const std::shared_ptr<const LogMel>& layer,
                  const MelScale& scale);

// [frames, n_mels], not scaled.
mx::array log_power(const mx::array& signal, int frames,
                    const std::shared_ptr<const LogMel>& layer);

}  // namespace fast
}  // namespace whinchat::ops
