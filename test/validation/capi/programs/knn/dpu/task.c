// Every tasklet keeps the K nearest of its points in a heap with the farthest on top; then tasklet 0 merges the heaps
// as tasklets tell it, by handshakes, that theirs are done.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <seqread.h>

#include "common.h"

__host struct query query;
__host struct neighbour nearest[K];
__host uint32_t nr_nearest;

struct heap {
  struct neighbour item[K];
  uint32_t size;
};

static struct heap heaps[NR_TASKLETS];

BARRIER_INIT(start, NR_TASKLETS)

static void sift_down(struct heap *heap, struct neighbour moved) {
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= heap->size) break;
    if (child + 1 < heap->size && is_nearer(heap->item[child], heap->item[child + 1])) ++child;
    if (!is_nearer(moved, heap->item[child])) break;
    heap->item[at] = heap->item[child];
    at = child;
  }
  heap->item[at] = moved;
}

static void offer(struct heap *heap, struct neighbour n) {
  if (heap->size == K) {
    if (is_nearer(n, heap->item[0])) sift_down(heap, n);
    return;
  }
  uint32_t at = heap->size++;
  while (at > 0 && is_nearer(heap->item[(at - 1) / 2], n)) {
    heap->item[at] = heap->item[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->item[at] = n;
}

static uint32_t distance(const struct point *point) {
  uint32_t sum = 0;
  for (int d = 0; d < DIMENSIONS; ++d) {
    const int32_t difference = point->at[d] - query.at[d];
    sum += (uint32_t)(difference * difference);
  }
  return sum;
}

static struct neighbour take_farthest(struct heap *heap) {
  const struct neighbour farthest = heap->item[0], last = heap->item[--heap->size];
  if (heap->size > 0) sift_down(heap, last);
  return farthest;
}

int main() {
  const sysname_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&start);
  struct heap *mine = &heaps[id];
  mine->size = 0;
  const uint32_t begin = query.nr_points * id / NR_TASKLETS, end = query.nr_points * (id + 1) / NR_TASKLETS;
  seqreader_t reader;
  struct point *point =
      seqread_init(seqread_alloc(), (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + begin * sizeof(*point), &reader);
  for (uint32_t i = begin; i < end; ++i) {
    offer(mine, (struct neighbour){distance(point), point->label});
    point = seqread_get(point, sizeof(*point), &reader);
  }
  if (id != 0) {
    handshake_notify();
    return 0;
  }
  for (sysname_t other = 1; other < NR_TASKLETS; ++other) {
    handshake_wait_for(other);
    for (uint32_t i = 0; i < heaps[other].size; ++i) offer(mine, heaps[other].item[i]);
  }
  nr_nearest = mine->size;
  while (mine->size > 0) {
    const uint32_t to = mine->size - 1;
    nearest[to] = take_farthest(mine);
  }
  return 0;
}
