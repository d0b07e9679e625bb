// Radix sort: every tasklet counts the digits of its keys; prefix sums over digits and tasklets give the place of every
// key in the next array. Keys are exchanged in MRAM one by one.
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "common.h"

__host uint32_t nr_keys;
__mram_noinit uint64_t words[2][MAX_KEYS];  // a key in the low half: exchanged without locks
__mram_noinit int32_t keys[MAX_KEYS];
__mram_noinit int32_t sorted[MAX_KEYS];

static uint16_t counts[NR_TASKLETS][DIGITS];

BARRIER_INIT(barrier_counts, NR_TASKLETS);
BARRIER_INIT(barrier_places, NR_TASKLETS);
BARRIER_INIT(barrier_keys, NR_TASKLETS);

static uint32_t digit_of(uint32_t key, uint32_t shift) {
  return (key >> shift) & (DIGITS - 1);
}

static void make_places(void) {
  uint16_t sum = 0;
  for (uint32_t digit = 0; digit < DIGITS; ++digit)
    for (uint32_t t = 0; t < NR_TASKLETS; ++t) {
      const uint16_t count = counts[t][digit];
      counts[t][digit] = sum;
      sum += count;
    }
}

int main() {
  const uint32_t id = me();
  const uint32_t begin = nr_keys * id / NR_TASKLETS, end = nr_keys * (id + 1) / NR_TASKLETS;
  for (uint32_t i = begin; i < end; ++i) words[0][i] = (uint32_t)keys[i] ^ 0x80000000u;  // signed order
  uint32_t now = 0;
  for (uint32_t shift = 0; shift < 32; shift += DIGIT_BITS) {
    memset(counts[id], 0, sizeof(counts[id]));
    for (uint32_t i = begin; i < end; ++i) ++counts[id][digit_of((uint32_t)words[now][i], shift)];
    barrier_wait(&barrier_counts);
    if (id == NR_TASKLETS - 1) make_places();
    barrier_wait(&barrier_places);
    for (uint32_t i = begin; i < end; ++i) {
      const uint64_t word = words[now][i];
      words[1 - now][counts[id][digit_of((uint32_t)word, shift)]++] = word;
    }
    now = 1 - now;
    barrier_wait(&barrier_keys);
  }
  // Pairs of keys, so that no other tasklet writes to the same 8 bytes.
  for (uint32_t i = id * 2; i < nr_keys; i += NR_TASKLETS * 2) {
    __dma_aligned uint64_t from[2];
    __dma_aligned int32_t to[2];
    mram_read(&words[now][i], from, sizeof(from));
    to[0] = (int32_t)((uint32_t)from[0] ^ 0x80000000u);
    to[1] = (int32_t)((uint32_t)from[1] ^ 0x80000000u);
    mram_write(to, &sorted[i], sizeof(to));
  }
  return 0;
}
