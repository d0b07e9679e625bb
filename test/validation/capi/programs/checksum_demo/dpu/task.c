/* Sum of the bytes of a buffer in MRAM. */
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>
#include <stdint.h>
#include <stdio.h>

#include "common.h"

#define BLOCK_SIZE (256)

__dma_aligned uint8_t DPU_CACHES[NR_TASKLETS][BLOCK_SIZE];
__host dpu_results_t DPU_RESULTS;
__mram_noinit uint8_t DPU_BUFFER[BUFFER_SIZE];

int main() {
  uint32_t tasklet_id = me();
  uint8_t *cache = DPU_CACHES[tasklet_id];
  dpu_result_t *result = &DPU_RESULTS.tasklet_result[tasklet_id];
  uint32_t checksum = 0;

  if (tasklet_id == 0) perfcounter_config(COUNT_CYCLES, true);

  for (uint32_t buffer_idx = tasklet_id * BLOCK_SIZE; buffer_idx < BUFFER_SIZE;
       buffer_idx += (NR_TASKLETS * BLOCK_SIZE)) {
    mram_read(&DPU_BUFFER[buffer_idx], cache, BLOCK_SIZE);
    for (uint32_t cache_idx = 0; cache_idx < BLOCK_SIZE; cache_idx++) checksum += cache[cache_idx];
  }

  result->cycles = (uint32_t)perfcounter_get();
  result->checksum = checksum;
  printf("[%02d] Checksum = 0x%08x\n", tasklet_id, result->checksum);
  if (tasklet_id == 0) report(&DPU_RESULTS);
  return 0;
}
