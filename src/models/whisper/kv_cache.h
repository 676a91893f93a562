// What Whisper's decoder keeps between steps of one window: self-attention keys and values of the
// tokens so far, one row a beam, and the window's cross-attention keys and values.
#pragma once

#include <mlx/array.h>

#include <span>
#include <vector>

#include "models/whisper/row_history.h"
#include "ops/key_value.h"

namespace whinchat::models::whisper {

class KvCache {
 public:
  struct Layer {
    ops::PastKeyValue self;
    ops::KeyValue cross;  // [1 | B, n_audio_ctx, C]; one row serves every beam
  };

  explicit KvCache(std::vector<ops::KeyValue> cross);

  int offset() const;  // tokens so far

  // Row i becomes row rows[i] with the next step: what beams share is not copied, nor a cross part
  // of one row. Throws Error{Internal} for a row that does not exist.
  void rearrange(std::span<const int> rows);

  Layer& layer(size_t index) { return layers_[index]; }
  size_t size() const { return layers_.size(); }

  // Every array, for one evaluation together with a step's result.
  std::vector<mlx::core::array> arrays() const;

 private:
  std::vector<Layer> layers_;
  RowHistory history_;  // of every layer's rows
};

}  // namespace whinchat::models::whisper
