// The constants of the log-mel kernel. The 400-point DFT is two products, of 16 and of 25 points
// (Good and Thomas): with n = 25 a + 16 b mod 400, exp(−2πi k n / 400) is
// exp(−2πi k a / 16) · exp(−2πi k b / 25), so that nothing stands between the two.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace whinchat::kernels {

struct MelTables {
  static constexpr int kSamples = 400;  // of a frame
  static constexpr int kHop = 160;
  static constexpr int kBins = 201;
  static constexpr int kFew = 16;
  static constexpr int kMore = 25;

  // A real sequence's DFT as a matrix: rows cos(2π k n / N) for k = 0 … N/2, then sin for k from 1
  // on; columns n.
  std::array<std::array<double, kFew>, kFew> dft16;
  std::array<std::array<double, kMore>, kMore> dft25;
  // [b][a]: the sample at 25 a + 16 b mod 400, and the window there.
  std::array<int, kSamples> sample;
  std::array<double, kSamples> window;

  // A bin's power (real[0] − sign · real[1])² + (imaginary[0] + sign · imaginary[1])² from rows of
  // [16 rows of dft16][25 rows of dft25]; row 400 is zero.
  struct Bin {
    std::array<int, 2> real, imaginary;
    double sign;
  };
  std::array<Bin, kBins> bins;

  // The weights of a mel band over its bins [begin, end), from `weights` on.
  struct Band {
    int begin, end, weights;
  };
  std::vector<Band> bands;
  std::vector<double> weights;
};

// filters [n_mels, 201] row-major; window [400].
MelTables make_mel_tables(std::span<const float> filters, std::span<const float> window);

}  // namespace whinchat::kernels
