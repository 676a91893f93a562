#include "weights/names/whisper_mlx_plan.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "weights/array.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/planned_tensor.h"
#include "weights/names/whisper_tensors.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kWeight = ".weight";
constexpr int64_t kBitsPerCode = 32;

// Three tensors from one quantisation: the codes' turn comes first and keeps the other two.
void plan_quantised(std::vector<PlannedTensor>& plan, const NamedShape& named,
                    const std::function<Tensor()>& make, DType dtype,
                    const MlxQuantisation& quantisation) {
  const int64_t rows = named.shape[0];
  const int64_t columns = named.shape[1];
  if (columns % quantisation.group_size != 0) {
    base::fail(ErrorKind::Unsupported,
               "expected rows of whole groups of {} to quantise, got {} of {}",
               quantisation.group_size, named.name, shape_text(named.shape));
  }
  const std::string scope = named.name.substr(0, named.name.size() - kWeight.size());
  const std::vector<int64_t> groups = {rows, columns / quantisation.group_size};
  const auto parts = std::make_shared<MlxQuantised>();
  plan.push_back({named.name, DType::U32, {rows, columns * quantisation.bits / kBitsPerCode}, [=] {
                    *parts = quantise(make(), quantisation);
                    return std::exchange(parts->codes, {});
                  }});
  plan.push_back(
      {scope + ".scales", dtype, groups, [parts] { return std::exchange(parts->scales, {}); }});
  plan.push_back(
      {scope + ".biases", dtype, groups, [parts] { return std::exchange(parts->biases, {}); }});
}

PlannedTensor plan_heads(const base::Json& pairs) {
  const auto numbers = std::make_shared<std::vector<int32_t>>();
  for (const base::Json& pair : pairs) {
    for (const base::Json& number : pair) numbers->push_back(number.get<int32_t>());
  }
  const std::vector<int64_t> shape = {static_cast<int64_t>(pairs.size()), 2};
  return {"alignment_heads", DType::I32, shape, [numbers, shape] {
            return Tensor{DType::I32, shape, std::as_bytes(std::span(*numbers)), numbers};
          }};
}

}  // namespace

std::vector<PlannedTensor> plan_whisper_mlx(WeightMap& weights, const base::Json& config,
                                            DType dtype,
                                            const std::optional<MlxQuantisation>& quantisation) {
  std::vector<PlannedTensor> plan;
  for (const NamedShape& named : whisper_tensors(config)) {
    const Tensor tensor = weights.take(named.name, named.shape);
    const auto make = [tensor, dtype] { return converted(tensor, dtype); };
    const bool is_linear = named.shape.size() == 2 && named.name.ends_with(kWeight);
    if (quantisation && is_linear) {
      plan_quantised(plan, named, make, dtype, *quantisation);
    } else {
      plan.push_back({named.name, dtype, named.shape, make});
    }
  }
  weights.audit();
  if (config.contains("alignment_heads")) plan.push_back(plan_heads(config["alignment_heads"]));
  return plan;
}

base::Json whisper_mlx_config(const base::Json& config,
                              const std::optional<MlxQuantisation>& quantisation) {
  base::Json file = config;
  file.erase("alignment_heads");  // a tensor there
  file["model_type"] = "whisper";
  if (quantisation) {
    file["quantization"] = {{"group_size", quantisation->group_size}, {"bits", quantisation->bits}};
  }
  return file;
}

}  // namespace whinchat::weights
