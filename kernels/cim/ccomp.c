// CCOMP: connected components of a sparse undirected Kronecker graph: every vertex takes the least label around it, and
// labels are followed to their ends after each round (Shiloach and Vishkin, J. Algorithms 1982, as one thread runs it).
//
//   ccomp [SEED [SCALE [EDGES_PER_VERTEX]]]
#include "graph.h"

/// label[v] becomes the least vertex of v's component.
static void labelComponents(const Graph *graph, uint32_t *label) {
  for (uint32_t v = 0; v < graph->vertices; v++) label[v] = v;
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (uint32_t v = 0; v < graph->vertices; v++) {
      uint32_t least = label[v];
      for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) {
        uint32_t other = label[graph->to[a]];
        if (other < least) least = other;
      }
      if (least == label[v]) continue;
      uint32_t root = label[v];
      if (least < label[root]) label[root] = least;  // and with it all that point to it
      label[v] = least;
      isChanged = true;
    }
    for (uint32_t v = 0; v < graph->vertices; v++)
      while (label[v] != label[label[v]]) label[v] = label[label[v]];
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t scale = argument(argc, argv, 2, 16, 2, 20);
  uint32_t perVertex = argument(argc, argv, 3, 2, 1, 64);
  Graph graph = kroneckerGraph(&rng, scale, perVertex << scale, false);
  uint32_t *label = newArray(graph.vertices, sizeof *label);

  region_begin();
  labelComponents(&graph, label);
  region_end();

  uint32_t *size = newArray(graph.vertices, sizeof *size);
  uint32_t components = 0, alone = 0, largest = 0;
  for (uint32_t v = 0; v < graph.vertices; v++) size[label[v]]++;
  for (uint32_t v = 0; v < graph.vertices; v++) {
    components += size[v] > 0;
    alone += size[v] == 1;
    if (size[v] > largest) largest = size[v];
  }
  printf("arcs %" PRIu32 " components %" PRIu32 " alone %" PRIu32 " largest %" PRIu32 "\n", graph.arcs, components,
         alone, largest);
  printf("labels %016" PRIx64 "\n", checksumOf(label, graph.vertices));
  free(size);
  free(label);
  freeGraph(&graph);
  return 0;
}
