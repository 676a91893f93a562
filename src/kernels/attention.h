// Scaled dot-product attention, softmax(q · kᵀ / √D) · v, over heads that lie side by side in rows:
// T queries, S keys, H heads, D head size. Softmax and sums are f32; nothing of size T × S is
// stored unless asked for. A kernel per instruction set; the team's thread calls it.
#pragma once

#include <cstdint>

#include "kernels/element.h"
#include "kernels/team.h"

namespace whinchat::kernels {

struct Attention {
  int queries, keys, heads, head_size;  // T, S, H, D; D is a multiple of 8, at most 128
  ConstRows q;                          // [T, H · D]
  ConstRows k, v;                       // [S, H · D], one type, q's own or f16 or bf16 beside f32
  Rows out;                             // [T, H · D], q's type
  int first_position = -1;              // ≥ 0: query t sees keys [0, first_position + t] only
  float* scores = nullptr;              // [H, T, S]: scaled scores before softmax, if wanted
};

void attend(const Attention& call, Team& team);

// The same, plainly, in double precision on one thread.
void attend_reference(const Attention& call);

}  // namespace whinchat::kernels
