#include "pimento/sim/pim/lanes.h"

#include "pimento/base/dtype.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pimento::sim::pim {

namespace {

void addPortable(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; ++i) out[i] = f16Add(a[i], b[i]);
}
void mulPortable(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; ++i) out[i] = f16Mul(a[i], b[i]);
}
void macPortable(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; ++i) out[i] = f16Add(out[i], f16Mul(a[i], b[i]));
}

#if defined(__x86_64__)
#define PIMENTO_F16C __attribute__((target("avx2,f16c")))

PIMENTO_F16C inline __m256 load(const Half *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

/// Rounds to binary16; NaNs become the canonical one.
PIMENTO_F16C inline __m128i round(__m256 x) {
  const __m256 isNan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
  return _mm256_cvtps_ph(_mm256_blendv_ps(x, quiet, isNan), _MM_FROUND_TO_NEAREST_INT);
}

PIMENTO_F16C void addF16c(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), round(_mm256_add_ps(load(a + i), load(b + i))));
}
PIMENTO_F16C void mulF16c(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), round(_mm256_mul_ps(load(a + i), load(b + i))));
}
PIMENTO_F16C void macF16c(Half *out, const Half *a, const Half *b) {
  for (int i = 0; i < kLanes; i += 8) {
    const __m256 product = _mm256_cvtph_ps(round(_mm256_mul_ps(load(a + i), load(b + i))));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), round(_mm256_add_ps(load(out + i), product)));
  }
}
#endif

}  // namespace

const LaneArithmetic &portableLanes() {
  static constexpr LaneArithmetic kPortable{addPortable, mulPortable, macPortable};
  return kPortable;
}

const LaneArithmetic &lanes() {
#if defined(__x86_64__)
  static constexpr LaneArithmetic kF16c{addF16c, mulF16c, macF16c};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) return kF16c;
#endif
  return portableLanes();
}

}  // namespace pimento::sim::pim
