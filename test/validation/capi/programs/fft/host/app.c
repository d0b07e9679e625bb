// Fourier transforms of random signals, compared with the definition and, bit for bit, with the same code here.
#include <dpu.h>
#include <math.h>

#include "../dpu/transform.c"
#include "check.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static void check_definition(size_t index, const sample_t *from, const sample_t *got) {
  for (int k = 0; k < LENGTH; ++k) {
    double re = 0, im = 0;
    for (int i = 0; i < LENGTH; ++i) {
      const double angle = -2 * M_PI * i * k / LENGTH;
      re += from[i].re * cos(angle) - from[i].im * sin(angle);
      im += from[i].re * sin(angle) + from[i].im * cos(angle);
    }
    expect_near("real part", index * LENGTH + (size_t)k, got[k].re, re / LENGTH, 8);
    expect_near("imaginary part", index * LENGTH + (size_t)k, got[k].im, im / LENGTH, 8);
  }
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 13);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_SIGNALS) return fprintf(stderr, "at most %d signals\n", MAX_SIGNALS), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  factor_t factors[LENGTH / 2];
  for (int k = 0; k < LENGTH / 2; ++k) {
    factors[k].re = (int16_t)lround(cos(2 * M_PI * k / LENGTH) * (1 << SHIFT));
    factors[k].im = (int16_t)lround(-sin(2 * M_PI * k / LENGTH) * (1 << SHIFT));
  }
  sample_t(*from)[LENGTH] = calloc((size_t)p.n * dpus, sizeof(*from)),
  (*to)[LENGTH] = calloc((size_t)p.n * dpus, sizeof(*to));
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)p.n * dpus * LENGTH; ++i)
    from[i / LENGTH][i % LENGTH] =
        (sample_t){(int32_t)random_below(&state, 40000) - 20000, (int32_t)random_below(&state, 40000) - 20000};
  DPU_ASSERT(dpu_broadcast_to(set, "nr_signals", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, "factors", 0, factors, sizeof(factors), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, from + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "signals", 0, p.n * sizeof(*from), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, to + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "signals", 0, p.n * sizeof(*to), DPU_XFER_DEFAULT));
  for (size_t s = 0; s < (size_t)p.n * dpus; ++s) {
    check_definition(s, from[s], to[s]);
    transform(from[s], factors);
    for (size_t k = 0; k < LENGTH; ++k) {
      expect_equal("real part", s * LENGTH + k, to[s][k].re, from[s][k].re);
      expect_equal("imaginary part", s * LENGTH + k, to[s][k].im, from[s][k].im);
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(from), free(to);
  return verdict("fft");
}
