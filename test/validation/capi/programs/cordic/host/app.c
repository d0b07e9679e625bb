// sin, cos, atan2 and length by CORDIC.
#include <dpu.h>
#include <math.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static double real(fixed_t x) {
  return (double)x / (1 << FRACTION);
}

static fixed_t fixed(double x) {
  return (fixed_t)lround(x * (1 << FRACTION));
}

static fixed_t angles[ITERATIONS];

// Both modes: turns (x, y) by `angle`, or to the axis and gives the angle.
static void turn(fixed_t *x, fixed_t *y, fixed_t *angle, int to_axis) {
  for (int i = 0; i < ITERATIONS; ++i) {
    const fixed_t dx = *y >> i, dy = *x >> i;
    const int sign = (to_axis ? *y <= 0 : *angle >= 0) ? 1 : -1;
    *x -= sign * dx;
    *y += sign * dy;
    *angle -= sign * angles[i];
  }
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 90);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > 1024) return fprintf(stderr, "at most 1024 elements\n"), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  double gain = 1;
  for (int i = 0; i < ITERATIONS; ++i) {
    angles[i] = fixed(atan(ldexp(1, -i)));
    gain *= sqrt(1 + ldexp(1, -2 * i));
  }
  const fixed_t inverse_gain = fixed(1 / gain);
  DPU_ASSERT(dpu_broadcast_to(set, "angles", 0, angles, sizeof(angles), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, "inverse_gain", 0, &inverse_gain, sizeof(inverse_gain), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_broadcast_to(set, "nr_elements", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));

  struct input *in = calloc((size_t)p.n * dpus, sizeof(*in));
  struct output *out = calloc((size_t)p.n * dpus, sizeof(*out));
  uint32_t state = p.seed;
  for (uint32_t i = 0; i < p.n * dpus; ++i) {
    in[i].angle = fixed((random_below(&state, 3141) / 1000.0) - 1.57);
    in[i].x = fixed(0.1 + random_below(&state, 1000) / 1000.0);
    in[i].y = fixed(random_below(&state, 2000) / 1000.0 - 1);
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, in + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "inputs", 0, p.n * sizeof(*in), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, out + (size_t)d * p.n));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "outputs", 0, p.n * sizeof(*out), DPU_XFER_DEFAULT));

  const double tolerance = ldexp(4, -ITERATIONS);
  for (uint32_t i = 0; i < p.n * dpus; ++i) {
    fixed_t x = inverse_gain, y = 0, angle = in[i].angle;
    turn(&x, &y, &angle, 0);
    expect_equal("sine", i, out[i].sine, y);
    expect_equal("cosine", i, out[i].cosine, x);
    expect_near("sin", i, real(out[i].sine), sin(real(in[i].angle)), tolerance);
    expect_near("cos", i, real(out[i].cosine), cos(real(in[i].angle)), tolerance);
    x = in[i].x, y = in[i].y, angle = 0;
    turn(&x, &y, &angle, 1);
    expect_equal("angle", i, out[i].angle, angle);
    expect_equal("length", i, out[i].length, x);
    expect_near("atan2", i, real(out[i].angle), atan2(real(in[i].y), real(in[i].x)), tolerance);
    expect_near("hypot", i, real(out[i].length) / gain, hypot(real(in[i].x), real(in[i].y)), tolerance);
  }
  DPU_ASSERT(dpu_free(set));
  free(in), free(out);
  return verdict("cordic");
}
