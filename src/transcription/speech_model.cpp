#include "transcription/speech_model.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_map.h"
#include "base/resident_memory.h"
#include "models/vad/silero_vad.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/engine_thread.h"
#include "ops/profile.h"
#include "ops/runtime.h"
#include "text/tokenizer.h"
#include "text/whisper_tokenizer.h"
#include "transcription/language.h"
#include "transcription/options.h"
#include "transcription/prompt_history.h"
#include "transcription/rule_options.h"
#include "transcription/runtime_choice.h"
#include "transcription/streaming_run.h"
#include "transcription/words/text_alignment.h"
#include "weights/checkpoint.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

// More make no fewer word errors, one makes more (docs/word-errors.md).
constexpr int kBeamSize = 5;
constexpr int64_t kLongSamples = int64_t{600} * models::whisper::kSampleRate;

text::WhisperTokenizer make_tokenizer(const std::optional<std::filesystem::path>& tokenizer_json,
                                      int n_vocab) {
  if (!tokenizer_json) return text::WhisperTokenizer(n_vocab);
  const auto file = base::FileMap::open(*tokenizer_json);
  const std::string name = tokenizer_json->string();
  return {n_vocab, text::Tokenizer::from_json(file->bytes(), name), name};
}

// Asked before a tensor is packed: the speech loop's windows are of 30 s.
void require_windows(const weights::Checkpoint& checkpoint) {
  constexpr int kPositions = models::whisper::kWindowFrames / 2;
  const auto dims = models::whisper::read_dimensions(checkpoint.config, checkpoint.config_source);
  if (dims.n_audio_ctx != kPositions) {
    base::fail(ErrorKind::Corrupt, "{}: expected n_audio_ctx to be {}, got {}",
               checkpoint.config_source, kPositions, dims.n_audio_ctx);
  }
}

}  // namespace

struct SpeechModel::Parts {
  ops::Runtime runtime;
  bool wants_profile;
  bool is_faithful;
  int threads;
  models::whisper::Whisper model;
  text::WhisperTokenizer tokenizer;
  std::shared_ptr<const models::vad::SileroVad> vad{};  // once it is needed

  // Null where `options` (complete) want none.
  std::shared_ptr<const models::vad::SileroVad> vad_for(const TranscribeOptions& options) {
    if (options.vad_filter != true) return nullptr;
    if (!vad) {
      vad = std::make_shared<models::vad::SileroVad>(models::whisper::kSampleRate, threads);
    }
    return vad;
  }

  Hearing hearing(const TranscribeOptions& options) { return {model, tokenizer, vad_for(options)}; }

  // As given, with this model's own defaults where nothing is. Throws as check_options.
  TranscribeOptions complete(TranscribeOptions options) const {
    if (!options.beam_size) options.beam_size = is_faithful ? 1 : kBeamSize;
    // The oracle has none of these three.
    if (!options.vad_filter) options.vad_filter = !is_faithful;
    if (!options.skip_digital_silence) options.skip_digital_silence = !is_faithful;
    if (!options.prompt_reset_on_repetition) {
      options.prompt_reset_on_repetition = options.condition_on_previous_text && !is_faithful;
    }
    check_options(options);
    return options;
  }

  // As complete(), of options that this model can serve: found out before a long file is read.
  TranscribeOptions checked(const TranscribeOptions& given) const {
    TranscribeOptions options = complete(given);
    require_served(options);
    return options;
  }

  void require_served(const TranscribeOptions& options) const {
    requested_language(model.dims(), options);
    rule_options(tokenizer, options, !options.without_timestamps);
    Transcription unused;
    PromptHistory(tokenizer, model.dims(), options, unused);  // prompts are UTF-8
  }

  // The model's, then the VAD's; none where no profile is wanted.
  std::vector<ops::Profile*> profiles() const {
    if (!wants_profile) return {};
    std::vector<ops::Profile*> all = {&runtime.cpu->profile()};
    if (vad) all.push_back(&vad->profile());
    return all;
  }
  void begin_profile() const {
    for (ops::Profile* profile : profiles()) profile->begin();
  }
  void end_profile() const {
    for (ops::Profile* profile : profiles()) profile->end();
  }

  // What `work` makes, in a profile where one is wanted.
  template <typename Work>
  Transcription run(Work work) const {
    const ops::OnDevice device(runtime.device);
    begin_profile();
    Transcription result = work();
    end_profile();
    return result;
  }
};

SpeechModel::SpeechModel(const std::filesystem::path& folder, const ModelOptions& options) {
  const ops::Runtime runtime = runtime_for(options);
  const ops::OnDevice device(runtime.device);
  weights::Checkpoint checkpoint = weights::load_checkpoint(folder);
  require_windows(checkpoint);
  if (options.faithful && checkpoint.is_quantised) {
    base::fail(ErrorKind::BadInput,
               "{}: the faithful path needs weights of f32, f16 or bf16, got quantised ones: the "
               "oracle multiplies with those as they are, which is not the same",
               folder.string());
  }
  models::whisper::Whisper model(std::move(checkpoint.weights), checkpoint.config, runtime);
  const int n_vocab = model.dims().n_vocab;
  parts_ = std::make_unique<Parts>(Parts{runtime, options.profile, options.faithful,
                                         options.threads, std::move(model),
                                         make_tokenizer(checkpoint.tokenizer_json, n_vocab)});
}

SpeechModel::~SpeechModel() = default;

void SpeechModel::check(const TranscribeOptions& options) const { parts_->checked(options); }

Transcription SpeechModel::transcribe(std::span<const float> samples,
                                      const TranscribeOptions& given,
                                      const TranscribeCallbacks& callbacks) const {
  const TranscribeOptions options = parts_->complete(given);
  const Hearing hearing = parts_->hearing(options);
  return parts_->run(
      [&] { return transcription::transcribe(hearing, samples, options, callbacks); });
}

std::unique_ptr<SpeechModel::Run> SpeechModel::begin(const TranscribeOptions& given,
                                                     const TranscribeCallbacks& callbacks) const {
  return std::make_unique<Run>(*parts_, parts_->checked(given), callbacks, false);
}

SpeechModel::Run::Run(Parts& parts, TranscribeOptions options, TranscribeCallbacks callbacks,
                      bool only_detects)
    : parts_(parts),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      only_detects_(only_detects) {
  parts_.vad_for(options_);  // its operations are in the profile too
  parts_.begin_profile();
}

SpeechModel::Run::~Run() = default;

StreamingRun& SpeechModel::Run::run() {
  if (!run_) {
    const Foreknown foreknown = survey_ ? survey_->finish() : Foreknown();
    survey_.reset();
    run_ =
        std::make_unique<StreamingRun>(parts_.hearing(options_), options_, callbacks_, foreknown);
    if (only_detects_) run_->only_detect_language();
  }
  return *run_;
}

void SpeechModel::Run::survey(std::span<const float> samples) {
  const ops::OnDevice device(parts_.runtime.device);
  if (!survey_) survey_ = std::make_unique<Survey>(parts_.model);
  survey_->feed(samples);
  surveyed_ += std::ssize(samples);
  // Where this takes its time, what there is to do grows while nothing is done.
  if (surveyed_ < kLongSamples || !callbacks_.on_progress) return;
  callbacks_.on_progress(0, static_cast<double>(surveyed_) / models::whisper::kSampleRate);
}

bool SpeechModel::Run::feed(std::span<const float> samples) {
  const ops::OnDevice device(parts_.runtime.device);
  run().feed(samples);
  return run().wants_more();
}

Transcription SpeechModel::Run::finish() {
  const ops::OnDevice device(parts_.runtime.device);
  Transcription result = run().finish();
  parts_.end_profile();
  return result;
}

Transcription SpeechModel::align(std::span<const float> samples, std::string_view text,
                                 TranscribeOptions given,
                                 const TranscribeCallbacks& callbacks) const {
  given.word_timestamps = true;
  const TranscribeOptions options = parts_->complete(std::move(given));
  const Hearing hearing = parts_->hearing(options);
  return parts_->run([&] { return align_text(hearing, samples, text, options, callbacks); });
}

std::unique_ptr<SpeechModel::Run> SpeechModel::begin_detection(
    const TranscribeOptions& given, const TranscribeCallbacks& callbacks) const {
  TranscribeOptions options = parts_->checked(given);
  if (!given.language.empty() || !parts_->model.dims().is_multilingual()) {
    base::fail(ErrorKind::BadInput, "{}: no language is to be detected",
               given.language.empty() ? "this model is English-only" : "the language is given");
  }
  options.multilingual = false;  // that of all
  return std::make_unique<Run>(*parts_, std::move(options), callbacks, true);
}

Profile SpeechModel::profile() const {
  Profile result;
  if (!parts_->wants_profile) return result;
  const ops::Profile& recorded = parts_->runtime.cpu->profile();
  const auto seconds = [](ops::Profile::Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  for (const ops::Profile* each : parts_->profiles()) {
    for (const auto& [name, begin, end, work] : each->spans()) {
      result.spans.push_back({name, seconds(begin - recorded.began()), seconds(end - begin),
                              work.flop, work.read_bytes});
    }
  }
  std::ranges::stable_sort(result.spans, {}, &Profile::Span::start_s);
  result.wall_s = seconds(recorded.ended() - recorded.began());
  const base::ResidentMemory memory = base::resident_memory();
  result.resident_bytes = memory.now_bytes;
  result.peak_resident_bytes = memory.peak_bytes;
  return result;
}

}  // namespace whinchat::transcription
