// The gradient of the squared error over the DPU's samples, in fixed point.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host uint32_t nr_samples;
__host int32_t weights[NFEATURES];
__host int64_t gradient[NFEATURES];
__mram_noinit FEATURE samples[MAX_SAMPLES * NFEATURES];
__mram_noinit int32_t targets[MAX_SAMPLES];

#define BATCH 8  // samples of one transfer

static int64_t partial[NR_TASKLETS][NFEATURES];

BARRIER_INIT(barrier_1, NR_TASKLETS);
BARRIER_INIT(barrier_2, NR_TASKLETS);

int main() {
  const uint32_t tasklet_id = me();
  if (tasklet_id == 0) mem_reset();
  barrier_wait(&barrier_1);
  FEATURE *x = (FEATURE *)mem_alloc(BATCH * NFEATURES * sizeof(FEATURE));
  int32_t *y = (int32_t *)mem_alloc(BATCH * sizeof(int32_t));
  int64_t sum[NFEATURES] = {0};
  for (uint32_t first = tasklet_id * BATCH; first < nr_samples; first += NR_TASKLETS * BATCH) {
    mram_read(samples + first * NFEATURES, x, BATCH * NFEATURES * sizeof(FEATURE));
    mram_read(targets + first, y, BATCH * sizeof(int32_t));
    for (uint32_t i = 0; i < BATCH && first + i < nr_samples; ++i) {
      const FEATURE *sample = x + i * NFEATURES;
      const int32_t error = predict(sample, weights) - y[i];
      for (uint32_t f = 0; f < NFEATURES; ++f) sum[f] += (error * sample[f]) >> SHIFT;
    }
  }
  for (uint32_t f = 0; f < NFEATURES; ++f) partial[tasklet_id][f] = sum[f];
  barrier_wait(&barrier_2);
  for (uint32_t f = tasklet_id; f < NFEATURES; f += NR_TASKLETS) {
    int64_t total = 0;
    for (uint32_t t = 0; t < NR_TASKLETS; ++t) total += partial[t][f];
    gradient[f] = total;
  }
  return 0;
}
