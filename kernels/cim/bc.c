// BC: betweenness centrality for the shortest paths from some sources (Brandes, J. Math. Sociol. 2001), on an
// undirected Kronecker graph.
//
//   bc [SEED [SCALE [EDGES_PER_VERTEX [SOURCES]]]]
#include "graph.h"

enum { kUnreached = -1, kSums = 16 };

typedef struct {
  int32_t *depth;
  uint32_t *order;  // vertices by depth
  double *paths;    // shortest paths from the source; a count, so exact up to 2^53
  double *dependency;
} Work;

/// Depths, and how many shortest paths lead to each vertex. Returns how many vertices are reached.
static uint32_t countPaths(const Graph *graph, uint32_t source, Work *work) {
  for (uint32_t v = 0; v < graph->vertices; v++) {
    work->depth[v] = kUnreached;
    work->paths[v] = 0;
    work->dependency[v] = 0;
  }
  uint32_t head = 0, tail = 0;
  work->depth[source] = 0;
  work->paths[source] = 1;
  work->order[tail++] = source;
  while (head < tail) {
    uint32_t v = work->order[head++];
    for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) {
      uint32_t next = graph->to[a];
      if (work->depth[next] == kUnreached) {
        work->depth[next] = work->depth[v] + 1;
        work->order[tail++] = next;
      }
      if (work->depth[next] == work->depth[v] + 1) work->paths[next] += work->paths[v];
    }
  }
  return tail;
}

/// The vertices from the deepest up: each hands its dependency to those before it, by their shares of its paths.
static void addDependencies(const Graph *graph, uint32_t source, Work *work, uint32_t reached, double *centrality) {
  for (uint32_t i = reached; i-- > 0;) {
    uint32_t v = work->order[i];
    double perPath = (1 + work->dependency[v]) / work->paths[v];
    for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) {
      uint32_t before = graph->to[a];
      if (work->depth[before] + 1 == work->depth[v]) work->dependency[before] += work->paths[before] * perPath;
    }
    if (v != source) centrality[v] += work->dependency[v];
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t scale = argument(argc, argv, 2, 12, 2, 18);
  uint32_t perVertex = argument(argc, argv, 3, 12, 1, 64);
  uint32_t sources = argument(argc, argv, 4, 10, 1, 256);
  Graph graph = kroneckerGraph(&rng, scale, perVertex << scale, false);
  Work work = {newArray(graph.vertices, sizeof(int32_t)), newArray(graph.vertices, sizeof(uint32_t)),
               newArray(graph.vertices, sizeof(double)), newArray(graph.vertices, sizeof(double))};
  double *centrality = newArray(graph.vertices, sizeof *centrality);
  uint32_t *source = newArray(sources, sizeof *source);
  for (uint32_t s = 0; s < sources; s++) source[s] = randomBelow(&rng, graph.vertices);

  region_begin();
  for (uint32_t s = 0; s < sources; s++) {
    uint32_t reached = countPaths(&graph, source[s], &work);
    addDependencies(&graph, source[s], &work, reached, centrality);
  }
  region_end();

  // In thousandths: the sums of all vertices with the same name modulo 16, and the vertex that is most central.
  double sums[kSums] = {0};
  uint32_t best = 0;
  for (uint32_t v = 0; v < graph.vertices; v++) {
    sums[v % kSums] += centrality[v];
    if (centrality[v] > centrality[best]) best = v;
  }
  printf("arcs %" PRIu32 "\nsums", graph.arcs);
  for (uint32_t i = 0; i < kSums; i++) printf(" %" PRId64, (int64_t)(sums[i] * 1000 + 0.5));
  printf("\nbest %" PRIu32 " with %" PRId64 "\n", best, (int64_t)(centrality[best] * 1000 + 0.5));
  free(source);
  free(centrality);
  free(work.depth);
  free(work.order);
  free(work.paths);
  free(work.dependency);
  freeGraph(&graph);
  return 0;
}
