#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include "base/error.h"
#include "service/engine_run.h"
#include "service/transcriber_state.h"
#include "whinchat/transcription.h"

namespace whinchat {

struct TranscriptionStream::State {
  std::shared_ptr<Transcriber::State> transcriber;  // outlives the run
  std::stop_source stop;
  std::stop_callback<std::function<void()>> callers_stop;
  std::optional<service::EngineRun> run;

  State(std::shared_ptr<Transcriber::State> shared, const std::stop_token& callers)
      : transcriber(std::move(shared)), callers_stop(callers, [this] { stop.request_stop(); }) {}

  service::EngineRun& running() {
    if (!run) base::fail(ErrorKind::BadInput, "the stream is finished: expected no more of it");
    return *run;
  }
};

TranscriptionStream::TranscriptionStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TranscriptionStream::~TranscriptionStream() = default;
TranscriptionStream::TranscriptionStream(TranscriptionStream&&) noexcept = default;
TranscriptionStream& TranscriptionStream::operator=(TranscriptionStream&&) noexcept = default;

void TranscriptionStream::feed(std::span<const float> samples) { state_->running().feed(samples); }

Transcription TranscriptionStream::finish() {
  Transcription result = state_->running().finish();
  state_->run.reset();
  return result;
}

void TranscriptionStream::cancel() { state_->stop.request_stop(); }

TranscriptionStream Transcriber::stream(const TranscribeOptions& options,
                                        const TranscribeCallbacks& callbacks) {
  if (options.split_channels) {
    base::fail(ErrorKind::BadInput, "a stream is of one channel: expected no channels to split");
  }
  auto state = std::make_unique<TranscriptionStream::State>(state_, callbacks.stop);
  TranscribeCallbacks own = callbacks;
  own.stop = state->stop.get_token();
  TranscribeOptions live = options;
  live.share_windows = options.share_windows.value_or(false);  // for someone waits for the words
  state->run.emplace(state_->engine, [&] { return state_->model->begin(live, own); });
  return TranscriptionStream(std::move(state));
}

}  // namespace whinchat
