#include "transcription/words/alignment.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "models/whisper/decoder.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokens.h"
#include "transcription/words/dtw.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;
using Heads = std::vector<std::pair<int, int>>;

// How much more than others each token of rows [begin, end) looks at a frame, in deviations:
// [heads, end − begin, columns].
mx::array standard_weights(const models::whisper::Decoder::Step& step, const Heads& heads,
                           int columns, int begin, int end) {
  std::vector<mx::array> scores;
  scores.reserve(heads.size());
  for (const auto& [layer, head] : heads) {
    const mx::array& qk = step.cross_qk.at(layer);
    const int rows = qk.shape(2);
    const mx::array one = mx::slice(qk, {0, head, 0, 0}, {1, head + 1, rows, columns});
    scores.push_back(mx::reshape(one, {rows, columns}));
  }
  const mx::array weights =
      mx::astype(mx::softmax(mx::stack(scores), -1, /*precise=*/true), mx::float32);
  const mx::array mean = mx::mean(weights, -2, /*keepdims=*/true);
  const mx::array deviation = mx::sqrt(mx::var(weights, -2, /*keepdims=*/true));
  const mx::array standard = mx::divide(mx::subtract(weights, mean), deviation);
  const auto count = static_cast<int>(heads.size());
  return mx::contiguous(mx::slice(standard, {0, begin, 0}, {count, end, columns}));
}

// Of weights [heads, rows, columns]: what it costs to put a row's token at a column's frame.
std::vector<float> cost_of(std::span<const float> weights, size_t heads, int columns) {
  std::vector<float> smooth(weights.begin(), weights.end());
  // Where all tokens look alike at a frame, its deviation is 0: it tells nothing.
  std::ranges::replace_if(smooth, [](float weight) { return std::isnan(weight); }, 0.0F);
  median_filter(smooth, columns);
  const size_t size = smooth.size() / heads;
  std::vector<float> cost(smooth.begin(), smooth.begin() + static_cast<std::ptrdiff_t>(size));
  for (size_t begin = size; begin < smooth.size(); begin += size) {
    for (size_t i = 0; i < size; ++i) cost[i] += smooth[begin + i];
  }
  for (float& value : cost) value = -(value / static_cast<float>(heads));
  return cost;
}

}  // namespace

TokenTimes align_tokens(const models::whisper::Whisper& model,
                        const std::vector<ops::KeyValue>& cross, const text::WhisperTokens& special,
                        std::span<const int32_t> sot_sequence, std::span<const int32_t> text_tokens,
                        int frames) {
  if (text_tokens.empty()) return {{0}, {}};
  std::vector<int32_t> read(sot_sequence.begin(), sot_sequence.end());
  read.push_back(special.no_timestamps);
  read.insert(read.end(), text_tokens.begin(), text_tokens.end());
  read.push_back(special.eot);

  const Heads& heads = model.alignment_heads();
  std::set<int> layers;
  for (const auto& [layer, head] : heads) layers.insert(layer);
  models::whisper::KvCache cache(cross);
  const mx::array tokens(read.begin(), {1, static_cast<int>(read.size())}, mx::int32);
  const auto step = model.decoder().step(tokens, cache, {.cross_qk_layers = layers, .trace = {}});
  // What is read at a position speaks of the token after it: text begins with the one before it.
  const auto first = static_cast<int>(sot_sequence.size());
  const auto rows = static_cast<int>(text_tokens.size()) + 1;
  const int columns = frames / 2;
  const mx::array probabilities = step.logits.probabilities_of(first, text_tokens, special.eot);
  TokenTimes times{std::vector<int>(static_cast<size_t>(rows)), {}};
  if (columns > 0 && !heads.empty()) {
    mx::array weights = standard_weights(step, heads, columns, first, first + rows);
    mx::eval(weights, probabilities);
    const std::vector<float> cost =
        cost_of({weights.data<float>(), weights.size()}, heads.size(), columns);
    times.starts = first_columns(cost, rows, columns);
  }
  mx::array evaluated = probabilities;
  mx::eval(evaluated);
  times.probabilities.assign(evaluated.data<float>(), evaluated.data<float>() + evaluated.size());
  return times;
}

}  // namespace whinchat::transcription
