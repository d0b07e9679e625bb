// The gradient of the logistic loss over the DPU's samples, in fixed point.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>

#include "common.h"

typedef struct {
  uint32_t nr_samples;
  uint32_t padding;
} dpu_arguments_t;

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;
__host int32_t weights[NFEATURES];
__host int64_t gradient[NFEATURES];
#ifdef TABLE_MRAM
__mram_noinit int16_t sigmoid_table[TABLE_ENTRIES];
#else
__host int16_t sigmoid_table[TABLE_ENTRIES];
#endif

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(gradient_mutex);

static int32_t sigmoid(int32_t x) {
  const int32_t magnitude = x < 0 ? -x : x;
  const int32_t one = 1 << SHIFT;
  int32_t y = one;
  if (magnitude < (SIGMOID_END << SHIFT)) y = sigmoid_table[magnitude >> TABLE_SHIFT];
  return x < 0 ? one - y : y;
}

int main() {
  uint32_t tasklet_id = me();
  if (tasklet_id == 0) {
    mem_reset();
    for (int f = 0; f < NFEATURES; ++f) gradient[f] = 0;
  }
  barrier_wait(&my_barrier);
  const uint32_t nr_samples = DPU_INPUT_ARGUMENTS.nr_samples;
  const uint32_t at = (uint32_t)DPU_MRAM_HEAP_POINTER;
  struct sample *cache = mem_alloc(4 * sizeof(struct sample));
  int64_t sum[NFEATURES] = {0};
  for (uint32_t i = tasklet_id * 4; i < nr_samples; i += NR_TASKLETS * 4) {
    const uint32_t count = nr_samples - i >= 4 ? 4 : nr_samples - i;
    mram_read((__mram_ptr void const *)(at + i * sizeof(struct sample)), cache, count * sizeof(struct sample));
    for (uint32_t k = 0; k < count; ++k) {
      int64_t dot = 0;
      for (int f = 0; f < NFEATURES; ++f) dot += (int64_t)cache[k].x[f] * weights[f];
      const int32_t error = sigmoid((int32_t)(dot >> SHIFT)) - cache[k].label;
      for (int f = 0; f < NFEATURES; ++f) sum[f] += ((int64_t)error * cache[k].x[f]) >> SHIFT;
    }
  }
  mutex_lock(gradient_mutex);
  for (int f = 0; f < NFEATURES; ++f) gradient[f] += sum[f];
  mutex_unlock(gradient_mutex);
  return 0;
}
