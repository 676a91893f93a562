#include "transcription/speech_model.h"

#include <mlx/dtype.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/file_map.h"
#include "models/whisper/whisper.h"
#include "ops/blas.h"
#include "text/tokenizer.h"
#include "text/whisper_tokenizer.h"
#include "transcription/seek_loop.h"
#include "weights/checkpoint.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

text::WhisperTokenizer make_tokenizer(const std::optional<std::filesystem::path>& tokenizer_json,
                                      int n_vocab) {
  if (!tokenizer_json) return text::WhisperTokenizer(n_vocab);
  const auto file = base::FileMap::open(*tokenizer_json);
  return {n_vocab, text::Tokenizer::from_json(file->bytes(), tokenizer_json->string())};
}

mlx::core::Dtype dtype_of(Compute compute) {
  return compute == Compute::F16 ? mlx::core::float16 : mlx::core::float32;
}

weights::Checkpoint load_on_openblas(const std::filesystem::path& folder, int threads) {
  if (threads < 0) base::fail(ErrorKind::BadInput, "threads must be 0 or more, got {}", threads);
  if (threads > 0) ops::set_blas_threads(threads);
  ops::require_openblas();
  return weights::load_checkpoint(folder);
}

}  // namespace

struct SpeechModel::Parts {
  models::whisper::Whisper model;
  text::WhisperTokenizer tokenizer;
};

SpeechModel::SpeechModel(const std::filesystem::path& folder, const ModelOptions& options) {
  weights::Checkpoint checkpoint = load_on_openblas(folder, options.threads);
  models::whisper::Whisper model(std::move(checkpoint.weights), checkpoint.config,
                                 dtype_of(options.compute));
  const int n_vocab = model.dims().n_vocab;
  parts_ = std::make_unique<Parts>(
      Parts{std::move(model), make_tokenizer(checkpoint.tokenizer_json, n_vocab)});
}

SpeechModel::~SpeechModel() = default;

void SpeechModel::check(const TranscribeOptions& options) const {
  requested_language(parts_->model.dims(), options);
}

Transcription SpeechModel::transcribe(std::span<const float> samples,
                                      const TranscribeOptions& options,
                                      const TranscribeCallbacks& callbacks) const {
  return transcription::transcribe(parts_->model, parts_->tokenizer, samples, options, callbacks);
}

}  // namespace whinchat::transcription
