#include "weights/formats/mlx_quantised.h"

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/ops.h>
#include <mlx/types/half_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "ops/engine_thread.h"
#include "ops/parameter.h"
#include "weights/array.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace mx = mlx::core;

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kScales = ".scales";
constexpr std::string_view kBiases = ".biases";

std::string beside(std::string_view weight, std::string_view leaf) {
  return fmt::format("{}{}", weight.substr(0, weight.size() - kWeight.size()), leaf);
}

// One row's codes, from the lowest bit of the first byte up.
class Codes {
 public:
  Codes(const std::byte* source, int bits) : source_(source), bits_(bits) {}

  uint32_t next() {
    while (held_ < bits_) {
      buffer_ |= std::to_integer<uint32_t>(*source_++) << held_;
      held_ += 8;
    }
    const uint32_t code = buffer_ & ((1U << bits_) - 1);
    buffer_ >>= bits_;
    held_ -= bits_;
    return code;
  }

 private:
  const std::byte* source_;
  int bits_;
  int held_ = 0;
  uint32_t buffer_ = 0;
};

// `Real`: the type that products and sums are rounded to.
template <typename Real>
void decode_group(Codes& codes, const std::byte* scale, const std::byte* bias,
                  std::span<float> elements) {
  const auto factor = static_cast<float>(base::load_unaligned<Real>(scale));
  const auto shift = static_cast<float>(base::load_unaligned<Real>(bias));
  for (float& element : elements) {
    const Real product(static_cast<float>(codes.next()) * factor);
    element = static_cast<float>(Real(static_cast<float>(product) + shift));
  }
}

using DecodeGroup = void (*)(Codes&, const std::byte*, const std::byte*, std::span<float>);

DecodeGroup decoder_of(DType type) {
  if (type == DType::F32) return decode_group<float>;
  return type == DType::F16 ? decode_group<mx::float16_t> : decode_group<mx::bfloat16_t>;
}

struct Quantised {
  Tensor codes, scales, biases;
  MlxQuantisation quantisation;

  int64_t groups() const { return scales.shape[1]; }  // of a row
  int64_t width() const { return groups() * quantisation.group_size; }

  void decode_row(int64_t row, std::span<float> elements) const {
    const int64_t row_bytes = codes.shape[1] * static_cast<int64_t>(item_size(DType::U32));
    const auto item_bytes = static_cast<int64_t>(item_size(scales.dtype));
    const DecodeGroup decode = decoder_of(scales.dtype);
    Codes stream(codes.bytes.data() + row * row_bytes, static_cast<int>(quantisation.bits));
    for (int64_t group = 0; group < groups(); ++group) {
      const int64_t at = (row * groups() + group) * item_bytes;
      decode(stream, scales.bytes.data() + at, biases.bytes.data() + at,
             elements.subspan(group * quantisation.group_size, quantisation.group_size));
    }
  }
};

void check_shapes(const Quantised& parts, const std::string& source, const std::string& name) {
  const auto fits = [&] {
    const Tensor& scales = parts.scales;
    if (parts.codes.dtype != DType::U32 || parts.codes.shape.size() != 2) return false;
    if (!is_weight_type(scales.dtype) || scales.shape.size() != 2) return false;
    constexpr int64_t kBitsPerCode = 32;
    return scales.dtype == parts.biases.dtype && scales.shape == parts.biases.shape &&
           scales.shape[0] == parts.codes.shape[0] && scales.shape[1] <= INT32_MAX &&
           parts.codes.shape[1] <= INT32_MAX &&
           parts.width() * parts.quantisation.bits == parts.codes.shape[1] * kBitsPerCode;
  };
  if (fits()) return;
  base::fail(ErrorKind::Corrupt,
             "{}: expected {} as codes of {} bits in u32 with scales and biases of each group of "
             "{}, got {} {}, {} {} and {} {}",
             source, name, parts.quantisation.bits, parts.quantisation.group_size,
             name_of(parts.codes.dtype), shape_text(parts.codes.shape), name_of(parts.scales.dtype),
             shape_text(parts.scales.shape), name_of(parts.biases.dtype),
             shape_text(parts.biases.shape));
}

Tensor compute_rows(Quantised parts) {
  std::vector<int64_t> shape = {parts.codes.shape[0], parts.width()};
  return computed_tensor(std::move(shape), [parts = std::move(parts)](int64_t begin, int64_t end,
                                                                      std::span<float> elements) {
    const int64_t width = parts.width();
    if (width == 0) return;  // then there may be any number of rows
    for (int64_t row = begin; row < end; ++row) {
      parts.decode_row(row, elements.subspan((row - begin) * width, width));
    }
  });
}

Tensor read_quantised(const WeightMap& tensors, const std::string& name,
                      const MlxQuantisation& quantisation) {
  const Tensor* biases = tensors.find(beside(name, kBiases));
  if (biases == nullptr) {
    base::fail(ErrorKind::Corrupt, "{}: {} has {}, but no {}", tensors.source(), name,
               kScales.substr(1), kBiases.substr(1));
  }
  Quantised parts{*tensors.find(name), *tensors.find(beside(name, kScales)), *biases, quantisation};
  check_shapes(parts, tensors.source(), name);
  return compute_rows(std::move(parts));
}

// Whether it belongs to a quantised weight.
bool is_part(const WeightMap& tensors, std::string_view name) {
  for (const std::string_view leaf : {kScales, kBiases}) {
    if (!name.ends_with(leaf)) continue;
    const std::string scope(name.substr(0, name.size() - leaf.size()));
    return tensors.find(scope + std::string(kWeight)) != nullptr &&
           tensors.find(scope + std::string(kScales)) != nullptr;
  }
  return false;
}

}  // namespace

std::optional<MlxQuantisation> read_mlx_quantisation(const base::Json& config,
                                                     const std::string& source) {
  if (!config.is_object() || !config.contains("quantization")) return std::nullopt;
  const base::Json& field = config["quantization"];
  if (field.is_null()) return std::nullopt;
  const std::string what = source + ": quantization";
  if (!field.is_object()) base::fail(ErrorKind::Corrupt, "{}: expected an object", what);
  const auto mode = field.find("mode");
  if (mode != field.end() && mode->dump() != R"("affine")") {
    base::fail(ErrorKind::Unsupported, "{}: expected the mode affine, got {}", what, mode->dump());
  }
  const MlxQuantisation quantisation{base::require_integer(field, "group_size", what, 32, 128),
                                     base::require_integer(field, "bits", what, 2, 8)};
  const bool is_group = std::ranges::count(std::vector{32, 64, 128}, quantisation.group_size) > 0;
  if (!is_group || quantisation.bits == 7) {
    base::fail(ErrorKind::Corrupt,
               "{}: expected groups of 32, 64 or 128 with 2, 3, 4, 5, 6 or 8 bits, got {} with {}",
               what, quantisation.group_size, quantisation.bits);
  }
  return quantisation;
}

MlxQuantised quantise(const Tensor& tensor, const MlxQuantisation& quantisation) {
  const ops::OnDevice on_cpu(mx::Device::cpu);
  const ops::Parameter parameter = to_parameter(tensor);
  const std::vector<mx::array> parts =
      mx::quantize(ops::to_array(parameter, parameter.dtype),
                   static_cast<int>(quantisation.group_size), static_cast<int>(quantisation.bits));
  return {to_tensor(parts[0]), to_tensor(parts[1]), to_tensor(parts[2])};
}

WeightMap with_computed_rows(const WeightMap& tensors, const MlxQuantisation& quantisation) {
  WeightMap result(tensors.source());
  for (const std::string& name : tensors.names()) {
    if (is_part(tensors, name)) continue;
    const bool is_quantised =
        name.ends_with(kWeight) && tensors.find(beside(name, kScales)) != nullptr;
    result.insert(name,
                  is_quantised ? read_quantised(tensors, name, quantisation) : *tensors.find(name));
  }
  return result;
}

}  // namespace whinchat::weights
