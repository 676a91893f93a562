#include "kernels/attention.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "kernels/attention_bf16.h"
#include "kernels/attention_kernels.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/team.h"

namespace whinchat::kernels {
namespace {

constexpr int kFewQueries = 11;    // up to here rows win over tiles
constexpr int kMostInBlock = 256;  // queries of a task: what a copied block of keys serves
constexpr int kLeastInBlock = 32;  // the widest panel
constexpr int kKeysOfPart = 32;
constexpr int64_t kSerialWork = 1 << 16;  // T · S · C under which a parallel region costs more

void check(const Attention& call) {
  if (call.head_size < 8 || call.head_size > 128 || call.head_size % 8 != 0) {
    base::fail(ErrorKind::Internal, "[kernels.attend] expected a head size of 8, 16, … 128, got {}",
               call.head_size);
  }
  if (call.queries < 0 || call.keys < 1 || call.heads < 1) {
    base::fail(ErrorKind::Internal,
               "[kernels.attend] expected queries, keys and heads, got {}, {} and {}", call.queries,
               call.keys, call.heads);
  }
  if (call.k.type != call.v.type) {
    base::fail(ErrorKind::Internal, "[kernels.attend] expected keys and values of one type");
  }
  if (call.out.type != call.q.type) {
    base::fail(ErrorKind::Internal, "[kernels.attend] expected results of the queries' type");
  }
}

PartialAttention take_part(const Attention& call, Arena& arena) {
  const size_t rows = static_cast<size_t>(call.queries) * static_cast<size_t>(call.heads);
  return {arena.take<float>(rows), arena.take<float>(rows),
          arena.take<float>(rows * static_cast<size_t>(call.head_size))};
}

void attend_few(const Attention& call, Team& team) {
  const Arena::Scope scope(team.arena());
  const int64_t width = int64_t{call.heads} * call.head_size;
  float* q = team.arena().take<float>(static_cast<size_t>(call.queries * width));
  scale_queries(call, q);
  const int blocks = (call.keys + kKeysOfPart - 1) / kKeysOfPart;
  const bool serial = call.queries * int64_t{call.keys} * width < kSerialWork;
  const int count = serial ? 1 : std::min(blocks, team.size());
  std::vector<PartialAttention> parts(static_cast<size_t>(count));
  for (PartialAttention& part : parts) part = take_part(call, team.arena());
  team.each(count, [&](int64_t part, int thread) {
    const auto begin = static_cast<int>(blocks * part / count * kKeysOfPart);
    const auto end =
        std::min(call.keys, static_cast<int>(blocks * (part + 1) / count * kKeysOfPart));
    attend_keys(call, q, begin, end, parts[static_cast<size_t>(part)], team.arena(thread));
  });
  combine_parts(call, parts.data(), count, team.arena());
}

bool all_bf16(const Attention& call) {
  return call.q.type == Element::BF16 && call.k.type == Element::BF16;
}

#if defined(__x86_64__)
// Products of bf16 that beat those of f32 on this processor, or none.
const HalfProducts* fastest_products() {
  if (!has_fast_bf16()) return nullptr;
  return isa_in_use() == Isa::Amx ? &kAmxProducts : &kAvx512Products;
}
#endif

void attend_many(const Attention& call, Team& team) {
  const auto blocks_of = [&](int queries) { return (call.queries + queries - 1) / queries; };
  int size = kMostInBlock;
  while (size > kLeastInBlock && blocks_of(size) * call.heads < 2 * team.size()) size /= 2;
  const int blocks = blocks_of(size);
  team.each(int64_t{call.heads} * blocks, [&](int64_t index, int thread) {
    const int first = static_cast<int>(index % blocks) * size;
    const QueryBlock block{static_cast<int>(index / blocks), first,
                           std::min(size, call.queries - first)};
    attend_tiles(call, block, team.arena(thread));
  });
}

}  // namespace

void attend(const Attention& call, Team& team) {
  check(call);
  if (call.queries == 0) return;
  if (call.queries <= kFewQueries) {
    attend_few(call, team);
    return;
  }
#if defined(__x86_64__)
  const HalfProducts* products = all_bf16(call) ? fastest_products() : nullptr;
  if (products != nullptr) {
    attend_halves(call, *products, team);
    return;
  }
#endif
  attend_many(call, team);
}

}  // namespace whinchat::kernels
