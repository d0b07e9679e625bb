// DFS: all of a directed Kronecker graph in depth-first order, with a stack of its own: when vertices are found and
// finished, and of which kind each arc is (Tarjan, SIAM J. Comput. 1972).
//
//   dfs [SEED [SCALE [EDGES_PER_VERTEX]]]
#include "graph.h"

typedef struct {
  uint32_t *found;     // when, from 1 on; 0: not yet
  uint32_t *finished;  // when; 0: not yet
  uint32_t *nextArc;
  uint32_t *stack;
  uint32_t time;
  uint32_t trees, deepest;
  uint32_t treeArcs, backArcs, forwardArcs, crossArcs;
} Search;

/// Counts the arc from v to `next` by its kind. True: it is a tree arc, so `next` is to be visited.
static bool isTreeArc(Search *search, uint32_t v, uint32_t next) {
  if (search->found[next] == 0) {
    search->treeArcs++;
    return true;
  }
  if (search->finished[next] == 0)
    search->backArcs++;
  else if (search->found[next] > search->found[v])
    search->forwardArcs++;
  else
    search->crossArcs++;
  return false;
}

static void visitFrom(const Graph *graph, Search *search, uint32_t root) {
  uint32_t height = 0;
  search->found[root] = ++search->time;
  search->stack[height++] = root;
  while (height > 0) {
    if (height > search->deepest) search->deepest = height;
    uint32_t v = search->stack[height - 1];
    uint32_t a = search->nextArc[v];
    if (a == graph->start[v + 1]) {
      search->finished[v] = ++search->time;
      height--;
      continue;
    }
    search->nextArc[v] = a + 1;
    uint32_t next = graph->to[a];
    if (!isTreeArc(search, v, next)) continue;
    search->found[next] = ++search->time;
    search->stack[height++] = next;
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t scale = argument(argc, argv, 2, 14, 2, 20);
  uint32_t perVertex = argument(argc, argv, 3, 16, 1, 64);
  Graph graph = kroneckerGraph(&rng, scale, perVertex << scale, true);
  Search search = {0};
  search.found = newArray(graph.vertices, sizeof(uint32_t));
  search.finished = newArray(graph.vertices, sizeof(uint32_t));
  search.nextArc = newArray(graph.vertices, sizeof(uint32_t));
  search.stack = newArray(graph.vertices, sizeof(uint32_t));

  region_begin();
  memcpy(search.nextArc, graph.start, graph.vertices * sizeof(uint32_t));
  for (uint32_t v = 0; v < graph.vertices; v++)
    if (search.found[v] == 0) {
      search.trees++;
      visitFrom(&graph, &search, v);
    }
  region_end();

  printf("arcs %" PRIu32 " trees %" PRIu32 " deepest %" PRIu32 "\n", graph.arcs, search.trees, search.deepest);
  printf("tree %" PRIu32 " back %" PRIu32 " forward %" PRIu32 " cross %" PRIu32 "\n", search.treeArcs, search.backArcs,
         search.forwardArcs, search.crossArcs);
  printf("found %016" PRIx64 " finished %016" PRIx64 "\n", checksumOf(search.found, graph.vertices),
         checksumOf(search.finished, graph.vertices));
  free(search.stack);
  free(search.nextArc);
  free(search.finished);
  free(search.found);
  freeGraph(&graph);
  return 0;
}
