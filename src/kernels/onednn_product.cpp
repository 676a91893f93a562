#include "kernels/onednn_product.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <unordered_map>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"

// Of OpenMP: how many threads oneDNN takes when the calling thread starts it.
extern "C" void omp_set_num_threads(int threads);

namespace whinchat::kernels {
namespace {

using dnnl::memory;

// oneDNN chooses the weights' layout for a number of rows: a window's.
constexpr int64_t kWindowRows = 1500;

// What a primitive is made for.
struct Shape {
  int64_t rows, x_stride, y_stride;
  Element y_type;
  bool bias, gelu, residual;

  auto operator<=>(const Shape&) const = default;
};

memory::data_type type_of(Element type) {
  return type == Element::BF16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc rows_of(int64_t rows, int64_t width, int64_t stride, Element type) {
  return {{rows, width}, type_of(type), memory::dims{stride, 1}};
}

dnnl::primitive_attr attributes_of(const Shape& shape) {
  dnnl::post_ops after;
  if (shape.gelu) after.append_eltwise(dnnl::algorithm::eltwise_gelu_erf, 0.0F, 0.0F);
  if (shape.residual) after.append_sum();
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  // In the default mode one primitive's calls would share one buffer.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// Norms of x's rows in bf16, in the team's scratch.
Rows norm_rows(const Product& product, int64_t width, Team& team) {
  auto* normed = team.arena().take<uint16_t>(static_cast<size_t>(product.rows * width));
  team.split(product.rows, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
    const auto* x = static_cast<const float*>(product.x.data) + begin * product.x.stride;
    layer_norm(*product.norm, end - begin, {x, product.x.stride},
               {normed + begin * width, width, Element::BF16});
  });
  return {normed, width, Element::BF16};
}

}  // namespace

struct OneDnnWeights::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  int64_t in = 0, out = 0;
  memory weights;
  struct Made {
    dnnl::matmul::primitive_desc plan;
    dnnl::matmul primitive;
  };
  std::map<Shape, Made> made;  // used on the team's thread alone

  dnnl::matmul::primitive_desc plan(const Shape& shape, const memory::desc& layout) const;
  void run(const Shape& shape, const Product& product, Team& team);
};

bool has_bf16_products() { return isa_in_use() >= Isa::Avx512Bf16; }

dnnl::matmul::primitive_desc OneDnnWeights::State::plan(const Shape& shape,
                                                        const memory::desc& layout) const {
  const memory::desc x = rows_of(shape.rows, in, shape.x_stride, Element::BF16);
  const memory::desc y = rows_of(shape.rows, out, shape.y_stride, shape.y_type);
  if (!shape.bias) return {engine, x, layout, y, attributes_of(shape)};
  const memory::desc bias({1, out}, memory::data_type::f32, memory::format_tag::ab);
  return {engine, x, layout, bias, y, attributes_of(shape)};
}

OneDnnWeights::OneDnnWeights(std::span<const WeightView> parts, Team& team)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  omp_set_num_threads(team.size());
  state.in = parts[0].in;
  for (const WeightView& part : parts) state.out += part.out;

  const Arena::Scope scope(team.arena());
  auto* rounded = team.arena().take<uint16_t>(static_cast<size_t>(state.in * state.out));
  int64_t first = 0;
  for (const WeightView& part : parts) {
    uint16_t* rows = rounded + first * state.in;
    team.split(part.out, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
      const size_t item = size_of(part.type);
      const auto* from =
          static_cast<const std::byte*>(part.data) + static_cast<size_t>(begin * part.in) * item;
      to_bf16(from, part.type, rows + begin * part.in, (end - begin) * part.in);
    });
    first += part.out;
  }

  const memory::desc any({state.in, state.out}, memory::data_type::bf16, memory::format_tag::any);
  const auto plan =
      state.plan({.rows = kWindowRows, .x_stride = state.in, .y_stride = state.out}, any);
  memory plain({{state.in, state.out}, memory::data_type::bf16, memory::format_tag::ba},
               state.engine, rounded);
  state.weights = memory(plan.weights_desc(), state.engine);
  dnnl::reorder(plain, state.weights).execute(state.stream, plain, state.weights);
  state.stream.wait();
}

OneDnnWeights::~OneDnnWeights() = default;
OneDnnWeights::OneDnnWeights(OneDnnWeights&&) noexcept = default;

int OneDnnWeights::in() const { return static_cast<int>(state_->in); }
int OneDnnWeights::out() const { return static_cast<int>(state_->out); }
size_t OneDnnWeights::bytes() const { return state_->weights.get_desc().get_size(); }

void OneDnnWeights::State::run(const Shape& shape, const Product& product, Team& team) {
  auto found = made.find(shape);
  if (found == made.end()) {
    const dnnl::matmul::primitive_desc fresh = plan(shape, weights.get_desc());
    found = made.emplace(shape, Made{fresh, dnnl::matmul(fresh)}).first;
  }
  const dnnl::matmul::primitive_desc& chosen = found->second.plan;
  const Arena::Scope scope(team.arena());
  const memory::desc scratch = chosen.scratchpad_desc();
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, {chosen.src_desc(), engine, const_cast<void*>(product.x.data)}},
      {DNNL_ARG_WEIGHTS, weights},
      {DNNL_ARG_DST, {chosen.dst_desc(), engine, product.y.data}},
      {DNNL_ARG_SCRATCHPAD, {scratch, engine, team.arena().take<std::byte>(scratch.get_size())}}};
  if (product.bias != nullptr) {
    arguments.emplace(DNNL_ARG_BIAS,
                      memory(chosen.bias_desc(), engine, const_cast<float*>(product.bias)));
  }
  found->second.primitive.execute(stream, arguments);
  stream.wait();
}

void OneDnnWeights::multiply(const Product& product, Team& team) const {
  omp_set_num_threads(team.size());
  const Arena::Scope scope(team.arena());
  Product bf16 = product;
  if (product.norm != nullptr) {
    bf16.x = norm_rows(product, state_->in, team);
  } else if (product.x.type == Element::F32) {
    bf16.x = round_rows(product.rows, state_->in, product.x, team);
  }
  if (product.residual != nullptr && product.residual != product.y.data) {
    auto* y = static_cast<float*>(product.y.data);
    team.split(product.rows, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t row = begin; row < end; ++row) {
        std::memcpy(y + row * product.y.stride, product.residual + row * product.y.stride,
                    static_cast<size_t>(state_->out) * sizeof(float));
      }
    });
  }
  state_->run({.rows = product.rows,
               .x_stride = bf16.x.stride,
               .y_stride = product.y.stride,
               .y_type = product.y.type,
               .bias = product.bias != nullptr,
               .gelu = product.gelu,
               .residual = product.residual != nullptr},
              bf16, team);
}

}  // namespace whinchat::kernels
