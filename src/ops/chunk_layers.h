// Layers of a model that hears a recording in chunks, for N chunks at once. They have one form: f32
// on the kernels of a CPU, whatever other models run on. Between layers, a row of zeros stands
// before and behind each chunk's frames: the convolutions' padding. Lazy; engine thread.
#pragma once

#include <mlx/array.h>

#include <memory>

#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {

// A chunk is heard with `context` samples before it, and with its last `reflected` ones mirrored
// behind it.
struct ChunkFrames {
  int context, chunk, reflected;
  int hop;  // between the first samples of frames
};

struct ChunkSpectrum;
struct ChunkConv;
struct Lstm;

using ChunkSpectrumPtr = std::shared_ptr<const ChunkSpectrum>;
using ChunkConvPtr = std::shared_ptr<const ChunkConv>;
using LstmPtr = std::shared_ptr<const Lstm>;

struct LstmParameters {
  LinearParameters input, hidden;  // [4 · H, in], [4 · H, H]: torch.nn.LSTMCell's
};

// Throw Error{Internal} unless the runtime has a CPU's fast path in f32. `basis` [2 · bins, frame]:
// cosines, then sines. `taps` [out, 3, in].
ChunkSpectrumPtr make_chunk_spectrum(const Runtime& runtime, const Parameter& basis,
                                     const ChunkFrames& frames);
ChunkConvPtr make_chunk_conv(const Runtime& runtime, const LinearParameters& taps, int stride);
LstmPtr make_lstm(const Runtime& runtime, const LstmParameters& layer);

// signal [context + N · chunk] → the magnitudes [N, 1 + T + 1, bins] of each chunk's T frames.
mx::array spectrum(const mx::array& signal, const ChunkSpectrumPtr& layer);

// relu(conv(x) + bias): [N, 1 + T + 1, in] → [N, 1 + ⌈T / stride⌉ + 1, out].
mx::array conv_relu(const mx::array& x, const ChunkConvPtr& layer);

struct LstmOutput {
  mx::array h;  // [N, H], of every step
  mx::array c;  // [H], after the last step
};

// N steps over the rows of x, whose last axis is `in`, from the state h, c [H].
LstmOutput lstm(const mx::array& x, const mx::array& h, const mx::array& c, const LstmPtr& layer);

}  // namespace whinchat::ops
