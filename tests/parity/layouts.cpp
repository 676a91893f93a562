// usage: layouts FOLDER OTHER DTYPE
// Whether two checkpoints are the same to their reader: config and, as DTYPE (f16 or f32), every
// byte of every tensor. OTHER must hold that type. Status: 0, or 1 with a sentence.
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "weights/array.h"
#include "weights/checkpoint.h"
#include "weights/names/whisper_tensors.h"
#include "weights/tensor.h"

namespace whinchat::weights {
namespace {

// What differs; empty when nothing does.
std::string compare(const Checkpoint& a, const Checkpoint& b, DType dtype) {
  if (a.config != b.config) return "the configs differ: " + a.config.dump() + b.config.dump();
  const std::vector<NamedShape> tensors = whisper_tensors(a.config);
  for (const auto& [name, shape] : tensors) {
    const Tensor* one = a.weights.find(name);
    const Tensor* other = b.weights.find(name);
    if (one == nullptr || other == nullptr) return name + " is missing";
    if (other->dtype != dtype || one->shape != shape || other->shape != shape) {
      return name + " has another type or shape";
    }
    if (!std::ranges::equal(converted(*one, dtype).bytes, other->bytes)) return name + " differs";
  }
  std::cout << tensors.size() << " tensors are the same\n";
  return "";
}

}  // namespace
}  // namespace whinchat::weights

int main(int count, char** arguments) {
  using namespace whinchat::weights;
  if (count != 4) return 2;
  try {
    const DType dtype = std::string(arguments[3]) == "f32" ? DType::F32 : DType::F16;
    const std::string difference =
        compare(load_checkpoint(arguments[1]), load_checkpoint(arguments[2]), dtype);
    if (difference.empty()) return 0;
    std::cerr << difference << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  return 1;
}
