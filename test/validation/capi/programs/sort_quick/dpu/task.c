// Quicksort. Every tasklet sorts a part in WRAM; then pairs of parts are merged, half of the tasklets at work each
// time.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdlib.h>

#include "common.h"

__host uint32_t nr_keys;
__mram_noinit int32_t keys[MAX_KEYS];
__mram_noinit int32_t sorted[MAX_KEYS];

__dma_aligned static int32_t cache[2][MAX_KEYS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

#ifdef METHOD_OWN
static void sort(int32_t *first, int32_t *last) {
  while (first < last) {
    const int32_t pivot = first[(last - first) / 2];
    int32_t *i = first, *j = last;
    while (i <= j) {
      while (*i < pivot) ++i;
      while (*j > pivot) --j;
      if (i > j) break;
      const int32_t key = *i;
      *i++ = *j;
      *j-- = key;
    }
    // The smaller side by recursion, so that the stack holds at most log2(n) calls.
    if (j - first < last - i) {
      sort(first, j);
      first = i;
    } else {
      sort(i, last);
      last = j;
    }
  }
}
#else
static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}
#endif

static void merge(const int32_t *from, int32_t *to, uint32_t begin, uint32_t middle, uint32_t end) {
  uint32_t i = begin, j = middle;
  for (uint32_t k = begin; k < end; ++k) to[k] = i < middle && (j == end || from[i] <= from[j]) ? from[i++] : from[j++];
}

static uint32_t begin_of(uint32_t part) {
  return part >= NR_TASKLETS ? nr_keys : nr_keys * part / NR_TASKLETS;
}

int main() {
  const uint32_t id = me();
  for (uint32_t i = id * 128; i < MAX_KEYS; i += NR_TASKLETS * 128)
    mram_read(&keys[i], &cache[0][i], 128 * sizeof(int32_t));
  barrier_wait(&my_barrier);
  const uint32_t begin = begin_of(id), end = begin_of(id + 1);
#ifdef METHOD_OWN
  if (end > begin) sort(&cache[0][begin], &cache[0][end - 1]);
#else
  qsort(&cache[0][begin], end - begin, sizeof(int32_t), compare);
#endif
  barrier_wait(&my_barrier);
  uint32_t now = 0;
  for (uint32_t parts = 1; parts < NR_TASKLETS; parts *= 2) {
    if (id % (2 * parts) == 0) merge(cache[now], cache[1 - now], begin, begin_of(id + parts), begin_of(id + 2 * parts));
    now = 1 - now;
    barrier_wait(&my_barrier);
  }
  for (uint32_t i = id * 128; i < MAX_KEYS; i += NR_TASKLETS * 128)
    mram_write(&cache[now][i], &sorted[i], 128 * sizeof(int32_t));
  return 0;
}
