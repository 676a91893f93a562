#include "weights/names/whisper_ct2_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "weights/array.h"
#include "weights/formats/ctranslate2_writer.h"
#include "weights/formats/planned_tensor.h"
#include "weights/names/whisper_ct2_scopes.h"
#include "weights/names/whisper_tensors.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

struct Flag {
  std::string_view name;
  DType dtype;
  int16_t value;
};
// As the converter of 4.8 writes them for every Whisper; num_heads comes from the config.
constexpr Flag kFlags[] = {
    {"decoder/activation", DType::I8, 3},  // the exact GELU
    {"decoder/alibi", DType::I8, 0},
    {"decoder/alibi_use_positive_positions", DType::I8, 0},
    {"decoder/alignment_heads", DType::I16, 1},
    {"decoder/alignment_layer", DType::I16, -1},
    {"decoder/pre_norm", DType::I8, 1},
    {"decoder/scale_alibi", DType::I8, 0},
    {"decoder/scale_embeddings", DType::I8, 0},
    {"decoder/start_from_zero_embedding", DType::I8, 0},
};

Tensor owned(DType dtype, std::vector<int64_t> shape, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {dtype, std::move(shape), *owner, owner};
}

PlannedTensor plan_flag(std::string name, DType dtype, int16_t value) {
  return {std::move(name), dtype, {}, [=] {
            std::vector<std::byte> bytes(item_size(dtype));
            std::memcpy(bytes.data(), &value, bytes.size());  // little-endian
            return owned(dtype, {}, std::move(bytes));
          }};
}

// Whisper's fixed positions: sines, then cosines, of rising wave lengths.
Tensor audio_positions(int64_t length, int64_t width) {
  constexpr double kMaxTimescale = 10'000;
  const int64_t half = width / 2;
  const double step = std::log(kMaxTimescale) / static_cast<double>(half - 1);
  const auto values = std::make_shared<std::vector<float>>(length * width);
  for (int64_t t = 0; t < length; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(t) * std::exp(-step * static_cast<double>(i));
      (*values)[t * width + i] = static_cast<float>(std::sin(angle));
      (*values)[t * width + half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return {DType::F32, {length, width}, std::as_bytes(std::span(*values)), values};
}

// Parts one below the other. A placeholder stands for zeros.
Tensor joined(const std::vector<Tensor>& parts, DType dtype) {
  std::vector<int64_t> shape = parts.front().shape;
  shape[0] = 0;
  std::vector<std::byte> bytes;
  for (const Tensor& part : parts) {
    shape[0] += part.shape[0];
    if (part.is_placeholder()) {
      bytes.resize(bytes.size() + byte_count(dtype, part.shape).value());
    } else {
      const Tensor rows = converted(part, dtype);
      bytes.insert(bytes.end(), rows.bytes.begin(), rows.bytes.end());
    }
  }
  return owned(dtype, std::move(shape), std::move(bytes));
}

class Plan {
 public:
  Plan(WeightMap& weights, const base::Json& config, DType dtype)
      : weights_(weights), config_(config), dtype_(dtype) {
    for (NamedShape& named : whisper_tensors(config)) {
      shapes_.insert(std::move(named.name), {DType::F32, std::move(named.shape), {}, nullptr});
    }
  }

  std::vector<PlannedTensor> run() {
    for (const std::string side : {"encoder", "decoder"}) {
      const char* const layers = side == "encoder" ? "n_audio_layer" : "n_text_layer";
      for (int64_t layer = 0; layer < value(layers); ++layer) add_block(side, layer);
      add_flag(side + "/num_heads", DType::I16,
               value(side == "encoder" ? "n_audio_head" : "n_text_head"));
    }
    for (const Ct2Scope& scope : kCt2Outside) add_scope(scope, "", "");
    add("decoder/position_encodings/encodings", {"decoder.positional_embedding"});
    add_audio_positions();
    for (const Flag& flag : kFlags) add_flag(std::string(flag.name), flag.dtype, flag.value);
    weights_.audit();
    std::ranges::sort(plan_, {}, &PlannedTensor::name);
    return std::move(plan_);
  }

 private:
  int64_t value(const char* field) const { return config_.at(field).get<int64_t>(); }

  void add_block(const std::string& side, int64_t layer) {
    for (const Ct2Scope& scope : kCt2InBlock) {
      if (side == "encoder" && scope.theirs.starts_with("attention/")) continue;
      add_scope(scope, fmt::format("{}/layer_{}/", side, layer),
                fmt::format("{}.blocks.{}.", side, layer));
    }
  }

  void add_scope(const Ct2Scope& scope, const std::string& their_prefix,
                 const std::string& our_prefix) {
    const std::string theirs = fmt::format("{}{}", their_prefix, scope.theirs);
    const bool is_norm = theirs.ends_with("layer_norm");
    for (const std::string_view leaf : {"weight", "bias"}) {
      if (leaf == "bias" && theirs == "decoder/embeddings") continue;
      std::vector<std::string> ours;
      ours.reserve(scope.parts());
      for (size_t part = 0; part < scope.parts(); ++part) {
        ours.push_back(fmt::format("{}{}.{}", our_prefix, scope.ours[part], leaf));
      }
      const std::string_view their_leaf = !is_norm ? leaf : leaf == "weight" ? "gamma" : "beta";
      add(fmt::format("{}/{}", theirs, their_leaf), ours);
    }
  }

  // One of theirs from one or several of ours; the keys, which have no bias, get zeros.
  void add(std::string theirs, const std::vector<std::string>& ours) {
    std::vector<Tensor> parts;
    for (const std::string& name : ours) {
      const Tensor* shape = shapes_.find(name);
      parts.push_back(shape != nullptr ? weights_.take(name, shape->shape)
                                       : Tensor{DType::F32, {value("n_text_state")}, {}, nullptr});
    }
    std::vector<int64_t> shape = parts.front().shape;
    shape[0] *= static_cast<int64_t>(parts.size());
    const bool moves = shape.size() == 3;
    if (moves) std::swap(shape[1], shape[2]);
    plan_.push_back({std::move(theirs), dtype_, std::move(shape),
                     [parts = std::move(parts), dtype = dtype_, moves] {
                       const Tensor tensor = joined(parts, dtype);
                       return moves ? swap_last_axes(tensor) : tensor;
                     }});
  }

  void add_audio_positions() {
    const int64_t length = value("n_audio_ctx");
    const int64_t width = value("n_audio_state");
    plan_.push_back(
        {"encoder/position_encodings/encodings", dtype_, {length, width}, [=, dtype = dtype_] {
           return converted(audio_positions(length, width), dtype);
         }});
  }

  void add_flag(std::string name, DType dtype, int64_t value) {
    plan_.push_back(plan_flag(std::move(name), dtype, static_cast<int16_t>(value)));
  }

  WeightMap& weights_;
  const base::Json& config_;
  DType dtype_;
  WeightMap shapes_{"shapes"};
  std::vector<PlannedTensor> plan_;
};

}  // namespace

std::vector<PlannedTensor> plan_whisper_ct2(WeightMap& weights, const base::Json& config,
                                            DType dtype) {
  return Plan(weights, config, dtype).run();
}

NamedAliases whisper_ct2_aliases() {
  return {{"decoder/projection/weight", "decoder/embeddings/weight"}};
}

}  // namespace whinchat::weights
