// CORDIC: rotates a vector by ever smaller angles whose tangents are powers of two, so that shifts and additions are
// enough.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <seqread.h>

#include "common.h"

__host uint32_t nr_elements;
__host fixed_t angles[ITERATIONS];
__host fixed_t inverse_gain;
__mram_noinit struct input inputs[1024];
__mram_noinit struct output outputs[1024];

BARRIER_INIT(my_barrier, NR_TASKLETS);

static void rotate(fixed_t angle, fixed_t *sine, fixed_t *cosine) {
  fixed_t x = inverse_gain, y = 0;
  for (int i = 0; i < ITERATIONS; ++i) {
    const fixed_t dx = y >> i, dy = x >> i;
    if (angle >= 0) {
      x -= dx;
      y += dy;
      angle -= angles[i];
    } else {
      x += dx;
      y -= dy;
      angle += angles[i];
    }
  }
  *sine = y;
  *cosine = x;
}

static void vector(fixed_t x, fixed_t y, fixed_t *angle, fixed_t *length) {
  fixed_t sum = 0;
  for (int i = 0; i < ITERATIONS; ++i) {
    const fixed_t dx = y >> i, dy = x >> i;
    if (y > 0) {
      x += dx;
      y -= dy;
      sum += angles[i];
    } else {
      x -= dx;
      y += dy;
      sum -= angles[i];
    }
  }
  *angle = sum;
  *length = x;
}

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&my_barrier);
  const uint32_t begin = nr_elements * me() / NR_TASKLETS, end = nr_elements * (me() + 1) / NR_TASKLETS;
  seqreader_t reader;
  struct input *in = seqread_init(seqread_alloc(), &inputs[begin], &reader);
  __dma_aligned struct output out;
  for (uint32_t i = begin; i < end; ++i) {
    rotate(in->angle, &out.sine, &out.cosine);
    vector(in->x, in->y, &out.angle, &out.length);
    mram_write(&out, &outputs[i], sizeof(out));
    in = seqread_get(in, sizeof(*in), &reader);
  }
  return 0;
}
