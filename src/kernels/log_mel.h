// Log-mel power of 400-sample frames every 160 samples. The DFT is a product, in f64: then the
// result is that of exact arithmetic but for log10's rounding, even 8 decades under a frame's
// strongest bin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/mel_tables.h"
#include "kernels/team.h"

namespace whinchat::kernels {

class LogMel {
 public:
  // filters [n_mels, 201], row-major, mostly zeros; window [400]. Throws Error{Internal} for other
  // sizes.
  LogMel(int n_mels, std::span<const float> filters, std::span<const float> window);

  int n_mels() const { return n_mels_; }

  // Frame i is padded[160 i, 160 i + 400). out [frames, n_mels]: log10(max(power, 1e-10)). Returns
  // the greatest value written, −∞ for no frame. Throws Error{Internal} for too few samples. The
  // bits depend on the instruction set alone.
  float log_power(std::span<const float> padded, int64_t frames, float* out, Team& team) const;

  // In place: (max(value, greatest − decades) + 4) / 4.
  static void scale(std::span<float> log_power, float greatest, float decades, Team& team);

  // log_power in double precision by the sum's definition.
  float log_power_reference(std::span<const float> padded, int64_t frames, float* out) const;

 private:
  void expect_samples(std::span<const float> padded, int64_t frames) const;

  int n_mels_;
  std::vector<float> filters_, window_;  // the reference's
  MelTables tables_;
};

}  // namespace whinchat::kernels
