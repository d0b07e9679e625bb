// BFS: the distance of every vertex from each of some sources, with a queue, on an undirected Kronecker graph.
//
//   bfs [SEED [SCALE [EDGES_PER_VERTEX [SOURCES]]]]
#include "graph.h"

enum { kUnreached = -1 };

/// Fills in `depth`, and returns how many vertices are reached; they are the first ones of `queue`, by distance.
static uint32_t breadthFirst(const Graph *graph, uint32_t source, int32_t *depth, uint32_t *queue) {
  for (uint32_t v = 0; v < graph->vertices; v++) depth[v] = kUnreached;
  uint32_t head = 0, tail = 0;
  depth[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) {
      uint32_t next = graph->to[a];
      if (depth[next] != kUnreached) continue;
      depth[next] = depth[v] + 1;
      queue[tail++] = next;
    }
  }
  return tail;
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t scale = argument(argc, argv, 2, 13, 2, 20);
  uint32_t perVertex = argument(argc, argv, 3, 12, 1, 64);
  uint32_t sources = argument(argc, argv, 4, 8, 1, 64);
  Graph graph = kroneckerGraph(&rng, scale, perVertex << scale, false);
  int32_t *depths = newArray((size_t)sources << scale, sizeof *depths);
  uint32_t *queue = newArray(graph.vertices, sizeof *queue);
  uint32_t *source = newArray(sources, sizeof *source);
  uint32_t *reached = newArray(sources, sizeof *reached);
  for (uint32_t s = 0; s < sources; s++) source[s] = randomBelow(&rng, graph.vertices);

  region_begin();
  for (uint32_t s = 0; s < sources; s++)
    reached[s] = breadthFirst(&graph, source[s], depths + ((size_t)s << scale), queue);
  region_end();

  printf("arcs %" PRIu32 "\n", graph.arcs);
  for (uint32_t s = 0; s < sources; s++) {
    const int32_t *depth = depths + ((size_t)s << scale);
    int32_t deepest = 0;
    Checksum sum = newChecksum();
    for (uint32_t v = 0; v < graph.vertices; v++) {
      if (depth[v] > deepest) deepest = depth[v];
      addWord(&sum, (uint32_t)depth[v]);
    }
    printf("source %" PRIu32 " reached %" PRIu32 " deepest %" PRId32 " depths %016" PRIx64 "\n", source[s], reached[s],
           deepest, sum.value);
  }
  free(reached);
  free(source);
  free(queue);
  free(depths);
  freeGraph(&graph);
  return 0;
}
