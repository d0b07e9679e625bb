// Breadth-first search, host half: unites the next frontiers of all DPUs and starts the next level.
//   host [DPUS [NODES [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

#define DEGREE 5
#define NOT_REACHED UINT32_MAX

// A graph that is not the same everywhere: node n has n % (DEGREE + 1) neighbours.
static uint32_t neighbourOf(uint32_t node, uint32_t k, uint32_t nodes) {
  return (node * 7 + 1 + k * k * 31 + (node * 2654435761u >> 25)) % nodes;
}

static void searchHere(uint32_t nodes, uint32_t *level) {
  uint32_t *const queue = malloc(nodes * sizeof(*queue));
  for (uint32_t i = 0; i < nodes; ++i) level[i] = NOT_REACHED;
  uint32_t head = 0, tail = 0;
  level[0] = 0;
  queue[tail++] = 0;
  while (head < tail) {
    const uint32_t node = queue[head++];
    for (uint32_t k = 0; k < node % (DEGREE + 1) + 1; ++k) {
      const uint32_t other = neighbourOf(node, k, nodes);
      if (level[other] != NOT_REACHED) continue;
      level[other] = level[node] + 1;
      queue[tail++] = other;
    }
  }
  free(queue);
}

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t nodes = argc > 2 ? (uint32_t)atoi(argv[2]) : 3000;
  if (nodes == 0 || nodes > MOST_NODES) return fprintf(stderr, "bfs: 1 to %u nodes\n", MOST_NODES), 2;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));

  const uint32_t perDpu = ((nodes + dpus - 1) / dpus + 1) / 2 * 2, rowBytes = (perDpu + 2) * sizeof(uint32_t);
  const uint32_t bytes = rowBytes + (perDpu * (DEGREE + 1) + 16) * sizeof(uint32_t);
  uint32_t *const graphs = calloc(dpus, bytes), *const levels = malloc(dpus * perDpu * sizeof(*levels));
  struct arguments *const arguments = calloc(dpus, sizeof(*arguments));
  memset(levels, 0xff, dpus * perDpu * sizeof(*levels));
  for (uint32_t d = 0; d < dpus; ++d) {
    const uint32_t first = d * perDpu < nodes ? d * perDpu : nodes;
    arguments[d] = (struct arguments){first, nodes - first < perDpu ? nodes - first : perDpu, rowBytes, 0};
    uint32_t *const rows = graphs + (size_t)d * (bytes / sizeof(uint32_t)), *const out = rows + perDpu + 2;
    uint32_t n = 0;
    for (uint32_t i = 0; i < arguments[d].nodes; ++i) {
      rows[i] = n;
      for (uint32_t k = 0; k < (first + i) % (DEGREE + 1) + 1; ++k) out[n++] = neighbourOf(first + i, k, nodes);
    }
    rows[arguments[d].nodes] = n;
  }
  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, graphs + (size_t)i * (bytes / sizeof(uint32_t))));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, levels + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "levels", 0, perDpu * sizeof(*levels), DPU_XFER_DEFAULT));

  uint32_t frontier[WORDS] = {0};
  uint32_t *const nexts = malloc(dpus * sizeof(frontier));
  DPU_ASSERT(dpu_broadcast_to(set, "visited", 0, frontier, sizeof(frontier), DPU_XFER_DEFAULT));
  frontier[0] = 1;
  uint32_t level = 0, found;
  do {
    DPU_ASSERT(dpu_broadcast_to(set, "frontier", 0, frontier, sizeof(frontier), DPU_XFER_DEFAULT));
    DPU_FOREACH(set, dpu, i) {
      arguments[i].level = level;
      DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    found = 0;
    DPU_FOREACH(set, dpu, i) {
      uint32_t n;
      DPU_ASSERT(dpu_copy_from(dpu, "found", 0, &n, sizeof(n)));
      found += n;
      DPU_ASSERT(dpu_prepare_xfer(dpu, nexts + (size_t)i * WORDS));
    }
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "next", 0, sizeof(frontier), DPU_XFER_DEFAULT));
    memset(frontier, 0, sizeof(frontier));
    for (uint32_t k = 0; k < dpus * WORDS; ++k) frontier[k % WORDS] |= nexts[k];
    ++level;
  } while (found > 0 && level <= nodes);

  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, levels + (size_t)i * perDpu));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "levels", 0, perDpu * sizeof(*levels), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_free(set));
  uint32_t *const expected = malloc(nodes * sizeof(*expected));
  searchHere(nodes, expected);
  uint32_t wrong = 0, reached = 0;
  for (uint32_t k = 0; k < nodes; ++k) {
    wrong += levels[k] != expected[k];
    reached += expected[k] != NOT_REACHED;
  }
  printf("bfs: %u of %u nodes reached in %u levels, %u wrong\n", reached, nodes, level, wrong);
  free(graphs), free(levels), free(arguments), free(nexts), free(expected);
  return wrong != 0;
}
