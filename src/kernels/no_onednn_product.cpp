// What a build without oneDNN has: no bf16 products.
#include <cstddef>
#include <span>

#include "base/error.h"
#include "kernels/onednn_product.h"
#include "kernels/product.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct OneDnnWeights::State {};

bool has_bf16_products() { return false; }

OneDnnWeights::OneDnnWeights(std::span<const WeightView> /*parts*/, Team& /*team*/) {
  base::fail(ErrorKind::Unsupported,
             "bf16 products need oneDNN, and this program was built without it");
}
OneDnnWeights::~OneDnnWeights() = default;
OneDnnWeights::OneDnnWeights(OneDnnWeights&&) noexcept = default;

int OneDnnWeights::in() const { return 0; }
int OneDnnWeights::out() const { return 0; }
size_t OneDnnWeights::bytes() const { return 0; }
void OneDnnWeights::multiply(const Product& /*product*/, Team& /*team*/) const {}

}  // namespace whinchat::kernels
