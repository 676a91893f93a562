// The instruction sets that kernels are written for, and the one that this process uses.
// Process-wide, because Highway's own choice is. Any thread, but limit_isa only while no kernel
// runs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace whinchat::kernels {

// Each has all before it. VNNI's and BF16's dot products are AVX-512's.
enum class Isa { Portable, Sse4, Avx2, Avx512, Avx512Vnni, Avx512Bf16, Amx };

// The best of them that the processor and the system allow.
Isa detected_isa();

// The one in use: the detected one, or a lesser one that limit_isa asked for.
Isa isa_in_use();

// Uses at most `most` from now on, in our kernels and Highway's.
void limit_isa(Isa most);

// Asks Linux, once a process, for the right to use AMX's tiles. False where it is not to be had.
bool request_amx_tiles();

// Whether products in bf16 beat those in f32 here: with AMX, and with AVX-512 BF16 on AMD's
// processors. Intel's do half as many of them a cycle as of f32.
bool has_fast_bf16();

// "portable", "sse4", "avx2", "avx512", "avx512_vnni", "avx512_bf16", "amx"
std::string_view name_of(Isa isa);
std::optional<Isa> isa_named(std::string_view name);
std::vector<Isa> usable_isas();  // from Portable to the detected one

}  // namespace whinchat::kernels
