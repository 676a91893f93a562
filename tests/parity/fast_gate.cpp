// fast_gate MODEL [--compute f32|bf16|int8] CLIP…: holds the fast path against the faithful one.
// Along the faithful path's tokens logits stay within the bound below; where the choice differs,
// the faithful path's best two are that close (a flip is explained); what the fast path decodes by
// itself differs by 2 tokens in 30 s at most. Windows are judged the same (silent, too repetitive,
// too unlikely). int8 has no bound: at most one choice in ten differs along the faithful path's
// tokens. Exit status 1 where something does not hold.

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "base/error.h"
#include "decoding/rules.h"
#include "hub/model_folder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/kv_cache.h"
#include "models/whisper/whisper.h"
#include "ops/choose.h"
#include "ops/engine_thread.h"
#include "ops/key_value.h"
#include "ops/runtime.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "transcription/language.h"
#include "transcription/prompt_history.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "weights/checkpoint.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace whinchat::parity {
namespace {

namespace mx = mlx::core;
using models::whisper::kWindowFrames;
using models::whisper::Whisper;
using transcription::DecodedWindow;
using transcription::Sound;
using transcription::WindowDecoder;
using CrossKv = std::vector<ops::KeyValue>;

Whisper load(const std::string& model, const ops::Runtime& runtime) {
  weights::Checkpoint checkpoint = weights::load_checkpoint(hub::find_model(model));
  return {std::move(checkpoint.weights), checkpoint.config, runtime};
}

// The bound. Sums of K terms in f32 are off by at most √K · 2^-24 of their size (Higham and Mary's
// probabilistic bound; K ≤ 4 · width here), on either path: 2 · √K · 2^-24 between them. bf16
// rounds two operands and the result that is kept, each by 2^-9 / √3 of itself: 2^-9 together. N
// products follow each other, their errors add up as independent ones do, and residuals and norms
// keep relative sizes. So a logit is off by √N times that of the logits' deviation; eight times
// this is what none of some millions reaches. int8 has none: its weights are off by the same at
// every step, which is not independent.
double relative_bound(const models::whisper::ModelDimensions& dims, ops::Products products) {
  if (products == ops::Products::Int8) return std::numeric_limits<double>::infinity();
  const double sums = 2 * std::exp2(-24.0) * std::sqrt(4.0 * dims.n_audio_state);
  const double rounding = products == ops::Products::BF16 ? sums + std::exp2(-9.0) : sums;
  // Convolutions, log-mel; query, key, value, scores, values, out, up, down; in a decoder the first
  // six again for the audio; logits.
  const int count = 3 + 8 * dims.n_audio_layer + 14 * dims.n_text_layer + 1;
  return 8 * rounding * std::sqrt(count);
}

double deviation(std::span<const float> logits) {
  const double mean =
      std::accumulate(logits.begin(), logits.end(), 0.0) / static_cast<double>(logits.size());
  double sum = 0;
  for (const float value : logits) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(logits.size()));
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

struct Choice {
  int32_t token;
  double margin;  // by how much the logits would have to move for another choice
};

// The rules' own arithmetic, in double precision and with its margin.
Choice choose(std::span<const float> logits, const ops::LogitMask& mask) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> allowed(logits.begin(), logits.end());
  for (const int32_t token : mask.suppressed) allowed[static_cast<size_t>(token)] = kNever;
  for (const ops::TokenRange& range : mask.forbidden) {
    const auto end = std::min<size_t>(static_cast<size_t>(range.end), allowed.size());
    for (auto i = static_cast<size_t>(range.begin); i < end; ++i) allowed[i] = kNever;
  }
  double rule_margin = std::numeric_limits<double>::infinity();
  if (mask.timestamp_begin >= 0) {
    const auto begin = allowed.begin() + mask.timestamp_begin;
    const double best_text = *std::max_element(allowed.begin(), begin);
    const double best_time = *std::max_element(begin, allowed.end());
    double times = 0;
    for (auto time = begin; time != allowed.end(); ++time) times += std::exp(*time - best_time);
    const double together = best_time == kNever ? kNever : best_time + std::log(times);
    if (best_text != kNever && together != kNever) rule_margin = std::abs(together - best_text);
    if (together > best_text) std::fill(allowed.begin(), begin, kNever);
  }
  const auto best = std::max_element(allowed.begin(), allowed.end());
  const double value = *best;
  const auto token = static_cast<int32_t>(best - allowed.begin());
  *best = kNever;
  const double second = *std::max_element(allowed.begin(), allowed.end());
  return {token, std::min(rule_margin, value - second)};
}

size_t edit_distance(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

// openai-whisper's default thresholds.
struct Judgement {
  bool is_silent, needs_fallback;
  bool operator==(const Judgement&) const = default;
};

Judgement judgement_of(const DecodedWindow& window) {
  const TranscribeOptions defaults;
  return {transcription::is_silent(window, defaults),
          transcription::needs_fallback(window, defaults)};
}

std::vector<float> floats(mx::array logits) {
  logits = mx::astype(logits, mx::float32);
  mx::eval(logits);
  return {logits.data<float>(), logits.data<float>() + logits.size()};
}

struct Row {  // what a clip showed
  int windows = 0, steps = 0, flips = 0, unexplained = 0, beyond = 0, judged_otherwise = 0;
  int languages = 0;         // whose probability was compared
  double largest = 0;        // difference of a logit
  double largest_share = 0;  // of its bound
  size_t edits = 0;
};

class Gate {
 public:
  Gate(const std::string& model, ops::Products products)
      : faithful_(load(model, ops::make_faithful(mx::float32))),
        fast_(load(model, ops::make_fast_cpu(0, products))),
        tokenizer_(faithful_.dims().n_vocab),
        products_(products),
        relative_bound_(relative_bound(faithful_.dims(), products)) {}

  Row run(std::span<const float> samples);
  bool holds(const Row& row, double windows) const;

 private:
  std::string hear_language(const CrossKv& faithful, const CrossKv& fast, Row& row) const;
  void replay(const CrossKv& faithful, const CrossKv& fast, std::span<const int32_t> given,
              std::span<const int32_t> chosen, const decoding::Rules& rules, Row& row) const;

  Whisper faithful_, fast_;
  text::WhisperTokenizer tokenizer_;
  // One attempt: whether another would follow is compared too.
  TranscribeOptions options_{.temperatures = {0.0}};
  ops::Products products_;
  double relative_bound_;
};

bool Gate::holds(const Row& row, double windows) const {
  if (row.steps == 0 || row.judged_otherwise != 0) return false;
  if (products_ == ops::Products::Int8) return 10 * row.flips <= row.steps;
  return row.beyond == 0 && row.unexplained == 0 && static_cast<double>(row.edits) <= 2 * windows;
}

// A logit is off by its bound at the most, and so the logarithm of a probability by twice that.
std::string Gate::hear_language(const CrossKv& faithful, const CrossKv& fast, Row& row) const {
  if (!faithful_.dims().is_multilingual()) return "en";
  const text::WhisperTokens& tokens = tokenizer_.tokens();
  const auto expected = transcription::language_probabilities(faithful_, faithful, tokens);
  const auto heard = transcription::language_probabilities(fast_, fast, tokens);
  if (heard.front().language != expected.front().language) ++row.judged_otherwise;

  models::whisper::KvCache cache(faithful);
  const mx::array start({tokens.sot}, {1, 1}, mx::int32);
  const double bound = 2 * relative_bound_ *
                       deviation(floats(faithful_.decoder().step(start, cache).logits.values()));
  for (const LanguageProbability& language : expected) {
    const auto same = std::ranges::find(heard, language.language, &LanguageProbability::language);
    const double difference = std::abs(std::log(same->probability / language.probability));
    if (!(difference <= bound)) ++row.beyond;
    ++row.languages;
  }
  return expected.front().language;
}

void Gate::replay(const CrossKv& faithful, const CrossKv& fast, std::span<const int32_t> given,
                  std::span<const int32_t> chosen, const decoding::Rules& rules, Row& row) const {
  models::whisper::KvCache faithful_cache(faithful);
  models::whisper::KvCache fast_cache(fast);
  std::span<const int32_t> next = given;
  for (size_t step = 0; step <= chosen.size(); ++step) {
    const mx::array tokens(next.begin(), {1, static_cast<int>(next.size())}, mx::int32);
    const std::vector<float> expected =
        floats(faithful_.decoder().step(tokens, faithful_cache).logits.values());
    const std::vector<float> values =
        floats(fast_.decoder().step(tokens, fast_cache).logits.values());
    const auto vocabulary = static_cast<size_t>(faithful_.dims().n_vocab);
    const auto last = std::span(expected).last(vocabulary);
    const auto fast_last = std::span(values).last(vocabulary);
    const double bound = relative_bound_ * deviation(last);
    const double difference = largest_difference(expected, values);
    ++row.steps;
    row.largest = std::max(row.largest, difference);
    row.largest_share = std::max(row.largest_share, difference / bound);
    if (!(difference <= bound)) ++row.beyond;

    const ops::LogitMask mask = rules.mask(chosen.first(step));
    const Choice choice = choose(last, mask);
    if (choose(fast_last, mask).token != choice.token) {
      ++row.flips;
      if (!(choice.margin <= bound)) ++row.unexplained;
    }
    if (step < chosen.size()) next = chosen.subspan(step, 1);
  }
}

Row Gate::run(std::span<const float> samples) {
  Row row;
  Sound sound = Sound::whole(faithful_.log_mel(), samples);
  Sound fast_sound = Sound::whole(fast_.log_mel(), samples);
  const auto content = static_cast<int>(sound.frames());
  transcription::WindowFeatures features(faithful_, sound, kWindowFrames);
  transcription::WindowFeatures fast_features(fast_, fast_sound, kWindowFrames);
  Transcription result;
  transcription::PromptHistory history(tokenizer_, faithful_.dims(), options_, result);
  std::string language;
  for (int seek = 0; seek < content;) {
    const int frames = std::min(kWindowFrames, content - seek);
    const CrossKv& faithful = features.cross(seek, frames);
    const CrossKv& fast = fast_features.cross(seek, frames);
    if (language.empty()) language = hear_language(faithful, fast, row);
    const WindowDecoder decoder(faithful_, tokenizer_, language, options_);
    const WindowDecoder fast_decoder(fast_, tokenizer_, language, options_);
    const transcription::WindowStart start = history.window_start(/*timestamps=*/true);
    const DecodedWindow decoded = decoder.decode(faithful, start, seek).value();
    const DecodedWindow fast_decoded = fast_decoder.decode(fast, start, seek).value();
    row.edits += edit_distance(decoded.tokens, fast_decoded.tokens);
    if (judgement_of(decoded) != judgement_of(fast_decoded)) ++row.judged_otherwise;
    replay(faithful, fast, decoder.prompt(start), decoded.tokens, decoder.rules(), row);
    ++row.windows;
    if (judgement_of(decoded).is_silent) {
      seek += frames;
      continue;
    }
    const transcription::WindowSegments window =
        transcription::split_window(decoded.tokens, tokenizer_.tokens().timestamp_begin,
                                    {seek, frames, kWindowFrames / faithful_.dims().n_audio_ctx});
    for (const auto& segment : window.segments) history.add(segment.tokens);
    seek = static_cast<int>(window.next_seek);
  }
  return row;
}

constexpr int kSkipped = 77;

constexpr std::array<Named<ops::Products>, 3> kProducts = {
    {{"f32", ops::Products::F32}, {"bf16", ops::Products::BF16}, {"int8", ops::Products::Int8}}};

int run(std::span<char*> arguments) {
  std::string type = "f32";
  std::vector<std::string> names;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == "--compute" && i + 1 < arguments.size()) {
      type = arguments[++i];
    } else {
      names.push_back(argument);
    }
  }
  const std::optional<ops::Products> products = find_value(kProducts, type);
  if (!products) {
    base::fail(ErrorKind::BadInput, "--compute: expected f32, bf16 or int8, got {}", type);
  }
  if (names.size() < 2) {
    std::cerr << "usage: fast_gate MODEL [--compute f32|bf16|int8] CLIP…\n";
    return 2;
  }
  ops::begin_engine_thread();
  // Asked for more than the machine has, this would repeat a lesser set's rows.
  const char* limit = std::getenv("WHINCHAT_MAX_ISA");
  const std::string isa = ops::instruction_set();
  if (limit != nullptr && isa != limit) {
    std::cout << "this machine has no " << limit << '\n';
    return kSkipped;
  }
  Gate gate(names[0], *products);
  int status = 0;
  for (size_t i = 1; i < names.size(); ++i) {
    const std::vector<float> samples = audio::read_all(*audio::open_audio(names[i]));
    const Row row = gate.run(samples);
    const double windows =
        std::ceil(static_cast<double>(samples.size()) / models::whisper::kWindowSamples);
    const bool holds = gate.holds(row, windows);
    const std::string share =
        row.largest_share > 0 ? fmt::format("{:.2f} of the bound", row.largest_share) : "no bound";
    std::cout
        << fmt::format(
               "{} {} | {} | {} | {} windows | {} steps | difference {:.1e}, {} | "
               "{} flips, {} unexplained | {} tokens differ | {} languages | {} judged otherwise | "
               "{}",
               isa, type, names[0], std::filesystem::path(names[i]).filename().string(),
               row.windows, row.steps, row.largest, share, row.flips, row.unexplained, row.edits,
               row.languages, row.judged_otherwise, holds ? "holds" : "FAILS")
        << '\n'
        << std::flush;
    if (!holds) status = 1;
  }
  return status;
}

}  // namespace
}  // namespace whinchat::parity

int main(int argc, char** argv) {
  try {
    return whinchat::parity::run({argv + 1, static_cast<size_t>(argc - 1)});
  } catch (const std::exception& error) {
    std::cerr << "fast_gate: " << error.what() << '\n';
    return 1;
  }
}
