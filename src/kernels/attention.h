// Scaled dot-product attention, softmax(q · kᵀ / √D) · v, over heads that lie side by side in rows:
// T queries, S keys, H heads, D head size. Sums are f32; so are weights of values, except bf16
// where q, k and v are and the processor multiplies bf16. Nothing of size T × S is stored unless
// asked for. A result has the same bits in every run with as many threads. The team's thread calls
// it.
#pragma once

#include <cstdint>

#include "kernels/element.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct Attention {
  int queries, keys, heads, head_size;  // T, S, H, D; D is a multiple of 8, at most 128
  ConstRows q;                          // [T, H · D]
  ConstRows k, v;                       // [S, H · D], of one type, not always q's
  Rows out;                             // [T, H · D], q's type
  int first_position = -1;              // ≥ 0: query t sees keys [0, first_position + t] only
  float* scores = nullptr;              // [H, T, S]: scaled, before softmax; −∞ where unseen
};

void attend(const Attention& call, Team& team);

// The same, plainly, in double precision on one thread.
void attend_reference(const Attention& call);

}  // namespace whinchat::kernels
