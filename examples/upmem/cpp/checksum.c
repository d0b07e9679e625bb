// Checksums of a buffer in MRAM: tasklets take blocks in turn, and weigh every word with its place in the buffer.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stdio.h>

#include "common.h"

__host uint32_t bytes;
__host struct checksum result;

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(adding);

int main(void) {
  if (me() == 0) {
    mem_reset();
    result.words = result.weighted = 0;
  }
  barrier_wait(&everybody);
  uint32_t *const block = mem_alloc(BLOCK_BYTES);
  struct checksum mine = {0, 0};
  for (uint32_t at = me() * BLOCK_BYTES; at < bytes; at += NR_TASKLETS * BLOCK_BYTES) {
    const uint32_t size = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
    mram_read((__mram_ptr void const *)((uint32_t)DPU_MRAM_HEAP_POINTER + at), block, size);
    for (uint32_t i = 0; i < size / 4; ++i) {
      mine.words += block[i];
      mine.weighted += block[i] * (at / 4 + i + 1);
    }
  }
  mutex_lock(adding);
  result.words += mine.words;
  result.weighted += mine.weighted;
  mutex_unlock(adding);
  barrier_wait(&everybody);
  if (me() == 0) printf("%u bytes: %08x\n", bytes, result.words);
  return 0;
}
