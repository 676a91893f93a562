// What a machine can do at best: rates that kernels are judged by.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/product.h"
#include "kernels/team.h"

namespace whinchat::bench {

// Of nine measurements; where the two lie apart the machine was not quiet.
struct Rate {
  double median = 0, best = 0;
};

// The shape of a product: [m, k] times [k, n].
struct Shape {
  int m, k, n;
};

std::vector<float> random_values(size_t count);

// How many of `amount` a second `work` does; a first call does not count.
Rate rate_of(double amount, const std::function<void()>& work);

// Multiplications and additions a second of OpenBLAS's f32 product, and of the kernels' own.
Rate f32_product_rate(const Shape& shape, int threads);
Rate kernel_product_rate(const Shape& shape, kernels::Precision precision, kernels::Team& team);

// Bytes/s at which so many threads together read an array far larger than the last-level cache.
Rate read_rate(int threads);
size_t bytes_to_read();

}  // namespace whinchat::bench
