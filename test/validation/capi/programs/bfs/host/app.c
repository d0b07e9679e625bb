// Breadth-first search of a random graph.
#include <dpu.h>
#include <stdbool.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 40);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t nodes = p.n * dpus;
  if (nodes > MAX_NODES || p.n > MAX_OWN) return fprintf(stderr, "at most %d nodes\n", MAX_NODES), 2;
  uint32_t *first = calloc(nodes + 1, 4), *edges = malloc((size_t)nodes * 8 * 4), state = p.seed;
  for (uint32_t v = 0; v < nodes; ++v) {
    first[v + 1] = first[v];
    if (v % 11 == 5) continue;  // no way out
    const uint32_t degree = 1 + random_below(&state, 4);
    for (uint32_t e = 0; e < degree; ++e)
      edges[first[v + 1]++] = e == 0 ? (v + 1) % nodes : random_below(&state, nodes);
  }
  struct graph *graphs = calloc(dpus, sizeof(*graphs));
  uint32_t(*firsts)[MAX_OWN + 2] = calloc(dpus, sizeof(*firsts)), (*parts)[MAX_EDGES] = calloc(dpus, sizeof(*parts));
  for (d = 0; d < dpus; ++d) {
    graphs[d] = (struct graph){nodes, d * p.n, p.n, 0};
    for (uint32_t v = 0; v <= p.n; ++v) firsts[d][v] = first[d * p.n + v] - first[d * p.n];
    if (firsts[d][p.n] > MAX_EDGES) return fprintf(stderr, "too many edges\n"), 2;
    memcpy(parts[d], edges + first[d * p.n], firsts[d][p.n] * 4);
  }
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, firsts[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "first_edge", 0, round_up((p.n + 1) * 4, 8), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, parts[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "edges", 0, sizeof(parts[0]), DPU_XFER_DEFAULT));
  uint32_t unreached[MAX_OWN];
  memset(unreached, 0xff, sizeof(unreached));
  DPU_ASSERT(dpu_broadcast_to(set, "level_of", 0, unreached, sizeof(unreached), DPU_XFER_DEFAULT));

  uint64_t frontier[WORDS] = {1}, visited[WORDS] = {1}, part[WORDS];
  bool more = true;
  for (uint32_t level = 0; more; ++level) {
    for (d = 0; d < dpus; ++d) graphs[d].level = level;
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, &graphs[d]));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "graph", 0, sizeof(*graphs), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_broadcast_to(set, "frontier", 0, frontier, sizeof(frontier), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_broadcast_to(set, "visited", 0, visited, sizeof(visited), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    memset(frontier, 0, sizeof(frontier));
    DPU_FOREACH(set, dpu) {
      DPU_ASSERT(dpu_copy_from(dpu, "next_frontier", 0, part, sizeof(part)));
      for (int w = 0; w < WORDS; ++w) frontier[w] |= part[w];
    }
    more = false;
    for (int w = 0; w < WORDS; ++w) {
      more = more || frontier[w] != 0;
      visited[w] |= frontier[w];
    }
  }
  // Plain C: a queue.
  uint32_t *level = malloc(nodes * 4), *queue = malloc(nodes * 4), head = 0, tail = 0;
  memset(level, 0xff, nodes * 4);
  level[0] = 0;
  for (queue[tail++] = 0; head < tail; ++head)
    for (uint32_t e = first[queue[head]]; e < first[queue[head] + 1]; ++e) {
      if (level[edges[e]] != UINT32_MAX) continue;
      level[edges[e]] = level[queue[head]] + 1;
      queue[tail++] = edges[e];
    }
  printf("%u of %u nodes reached\n", tail, nodes);
  DPU_FOREACH(set, dpu, d) {
    uint32_t got[MAX_OWN];
    DPU_ASSERT(dpu_copy_from(dpu, "level_of", 0, got, sizeof(got)));
    for (uint32_t v = 0; v < p.n; ++v) expect_equal("level", d * p.n + v, got[v], level[d * p.n + v]);
  }
  DPU_ASSERT(dpu_free(set));
  free(first), free(edges), free(graphs), free(firsts), free(parts), free(level), free(queue);
  return verdict("bfs");
}
