// The log-mel front end on the kernels of a CPU: the packed form of ops/log_mel.h.
#pragma once

#include <mlx/array.h>

#include <memory>

#include "kernels/log_mel.h"
#include "ops/fast/layers.h"

namespace whinchat::ops {

struct LogMelParameters;

namespace fast {

struct LogMel : Layer {
  kernels::LogMel kernel;
};

std::shared_ptr<const LogMel> make_log_mel(std::shared_ptr<Cpu> cpu, const LogMelParameters& layer);

mx::array log_mel(const mx::array& signal, int frames, const std::shared_ptr<const LogMel>& layer,
                  float decades);

}  // namespace fast
}  // namespace whinchat::ops
