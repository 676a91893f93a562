#include "audio/resample.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

constexpr size_t kPieceSamples = 8192;

}  // namespace

void Resampler::Free::operator()(SwrContext* context) const { swr_free(&context); }

Resampler::Resampler(int from_hz, int to_hz) {
  AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
  SwrContext* context = nullptr;
  const int status = swr_alloc_set_opts2(&context, &mono, AV_SAMPLE_FMT_FLT, to_hz, &mono,
                                         AV_SAMPLE_FMT_FLT, from_hz, 0, nullptr);
  context_.reset(context);
  if (status < 0 || context == nullptr) {
    base::fail(ErrorKind::Internal, "cannot make a resampler from {} to {} Hz", from_hz, to_hz);
  }
  if (av_opt_set_int(context, "resampler", SWR_ENGINE_SOXR, 0) < 0 || swr_init(context) < 0) {
    base::fail(ErrorKind::Unsupported,
               "cannot resample from {} to {} Hz: this machine's libswresample lacks soxr", from_hz,
               to_hz);
  }
}

void Resampler::push(std::span<const float> samples, std::vector<float>& out) {
  while (!samples.empty()) {
    const size_t count = std::min(samples.size(), kPieceSamples);
    convert(samples.data(), static_cast<int>(count), out);
    samples = samples.subspan(count);
  }
}

void Resampler::finish(std::vector<float>& out) { convert(nullptr, 0, out); }

void Resampler::convert(const float* samples, int count, std::vector<float>& out) {
  const int room = swr_get_out_samples(context_.get(), count);
  if (room < 0) base::fail(ErrorKind::Internal, "the resampler failed with status {}", room);
  const size_t start = out.size();
  out.resize(start + static_cast<size_t>(room));
  auto* target = reinterpret_cast<uint8_t*>(out.data() + start);
  const auto* source = reinterpret_cast<const uint8_t*>(samples);
  const int done = swr_convert(context_.get(), &target, room, samples ? &source : nullptr, count);
  if (done < 0) base::fail(ErrorKind::Internal, "the resampler failed with status {}", done);
  out.resize(start + static_cast<size_t>(done));
}

}  // namespace whinchat::audio
