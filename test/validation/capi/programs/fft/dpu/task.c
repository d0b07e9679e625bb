// Transforms the DPU's signals, each in the WRAM of a tasklet.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "transform.h"

__host uint32_t nr_signals;
__host factor_t factors[LENGTH / 2];
__mram_noinit sample_t signals[MAX_SIGNALS][LENGTH];

BARRIER_INIT(my_barrier, NR_TASKLETS);

int main(void) {
  if (me() == 0) mem_reset();
  barrier_wait(&my_barrier);
  sample_t *signal = mem_alloc(sizeof(signals[0]));
  for (uint32_t s = me(); s < nr_signals; s += NR_TASKLETS) {
    mram_read(signals[s], signal, sizeof(signals[s]));
    transform(signal, factors);
    mram_write(signal, signals[s], sizeof(signals[s]));
  }
  return 0;
}
