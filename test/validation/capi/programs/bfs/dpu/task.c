// One level of a breadth-first search: neighbours of the frontier's nodes that this DPU has are the next frontier.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex_pool.h>
#include <seqread.h>
#include <string.h>

#include "common.h"

__host struct graph graph;
__host uint64_t frontier[WORDS];
__host uint64_t visited[WORDS];
__host uint64_t next_frontier[WORDS];
__mram_noinit uint32_t first_edge[MAX_OWN + 2];
__mram_noinit uint32_t edges[MAX_EDGES];
__mram_noinit uint32_t level_of[MAX_OWN];

BARRIER_INIT(cleared, NR_TASKLETS);
BARRIER_INIT(marked, NR_TASKLETS);
MUTEX_POOL_INIT(word_locks, 16);

static int has(const uint64_t *set, uint32_t node) {
  return (set[node / 64] >> (node % 64)) & 1;
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  for (uint32_t w = id; w < WORDS; w += NR_TASKLETS) next_frontier[w] = 0;
  barrier_wait(&cleared);
  const seqreader_buffer_t buffer = seqread_alloc();
  seqreader_t reader;
  for (uint32_t node = id; node < graph.own; node += NR_TASKLETS) {
    if (!has(frontier, graph.first + node)) continue;
    const uint32_t begin = first_edge[node], end = first_edge[node + 1];
    uint32_t *neighbour = seqread_init(buffer, &edges[begin], &reader);
    for (uint32_t e = begin; e < end; ++e) {
      const uint32_t to = *neighbour;
      if (!has(visited, to)) {
        mutex_pool_lock(&word_locks, to / 64);
        next_frontier[to / 64] |= 1ull << (to % 64);
        mutex_pool_unlock(&word_locks, to / 64);
      }
      neighbour = seqread_get(neighbour, sizeof(*neighbour), &reader);
    }
  }
  // Levels of this frontier: 8 bytes of MRAM hold two, so pairs of nodes belong to a tasklet.
  barrier_wait(&marked);
  for (uint32_t pair = id; pair * 2 < graph.own; pair += NR_TASKLETS)
    for (uint32_t node = pair * 2; node < pair * 2 + 2 && node < graph.own; ++node)
      if (has(frontier, graph.first + node)) level_of[node] = graph.level;
  return 0;
}
