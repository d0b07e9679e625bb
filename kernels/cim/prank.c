// PRANK: PageRank in fixed point: each vertex gathers what its neighbours hand out, for a given number of rounds, on an
// undirected Kronecker graph. Ranks are of 1/2^30 and sum to at most one; what division leaves over is lost.
//
//   prank [SEED [SCALE [EDGES_PER_VERTEX [ROUNDS]]]]
#include "graph.h"

enum { kOne = 1 << 30, kDamping = 871 };  // of 1024: 0.85

/// share[v] is what v hands to each neighbour; vertices without any hand theirs to all.
static void pageRank(const Graph *graph, uint32_t rounds, uint32_t *rank, uint32_t *share) {
  uint32_t vertices = graph->vertices;
  for (uint32_t v = 0; v < vertices; v++) rank[v] = kOne / vertices;
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t stray = 0;
    for (uint32_t v = 0; v < vertices; v++) {
      uint32_t degree = graph->start[v + 1] - graph->start[v];
      if (degree == 0) stray += rank[v];
      share[v] = degree == 0 ? 0 : rank[v] / degree;
    }
    uint32_t forAll = (kOne - (uint32_t)(((uint64_t)kOne * kDamping) >> 10)) / vertices;
    forAll += (uint32_t)(((uint64_t)stray * kDamping) >> 10) / vertices;
    for (uint32_t v = 0; v < vertices; v++) {
      uint32_t gathered = 0;
      for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) gathered += share[graph->to[a]];
      rank[v] = forAll + (uint32_t)(((uint64_t)gathered * kDamping) >> 10);
    }
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t scale = argument(argc, argv, 2, 12, 2, 18);
  uint32_t perVertex = argument(argc, argv, 3, 12, 1, 64);
  uint32_t rounds = argument(argc, argv, 4, 20, 1, 1000);
  Graph graph = kroneckerGraph(&rng, scale, perVertex << scale, false);
  uint32_t *rank = newArray(graph.vertices, sizeof *rank);
  uint32_t *share = newArray(graph.vertices, sizeof *share);

  region_begin();
  pageRank(&graph, rounds, rank, share);
  region_end();

  uint32_t best = 0, sum = 0;
  for (uint32_t v = 0; v < graph.vertices; v++) {
    sum += rank[v];
    if (rank[v] > rank[best]) best = v;
  }
  printf("arcs %" PRIu32 " sum %" PRIu32 "\n", graph.arcs, sum);
  printf("best %" PRIu32 " with %" PRIu32 " ranks %016" PRIx64 "\n", best, rank[best],
         checksumOf(rank, graph.vertices));
  free(share);
  free(rank);
  freeGraph(&graph);
  return 0;
}
