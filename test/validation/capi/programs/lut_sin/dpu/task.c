// sin and cos of the DPU's angles.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#include "common.h"

__host struct {
  uint32_t nr_angles;
  uint32_t nr_tasklets;
} args;
__host uint64_t nb_cycles[NR_TASKLETS];
#ifdef TABLE_MRAM
__mram_noinit float table[TABLE_ROOM];
#else
__host float table[TABLE_ROOM];
#endif

#define ENTRY(i) table[i]
#include "lookup.h"

#define ANGLES_PER_READ 32

BARRIER_INIT(start_barrier, NR_TASKLETS);

int main() {
  if (me() == 0) {
    perfcounter_config(COUNT_CYCLES, true);
    mem_reset();
    args.nr_tasklets = NR_TASKLETS;
  }
  barrier_wait(&start_barrier);
  const perfcounter_t begin = perfcounter_get();
  float *angles = mem_alloc(ANGLES_PER_READ * sizeof(float));
  pair_t *results = mem_alloc(ANGLES_PER_READ * sizeof(pair_t));
  const uint32_t room = (args.nr_angles + ANGLES_PER_READ - 1) & ~(ANGLES_PER_READ - 1);
  const __mram_ptr uint8_t *from = DPU_MRAM_HEAP_POINTER;
  __mram_ptr uint8_t *to = (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + room * sizeof(float);
  for (uint32_t first = me() * ANGLES_PER_READ; first < args.nr_angles; first += NR_TASKLETS * ANGLES_PER_READ) {
    mram_read(from + first * sizeof(float), angles, ANGLES_PER_READ * sizeof(float));
    for (int i = 0; i < ANGLES_PER_READ; ++i) {
      results[i].sine = lut_sin(angles[i]);
      results[i].cosine = lut_cos(angles[i]);
    }
    mram_write(results, to + first * sizeof(pair_t), ANGLES_PER_READ * sizeof(pair_t));
  }
  nb_cycles[me()] = perfcounter_get() - begin;
  return 0;
}
