#include "weights/formats/ctranslate2_quantised.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kScale = "_scale";
constexpr float kInt16Scale = 1000.0F;  // of models from before it was stored

bool is_quantised(const Tensor& variable) {
  return !variable.shape.empty() && (variable.dtype == DType::I8 || variable.dtype == DType::I16);
}

std::vector<float> scales_of(const WeightMap& variables, const std::string& name,
                             const Tensor& variable) {
  const Tensor* scale = variables.find(name + std::string(kScale));
  const bool is_int16 = variable.dtype == DType::I16;
  if (scale == nullptr && is_int16) return {kInt16Scale};
  if (scale == nullptr) {
    base::fail(ErrorKind::Corrupt, "{}: {} is quantised, but {}{} is missing", variables.source(),
               name, name, kScale);
  }
  const auto count = is_int16 ? 1 : static_cast<uint64_t>(variable.shape[0]);
  if (scale->dtype != DType::F32 || scale->bytes.size() != count * sizeof(float)) {
    base::fail(
        ErrorKind::Corrupt, "{}: expected {} numbers of type f32 in {}{}, got shape {} of {}",
        variables.source(), count, name, kScale, shape_text(scale->shape), name_of(scale->dtype));
  }
  std::vector<float> scales(count);
  for (size_t i = 0; i < scales.size(); ++i) {
    scales[i] = base::load_unaligned<float>(scale->bytes.data() + i * sizeof(float));
  }
  return scales;
}

template <typename Quantised>
void scale_row(const std::byte* quantised, float scale, std::span<float> row) {
  const float factor = 1.0F / scale;
  for (size_t i = 0; i < row.size(); ++i) {
    const auto value = base::load_unaligned<Quantised>(quantised + i * sizeof(Quantised));
    row[i] = static_cast<float>(value) * factor;
  }
}

Tensor compute_rows(const Tensor& variable, std::vector<float> scales) {
  const auto rows = static_cast<size_t>(variable.shape[0]);
  const size_t row_bytes = rows == 0 ? 0 : variable.bytes.size() / rows;
  const size_t width = row_bytes / item_size(variable.dtype);
  const auto scale = variable.dtype == DType::I8 ? scale_row<int8_t> : scale_row<int16_t>;
  return computed_tensor(variable.shape, [=, scales = std::move(scales)](
                                             int64_t begin, int64_t end,
                                             std::span<float> elements) {
    if (width == 0) return;  // then there may be any number of rows
    for (int64_t row = begin; row < end; ++row) {
      scale(variable.bytes.data() + row * row_bytes, scales.size() == 1 ? scales[0] : scales[row],
            elements.subspan((row - begin) * width, width));
    }
  });
}

// Whether it is the scale of a quantised variable.
bool is_scale(const WeightMap& variables, std::string_view name) {
  if (!name.ends_with(kScale)) return false;
  const Tensor* scaled = variables.find(name.substr(0, name.size() - kScale.size()));
  return scaled != nullptr && is_quantised(*scaled);
}

}  // namespace

WeightMap with_computed_rows(const WeightMap& variables) {
  WeightMap result(variables.source());
  for (const std::string& name : variables.names()) {
    if (is_scale(variables, name)) continue;
    const Tensor& variable = *variables.find(name);
    result.insert(name, is_quantised(variable)
                            ? compute_rows(variable, scales_of(variables, name, variable))
                            : variable);
  }
  return result;
}

}  // namespace whinchat::weights
