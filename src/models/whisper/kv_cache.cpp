#include "models/whisper/kv_cache.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ops/key_value.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

bool is_identity(std::span<const int> rows, int batch) {
  if (static_cast<int>(rows.size()) != batch) return false;
  for (int i = 0; i < batch; ++i) {
    if (rows[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

}  // namespace

KvCache::KvCache(std::vector<ops::KeyValue> cross) {
  layers_.reserve(cross.size());
  for (ops::KeyValue& kv : cross) layers_.push_back({{}, std::move(kv)});
}

int KvCache::offset() const { return layers_.at(0).self.length; }

void KvCache::rearrange(std::span<const int> rows) {
  const ops::PastKeyValue& past = layers_.at(0).self;
  if (past.arrays.empty()) return;
  history_.note(past.stored_rows(), past.length, past.order.rows.empty());
  const int batch = history_.batch();
  if (is_identity(rows, batch)) return;
  if (rows.empty() || std::ranges::any_of(rows, [&](int r) { return r < 0 || r >= batch; })) {
    base::fail(ErrorKind::Internal, "[whisper.rearrange] expected rows below {}, got [{}]", batch,
               fmt::join(rows, ", "));
  }
  const ops::RowOrder order = history_.reorder(rows);
  for (Layer& layer : layers_) {
    layer.self.order = order;
    if (layer.cross.key.shape(0) == 1) continue;
    layer.cross = {ops::take_rows(layer.cross.key, rows, 0),
                   ops::take_rows(layer.cross.value, rows, 0)};
  }
}

std::vector<mx::array> KvCache::arrays() const {
  std::vector<mx::array> result;
  for (const Layer& layer : layers_) {
    result.push_back(layer.cross.key);
    result.push_back(layer.cross.value);
    result.insert(result.end(), layer.self.arrays.begin(), layer.self.arrays.end());
  }
  return result;
}

}  // namespace whinchat::models::whisper
