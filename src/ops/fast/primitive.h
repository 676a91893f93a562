// The base of our own graph nodes: subclasses say what they allocate and compute; evaluation goes
// through MLX's command encoder, in order with MLX's own nodes.
#pragma once

#include <mlx/array.h>
#include <mlx/primitives.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/element.h"
#include "kernels/team.h"
#include "ops/fast/cpu.h"
#include "ops/profile.h"

namespace whinchat::ops::fast {

namespace mx = mlx::core;

// An array as kernels see it: rows of its last axis, evenly spaced.
struct Operand {
  void* data;
  mx::Shape shape;
  int64_t stride;  // elements between rows
  mx::Dtype dtype;

  int width() const { return shape.back(); }
  int64_t rows() const;  // all but the last axis
  kernels::Rows as_rows() const;
  // The same from row `begin` on.
  kernels::Rows as_rows(int64_t begin) const;
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

class Primitive : public mx::Primitive, public std::enable_shared_from_this<Primitive> {
 public:
  explicit Primitive(std::shared_ptr<Cpu> cpu)
      : mx::Primitive(cpu->stream()), cpu_(std::move(cpu)) {}

  // Inputs of uneven rows are copied first. What run() throws comes out of eval.
  void eval_cpu(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) final;
  void eval_gpu(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) final;

 protected:
  // Gives every output its memory: a buffer, unless a subclass lets an input's be used again.
  // The thread that evaluates.
  virtual void allocate(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs);

  // Computes the outputs. The stream's thread.
  virtual void run(std::span<const Operand> inputs, std::span<const Operand> outputs,
                   kernels::Team& team) const = 0;

  // What run() has to do at least: counted while the profile records.
  virtual Work work(std::span<const Operand> /*inputs*/,
                    std::span<const Operand> /*outputs*/) const {
    return {};
  }

  // out gets the input's memory if nobody else will read it, else memory of its own: false.
  bool allocate_over(const mx::array& input, mx::array& out) const;

  Cpu& cpu() const { return *cpu_; }

 private:
  std::shared_ptr<Cpu> cpu_;
};

// Memory that another node may write over once nobody reads it: MLX lets no buffer of ours go on.
void allocate_donatable(mx::array& out);

kernels::Element element_of(mx::Dtype dtype);

// A node's single output.
template <typename Node, typename... Args>
mx::array make(mx::Shape shape, mx::Dtype dtype, std::vector<mx::array> inputs, Args&&... args) {
  return mx::array(std::move(shape), dtype, std::make_shared<Node>(std::forward<Args>(args)...),
                   std::move(inputs));
}

}  // namespace whinchat::ops::fast
