#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "audio/audio_source.h"
#include "base/error.h"
#include "ops/mlx_library.h"
#include "service/channels.h"
#include "service/engine_run.h"
#include "service/on_engine.h"
#include "service/recording.h"
#include "service/transcriber_state.h"
#include "transcription/speech_model.h"
#include "transcription/writers/colors.h"
#include "transcription/writers/profile.h"
#include "transcription/writers/txt.h"
#include "transcription/writers/write.h"
#include "transcription/writers/writer_options.h"
#include "whinchat/formats.h"
#include "whinchat/models.h"
#include "whinchat/transcription.h"

namespace whinchat {
namespace {

using service::EngineRun;
using service::on_engine;

void require_one_channel(const TranscribeOptions& options) {
  if (!options.split_channels) return;
  base::fail(ErrorKind::BadInput,
             "channels are split where a file is transcribed: expected the number of one");
}

Transcription cancelled_before_any_word(std::span<const float> samples) {
  Transcription result;
  result.duration_s = static_cast<double>(samples.size()) / audio::kSampleRate;
  result.cancelled = true;
  return result;
}

void put_first(const std::vector<std::string>& warnings, Transcription& result) {
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
}

// What a run makes of a recording, with its warnings.
Transcription heard(service::Recording& recording, EngineRun& run) {
  if (recording.can_be_read_again()) {
    recording.read([&](std::span<const float> samples) {
      run.survey(samples);
      return true;
    });
  }
  recording.read([&](std::span<const float> samples) { return run.feed(samples); });
  Transcription result = run.finish();
  result.cancelled = result.cancelled || recording.was_stopped();
  put_first(recording.warnings(), result);
  return result;
}

}  // namespace

Transcriber::Transcriber(const ModelOptions& options) {
  ops::require_built_mlx();
  state_ = std::make_shared<State>();
  const std::filesystem::path folder =
      find_or_fetch_model(options.model, {.offline = options.offline}).value();
  on_engine(state_->engine,
            [&] { state_->model = std::make_unique<transcription::SpeechModel>(folder, options); });
}

Transcriber::~Transcriber() = default;
Transcriber::Transcriber(Transcriber&&) noexcept = default;
Transcriber& Transcriber::operator=(Transcriber&&) noexcept = default;

void Transcriber::check(const TranscribeOptions& options) const {
  on_engine(state_->engine, [&] { state_->model->check(options); });
}

Profile Transcriber::profile() const {
  return on_engine(state_->engine, [&] { return state_->model->profile(); });
}

Transcription Transcriber::transcribe(const std::filesystem::path& file,
                                      const TranscribeOptions& options,
                                      const TranscribeCallbacks& callbacks) {
  if (options.split_channels) return transcribe_split(file, options, callbacks);
  service::Recording recording(file, {.channel = options.channel, .stop = callbacks.stop});
  const std::lock_guard turn(state_->turn);
  EngineRun run(state_->engine, [&] { return state_->model->begin(options, callbacks); });
  return heard(recording, run);
}

Transcription Transcriber::transcribe_split(const std::filesystem::path& file,
                                            const TranscribeOptions& options,
                                            const TranscribeCallbacks& callbacks) {
  check(options);
  const service::Channels channels = service::find_channels(file, callbacks.stop);
  if (callbacks.stop.stop_requested()) return cancelled_before_any_word({});
  Transcription result = service::transcribe_channels(
      channels, callbacks, [&](int channel, const TranscribeCallbacks& own) {
        TranscribeOptions of_one = options;
        of_one.split_channels = false;
        of_one.channel = channel;
        return transcribe(file, of_one, own);
      });
  put_first(channels.warnings, result);
  return result;
}

Transcription Transcriber::align(const std::filesystem::path& file, std::string_view text,
                                 const TranscribeOptions& options,
                                 const TranscribeCallbacks& callbacks) {
  require_one_channel(options);
  service::Recording recording(file, {.channel = options.channel, .stop = callbacks.stop});
  std::vector<float> samples;
  recording.read([&](std::span<const float> piece) {
    samples.insert(samples.end(), piece.begin(), piece.end());
    return true;
  });
  if (callbacks.stop.stop_requested()) return cancelled_before_any_word(samples);
  Transcription result = align(samples, text, options, callbacks);
  put_first(recording.warnings(), result);
  return result;
}

Transcription Transcriber::align(std::span<const float> samples, std::string_view text,
                                 const TranscribeOptions& options,
                                 const TranscribeCallbacks& callbacks) {
  const std::lock_guard turn(state_->turn);
  return on_engine(state_->engine,
                   [&] { return state_->model->align(samples, text, options, callbacks); });
}

Transcription Transcriber::transcribe(std::span<const float> samples,
                                      const TranscribeOptions& options,
                                      const TranscribeCallbacks& callbacks) {
  require_one_channel(options);
  const std::lock_guard turn(state_->turn);
  return on_engine(state_->engine,
                   [&] { return state_->model->transcribe(samples, options, callbacks); });
}

std::vector<LanguageProbability> Transcriber::detect_language(
    const std::filesystem::path& file, const TranscribeOptions& options,
    const TranscribeCallbacks& callbacks) {
  require_one_channel(options);
  service::Recording recording(file, {.channel = options.channel, .stop = callbacks.stop});
  const std::lock_guard turn(state_->turn);
  EngineRun run(state_->engine, [&] { return state_->model->begin_detection(options, callbacks); });
  return heard(recording, run).language_probabilities;
}

std::vector<LanguageProbability> Transcriber::detect_language(std::span<const float> samples,
                                                              const TranscribeOptions& options) {
  require_one_channel(options);
  const std::lock_guard turn(state_->turn);
  EngineRun run(state_->engine, [&] { return state_->model->begin_detection(options, {}); });
  run.survey(samples);
  run.feed(samples);
  return run.finish().language_probabilities;
}

void check_writer_options(const WriterOptions& options) { transcription::check_subtitles(options); }

std::string format_transcription(const Transcription& transcription, Format format,
                                 const WriterOptions& options) {
  return transcription::write(transcription, format, options);
}

std::string format_profile(const Profile& profile) { return transcription::write_profile(profile); }

std::string format_chrome_trace(const Profile& profile) {
  return transcription::write_chrome_trace(profile);
}

std::string format_segment(const Segment& segment) { return transcription::txt_line(segment); }

std::string format_colored_segment(const Segment& segment) {
  return transcription::colored_line(segment);
}

}  // namespace whinchat
