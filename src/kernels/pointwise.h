// What is done to each value of a product. One thread's work: any thread.
#pragma once

#include <cstdint>
#include <span>

namespace whinchat::kernels {

// In place: max(value, 0); 0 for NaN.
void relu(std::span<float> values);

// out[i] = √(real[i]² + imaginary[i]²). out may be either of them.
void magnitudes(const float* real, const float* imaginary, int64_t count, float* out);

}  // namespace whinchat::kernels
