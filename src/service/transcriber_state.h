// What a Transcriber shares with its streams.
#pragma once

#include <memory>
#include <mutex>

#include "service/engine.h"
#include "transcription/speech_model.h"
#include "whinchat/transcription.h"

namespace whinchat {

struct Transcriber::State {
  service::Engine& engine = service::Engine::shared();
  std::unique_ptr<transcription::SpeechModel> model;
  std::mutex turn;  // of requests, but for streams: one after another

  ~State() {
    engine.run([this] { model.reset(); });
  }
};

}  // namespace whinchat
