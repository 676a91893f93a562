#include "kernels/isa.h"

#include <hwy/detect_targets.h>
#include <hwy/targets.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whinchat::kernels {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"portable",    "sse4",        "avx2", "avx512",
                                                    "avx512_vnni", "avx512_bf16", "amx"};
constexpr int64_t kAvx512Targets = HWY_AVX3 | HWY_AVX3_DL;
constexpr int64_t kAvx2Targets = kAvx512Targets | HWY_AVX2;
constexpr int64_t kSse4Targets = kAvx2Targets | HWY_SSE4 | HWY_SSSE3;

Isa detect() {
  const int64_t targets = hwy::SupportedTargets();
#if defined(__x86_64__)
  if ((targets & HWY_AVX3) != 0) {
    if (!__builtin_cpu_supports("avx512vnni")) return Isa::Avx512;
    if (!__builtin_cpu_supports("avx512bf16")) return Isa::Avx512Vnni;
    return request_amx_tiles() ? Isa::Amx : Isa::Avx512Bf16;
  }
#endif
  if ((targets & HWY_AVX2) != 0) return Isa::Avx2;
  return (targets & HWY_SSE4) != 0 ? Isa::Sse4 : Isa::Portable;
}

// Process-wide state, as Highway's own is.
std::atomic<Isa>& isa_limit() {
  static std::atomic<Isa> limit = Isa::Amx;
  return limit;
}

// What Highway must not choose; it never goes below its baseline.
int64_t targets_beyond(Isa most) {
  switch (most) {
    case Isa::Portable:
      return kSse4Targets;
    case Isa::Sse4:
      return kAvx2Targets;
    case Isa::Avx2:
      return kAvx512Targets;
    default:
      return 0;
  }
}

}  // namespace

Isa detected_isa() {
  static const Isa kDetected = detect();
  return kDetected;
}

Isa isa_in_use() { return std::min(detected_isa(), isa_limit().load()); }

void limit_isa(Isa most) {
  detected_isa();  // before Highway's view is narrowed
  isa_limit() = most;
  hwy::DisableTargets(targets_beyond(most));
}

bool request_amx_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  static const bool kGranted = [] {
    constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr int kTileData = 18;
    constexpr unsigned kTilesAndBf16 = 1U << 24U | 1U << 22U;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & kTilesAndBf16) != kTilesAndBf16) return false;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return kGranted;
#else
  return false;
#endif
}

bool has_fast_bf16() {
#if defined(__x86_64__)
  if (isa_in_use() == Isa::Avx512Bf16) return __builtin_cpu_is("amd") != 0;
#endif
  return isa_in_use() == Isa::Amx;
}

std::string_view name_of(Isa isa) { return kNames.at(static_cast<size_t>(isa)); }

std::optional<Isa> isa_named(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Isa>(found - kNames.begin());
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> result;
  for (int isa = 0; isa <= static_cast<int>(detected_isa()); ++isa) {
    result.push_back(static_cast<Isa>(isa));
  }
  return result;
}

}  // namespace whinchat::kernels
