#include "kernels/log_mel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernels/mel_tables.h"
#include "kernels/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/log_mel.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;
using Floats = hn::ScalableTag<float>;

// Frames lie side by side in vectors, so that bins, bands and the tables' symmetries cost nothing.
// Two vectors of them: a tile's accumulators, its operands and a broadcast then fit 16 registers.
HWY_INLINE size_t frames_of_block() { return 2 * hn::Lanes(Doubles()); }

// Of one block.
struct Scratch {
  float* samples;    // [16, F]
  double* few;       // [16, 25, F]: 16-point DFTs, of cosines and sines, over a
  double* spectrum;  // [16, 25, F]: 25-point DFTs of their rows, over b; then a row of zeros
  double* power;     // [201, F]
};

Scratch take_scratch(Arena& arena) {
  const size_t frames = frames_of_block();
  Scratch scratch{.samples = arena.take<float>(MelTables::kFew * frames),
                  .few = arena.take<double>(MelTables::kSamples * frames),
                  .spectrum = arena.take<double>((MelTables::kSamples + 1) * frames),
                  .power = arena.take<double>(MelTables::kBins * frames)};
  std::fill_n(scratch.spectrum + MelTables::kSamples * frames, frames, 0.0);
  return scratch;
}

// kRows rows of a matrix times in [kTerms, F], the results `out_stride` apart.
template <size_t kRows, size_t kTerms>
HWY_INLINE void multiply_rows(const std::array<double, kTerms>* rows, const double* in, double* out,
                              size_t out_stride) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Doubles> low[kRows];
  hn::Vec<Doubles> high[kRows];
  for (size_t row = 0; row < kRows; ++row) low[row] = high[row] = hn::Zero(d);
  for (size_t term = 0; term < kTerms; ++term) {
    const auto in_low = hn::Load(d, in + 2 * term * lanes);
    const auto in_high = hn::Load(d, in + (2 * term + 1) * lanes);
    for (size_t row = 0; row < kRows; ++row) {
      const auto factor = hn::Set(d, rows[row][term]);
      low[row] = hn::MulAdd(factor, in_low, low[row]);
      high[row] = hn::MulAdd(factor, in_high, high[row]);
    }
  }
  for (size_t row = 0; row < kRows; ++row) {
    hn::Store(low[row], d, out + row * out_stride);
    hn::Store(high[row], d, out + row * out_stride + lanes);
  }
}

// starts[f] is where frame f of the block begins.
void transform(const MelTables& tables, const float* const* starts, const Scratch& scratch) {
  constexpr size_t kFew = MelTables::kFew;
  constexpr size_t kMore = MelTables::kMore;
  const Doubles d;
  const hn::Rebind<float, Doubles> half;
  const size_t frames = frames_of_block();
  double* windowed = scratch.spectrum;  // not in use yet
  for (size_t b = 0; b < kMore; ++b) {
    for (size_t f = 0; f < frames; ++f) {
      for (size_t a = 0; a < kFew; ++a) {
        scratch.samples[a * frames + f] = starts[f][tables.sample[b * kFew + a]];
      }
    }
    for (size_t a = 0; a < kFew; ++a) {
      const auto window = hn::Set(d, tables.window[b * kFew + a]);
      for (size_t f = 0; f < frames; f += hn::Lanes(d)) {
        const auto samples = hn::PromoteTo(d, hn::Load(half, scratch.samples + a * frames + f));
        hn::Store(hn::Mul(samples, window), d, windowed + a * frames + f);
      }
    }
    for (size_t row = 0; row < kFew; row += 4) {
      multiply_rows<4>(tables.dft16.data() + row, windowed,
                       scratch.few + (row * kMore + b) * frames, kMore * frames);
    }
  }
  for (size_t sequence = 0; sequence < kFew; ++sequence) {
    const size_t at = sequence * kMore * frames;
    for (size_t row = 0; row < kMore; row += 5) {
      multiply_rows<5>(tables.dft25.data() + row, scratch.few + at,
                       scratch.spectrum + at + row * frames, frames);
    }
  }
}

void fill_power(const MelTables& tables, const Scratch& scratch) {
  const Doubles d;
  const size_t frames = frames_of_block();
  double* to = scratch.power;
  for (const MelTables::Bin& bin : tables.bins) {
    const auto row = [&](int index, size_t f) HWY_ATTR {
      return hn::Load(d, scratch.spectrum + static_cast<size_t>(index) * frames + f);
    };
    const auto sign = hn::Set(d, bin.sign);
    for (size_t f = 0; f < frames; f += hn::Lanes(d)) {
      const auto real = hn::NegMulAdd(sign, row(bin.real[1], f), row(bin.real[0], f));
      const auto imaginary = hn::MulAdd(sign, row(bin.imaginary[1], f), row(bin.imaginary[0], f));
      hn::Store(hn::MulAdd(real, real, hn::Mul(imaginary, imaginary)), d, to + f);
    }
    to += frames;
  }
}

// mel [count, n_mels] of the block's first `count` frames.
void fill_mel(const MelTables& tables, const Scratch& scratch, size_t count, float* mel) {
  const Doubles d;
  const hn::Rebind<float, Doubles> half;
  const size_t frames = frames_of_block();
  const size_t n_mels = tables.bands.size();
  const auto least = hn::Set(d, static_cast<double>(1e-10F));
  for (size_t at = 0; at < n_mels; ++at) {
    const MelTables::Band& band = tables.bands[at];
    for (size_t f = 0; f < frames; f += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      const double* weight = tables.weights.data() + band.weights;
      for (int bin = band.begin; bin < band.end; ++bin) {
        const auto power = hn::Load(d, scratch.power + static_cast<size_t>(bin) * frames + f);
        sum = hn::MulAdd(hn::Set(d, *weight++), power, sum);
      }
      const auto clamped = hn::IfThenElse(hn::Lt(sum, least), least, sum);  // NaN stays
      hn::Store(hn::DemoteTo(half, clamped), half, scratch.samples + f);
    }
    for (size_t f = 0; f < count; ++f) mel[f * n_mels + at] = scratch.samples[f];
  }
}

// In place; returns the greatest.
float take_logs(float* mel, size_t count) {
  const Floats d;
  const hn::CappedTag<float, 1> one;
  auto greatest = hn::Set(d, -std::numeric_limits<float>::infinity());
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto value = log10(d, hn::LoadU(d, mel + i));
    greatest = hn::IfThenElse(hn::Gt(value, greatest), value, greatest);
    hn::StoreU(value, d, mel + i);
  }
  float last = hn::GetLane(hn::MaxOfLanes(d, greatest));
  for (; i < count; ++i) {
    mel[i] = hn::GetLane(log10(one, hn::LoadU(one, mel + i)));
    last = mel[i] > last ? mel[i] : last;
  }
  return last;
}

// Frames [begin, end) of `padded`. Returns the greatest value written.
float log_power_of(const MelTables& tables, const float* padded, int64_t begin, int64_t end,
                   float* out, Arena& arena) {
  const Arena::Scope scope(arena);
  const Scratch scratch = take_scratch(arena);
  const auto frames = static_cast<int64_t>(frames_of_block());
  const auto** starts = arena.take<const float*>(static_cast<size_t>(frames));
  const auto n_mels = static_cast<int64_t>(tables.bands.size());
  float greatest = -std::numeric_limits<float>::infinity();
  for (int64_t first = begin; first < end; first += frames) {
    // Behind the last frame, that one again.
    for (int64_t f = 0; f < frames; ++f) {
      starts[f] = padded + std::min(first + f, end - 1) * MelTables::kHop;
    }
    transform(tables, starts, scratch);
    fill_power(tables, scratch);
    const int64_t count = std::min(frames, end - first);
    float* mel = out + first * n_mels;
    fill_mel(tables, scratch, static_cast<size_t>(count), mel);
    greatest = std::max(greatest, take_logs(mel, static_cast<size_t>(count * n_mels)));
  }
  return greatest;
}

void scale_values(float* values, int64_t count, float least) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto leasts = hn::Set(d, least);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, values + i);
    const auto clamped = hn::IfThenElse(hn::Lt(value, leasts), leasts, value);
    hn::StoreU(hn::Mul(hn::Add(clamped, hn::Set(d, 4.0F)), hn::Set(d, 0.25F)), d, values + i);
  }
  for (; i < count; ++i) values[i] = ((values[i] < least ? least : values[i]) + 4.0F) * 0.25F;
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(log_power_of);
HWY_EXPORT(scale_values);

constexpr int64_t kGrainFrames = 16;  // the largest block
constexpr int64_t kGrainValues = 4096;

}  // namespace

LogMel::LogMel(int n_mels, std::span<const float> filters, std::span<const float> window)
    : n_mels_(n_mels),
      filters_(filters.begin(), filters.end()),
      window_(window.begin(), window.end()) {
  const auto wanted = static_cast<size_t>(n_mels) * MelTables::kBins;
  if (n_mels < 1 || filters.size() != wanted || window.size() != MelTables::kSamples) {
    base::fail(ErrorKind::Internal,
               "[kernels.LogMel] expected {} bands of {} weights and a window of {}, got {} and {}",
               n_mels, MelTables::kBins, MelTables::kSamples, filters.size(), window.size());
  }
  tables_ = make_mel_tables(filters_, window_);
}

void LogMel::expect_samples(std::span<const float> padded, int64_t frames) const {
  const int64_t wanted = frames < 1 ? 0 : (frames - 1) * MelTables::kHop + MelTables::kSamples;
  if (frames < 0 || std::ssize(padded) < wanted) {
    base::fail(ErrorKind::Internal, "[kernels.LogMel] expected {} samples for {} frames, got {}",
               wanted, frames, padded.size());
  }
}

float LogMel::log_power(std::span<const float> padded, int64_t frames, float* out,
                        Team& team) const {
  expect_samples(padded, frames);
  std::vector<float> greatest(static_cast<size_t>(team.size()),
                              -std::numeric_limits<float>::infinity());
  team.split(frames, kGrainFrames, [&](int64_t begin, int64_t end, int thread) {
    float& of_thread = greatest[static_cast<size_t>(thread)];
    of_thread =
        std::max(of_thread, HWY_DYNAMIC_DISPATCH(log_power_of)(tables_, padded.data(), begin, end,
                                                               out, team.arena(thread)));
  });
  return *std::ranges::max_element(greatest);
}

void LogMel::scale(std::span<float> log_power, float greatest, float decades, Team& team) {
  const float least = greatest - decades;
  team.split(std::ssize(log_power), kGrainValues, [&](int64_t begin, int64_t end, int) {
    HWY_DYNAMIC_DISPATCH(scale_values)(log_power.data() + begin, end - begin, least);
  });
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
