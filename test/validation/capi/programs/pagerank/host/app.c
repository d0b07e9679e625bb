// Steps of PageRank on a random graph.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 43);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t nodes = p.n * dpus;
  if (nodes > MAX_NODES || p.n > MAX_OWN) return fprintf(stderr, "at most %d nodes\n", MAX_NODES), 2;
  uint32_t *degree = calloc(nodes, 4), *first = calloc(nodes + 1, 4), state = p.seed;
  uint16_t *sources = malloc(nodes * 8 * sizeof(*sources));
  for (uint32_t v = 0; v < nodes; ++v) {
    first[v + 1] = first[v];
    for (uint32_t n = v % 9 == 4 ? 0 : 1 + random_below(&state, 6); n > 0; --n) {
      const uint32_t source = random_below(&state, nodes);
      sources[first[v + 1]++] = (uint16_t)source;
      degree[source]++;
    }
  }
  uint32_t(*firsts)[MAX_OWN + 2] = calloc(dpus, sizeof(*firsts));
  uint16_t(*parts)[MAX_EDGES] = calloc(dpus, sizeof(*parts));
  for (d = 0; d < dpus; ++d) {
    for (uint32_t v = 0; v <= p.n; ++v) firsts[d][v] = first[d * p.n + v] - first[d * p.n];
    memcpy(parts[d], sources + first[d * p.n], firsts[d][p.n] * sizeof(uint16_t));
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, firsts[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "first_edge", 0, sizeof(*firsts), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, parts[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "sources", 0, sizeof(*parts), DPU_XFER_DEFAULT));
  const struct arguments arguments = {p.n, ONE / (rank_t)nodes * 15 / 100};
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));

  rank_t *rank = calloc(nodes + 8, sizeof(*rank)), *wanted = calloc(nodes, sizeof(*wanted)),
         *shares = calloc(nodes + 8, sizeof(*shares));
  for (uint32_t v = 0; v < nodes; ++v) rank[v] = wanted[v] = ONE / (rank_t)nodes;
  for (int step = 0; step < 3; ++step) {
    for (uint32_t v = 0; v < nodes; ++v) shares[v] = degree[v] != 0 ? SHARE(rank[v], degree[v]) : 0;
    DPU_ASSERT(dpu_broadcast_to(set, "shares", 0, shares, round_up(nodes, 2) * sizeof(rank_t), DPU_XFER_DEFAULT));
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    rank_t own[MAX_OWN];
    DPU_FOREACH(set, dpu, d) {
      DPU_ASSERT(dpu_copy_from(dpu, "ranks", 0, own, sizeof(own)));
      memcpy(rank + d * p.n, own, p.n * sizeof(rank_t));
    }
    for (uint32_t v = 0; v < nodes; ++v) shares[v] = degree[v] != 0 ? SHARE(wanted[v], degree[v]) : 0;
    for (uint32_t v = 0; v < nodes; ++v) {
      rank_t sum = 0;
      for (uint32_t e = first[v]; e < first[v + 1]; ++e) sum += shares[sources[e]];
      wanted[v] = arguments.base + DAMP(sum);
      expect_same("rank", v, (double)rank[v], (double)wanted[v]);
    }
  }
  DPU_ASSERT(dpu_free(set));
  free(degree), free(first), free(sources), free(firsts), free(parts), free(rank), free(wanted), free(shares);
  return verdict("pagerank");
}
