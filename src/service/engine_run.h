// One recording's run, which lives and dies on the engine thread. One thread at a time.
#pragma once

#include <memory>
#include <span>

#include "service/engine.h"
#include "service/on_engine.h"
#include "transcription/speech_model.h"
#include "whinchat/transcription.h"

namespace whinchat::service {

class EngineRun {
 public:
  // `begin` makes it there.
  template <typename Begin>
  EngineRun(Engine& engine, Begin begin) : engine_(engine) {
    on_engine(engine_, [&] { run_ = begin(); });
  }
  ~EngineRun() {
    engine_.run([this] { run_.reset(); });
  }
  EngineRun(const EngineRun&) = delete;
  EngineRun& operator=(const EngineRun&) = delete;

  void survey(std::span<const float> samples) {
    on_engine(engine_, [&] { run_->survey(samples); });
  }
  bool feed(std::span<const float> samples) {
    return on_engine(engine_, [&] { return run_->feed(samples); });
  }
  Transcription finish() {
    return on_engine(engine_, [&] { return run_->finish(); });
  }

 private:
  Engine& engine_;
  std::unique_ptr<transcription::SpeechModel::Run> run_;
};

}  // namespace whinchat::service
