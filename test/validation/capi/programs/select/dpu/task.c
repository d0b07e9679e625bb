// Selection. Tasklets have a block each per round; counts go from tasklet to tasklet, so that each knows where its kept
// elements go. Elements of 4 bytes share words of MRAM with those of others: they are written at any address.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <mram_unaligned.h>

#include "common.h"

__host uint32_t nr_elements;
__host uint32_t nr_kept;
__mram_noinit T elements[MAX_ELEMENTS];
__mram_noinit T kept[MAX_ELEMENTS];

static uint32_t ends[NR_TASKLETS];  // where the next tasklet's elements go

BARRIER_INIT(round_barrier, NR_TASKLETS);

int main() {
  const uint32_t id = me();
  if (id == 0) {
    mem_reset();
    ends[NR_TASKLETS - 1] = 0;
  }
  barrier_wait(&round_barrier);
  T *block = mem_alloc(BLOCK_ELEMENTS * sizeof(T));
  for (uint32_t round = 0; round < nr_elements; round += NR_TASKLETS * BLOCK_ELEMENTS) {
    const uint32_t first = round + id * BLOCK_ELEMENTS;
    uint32_t count = 0;
    if (first < nr_elements) {
      mram_read(&elements[first], block, BLOCK_ELEMENTS * sizeof(T));
      const uint32_t left = nr_elements - first;
      for (uint32_t i = 0; i < (left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS); ++i)
        if (is_kept(block[i])) block[count++] = block[i];
    }
    if (id > 0) handshake_wait_for(id - 1);
    const uint32_t to = ends[id > 0 ? id - 1 : NR_TASKLETS - 1];
    ends[id] = to + count;
    if (id < NR_TASKLETS - 1) handshake_notify();
    if (count > 0) {
      if (sizeof(T) == 8)
        mram_write(block, &kept[to], count * sizeof(T));
      else
        mram_write_unaligned(block, &kept[to], count * sizeof(T));
    }
    barrier_wait(&round_barrier);
  }
  if (id == 0) nr_kept = ends[NR_TASKLETS - 1];
  return 0;
}
