// Graphs as compressed sparse rows, and two makers of them: Kronecker graphs, which have hubs, and grids like road
// maps, which have none and are wide. Neighbours are in ascending order, without loops and without repeats.
//
// Making a graph is not part of a program's region.
#ifndef PIMENTO_KERNELS_CIM_GRAPH_H
#define PIMENTO_KERNELS_CIM_GRAPH_H

#include "bench.h"

/// Arcs of vertex v are start[v] .. start[v + 1] - 1; arc a goes to to[a] with weight[a].
typedef struct {
  uint32_t vertices;
  uint32_t arcs;
  uint32_t *start;
  uint32_t *to;
  uint32_t *weight;
} Graph;

typedef struct {
  uint32_t from, to, weight;
} Arc;

/// Counting sort by one end of the arcs, stable.
static inline void sortArcs(const Arc *arcs, Arc *sorted, uint32_t count, uint32_t vertices, bool byTo) {
  uint32_t *place = newArray(vertices + 1, sizeof *place);
  for (uint32_t i = 0; i < count; i++) place[(byTo ? arcs[i].to : arcs[i].from) + 1]++;
  for (uint32_t v = 0; v < vertices; v++) place[v + 1] += place[v];
  for (uint32_t i = 0; i < count; i++) sorted[place[byTo ? arcs[i].to : arcs[i].from]++] = arcs[i];
  free(place);
}

/// A graph of `count` arcs, which are left sorted. Of arcs with both ends the same, the first one counts.
static inline Graph graphOf(uint32_t vertices, Arc *arcs, uint32_t count) {
  Arc *scratch = newArray(count, sizeof *scratch);
  sortArcs(arcs, scratch, count, vertices, true);
  sortArcs(scratch, arcs, count, vertices, false);
  free(scratch);
  Graph graph = {vertices, 0, newArray(vertices + 1, sizeof(uint32_t)), newArray(count, sizeof(uint32_t)),
                 newArray(count, sizeof(uint32_t))};
  for (uint32_t i = 0; i < count; i++) {
    bool isLoop = arcs[i].from == arcs[i].to;
    bool isRepeat = i > 0 && arcs[i].from == arcs[i - 1].from && arcs[i].to == arcs[i - 1].to;
    if (isLoop || isRepeat) continue;
    graph.to[graph.arcs] = arcs[i].to;
    graph.weight[graph.arcs++] = arcs[i].weight;
    graph.start[arcs[i].from + 1] = graph.arcs;
  }
  for (uint32_t v = 0; v < vertices; v++)
    if (graph.start[v + 1] < graph.start[v]) graph.start[v + 1] = graph.start[v];
  return graph;
}

static inline void freeGraph(Graph *graph) {
  free(graph->start);
  free(graph->to);
  free(graph->weight);
}

/// A Kronecker graph of 2^scale vertices with the probabilities of Graph500 (0.57, 0.19, 0.19, 0.05) and shuffled
/// names. `edges` edges are drawn; without `isDirected` each is an arc both ways. All weights are 1.
static inline Graph kroneckerGraph(Rng *rng, uint32_t scale, uint32_t edges, bool isDirected) {
  uint32_t vertices = 1u << scale;
  uint32_t *name = newArray(vertices, sizeof *name);
  for (uint32_t v = 0; v < vertices; v++) name[v] = v;
  for (uint32_t v = vertices - 1; v > 0; v--) {
    uint32_t other = randomBelow(rng, v + 1), kept = name[v];
    name[v] = name[other];
    name[other] = kept;
  }
  uint32_t perEdge = isDirected ? 1 : 2;
  Arc *arcs = newArray((size_t)edges * perEdge, sizeof *arcs);
  for (uint32_t e = 0; e < edges; e++) {
    uint32_t from = 0, to = 0;
    uint64_t bits = 0;
    for (uint32_t level = 0; level < scale; level++) {
      if (level % 4 == 0) bits = randomBits(rng);
      uint32_t draw = bits & 0xFFFF;  // of 65,536: 37,355 and twice 12,452 and the rest
      bits >>= 16;
      from = from << 1 | (draw >= 49807);
      to = to << 1 | ((draw >= 37355 && draw < 49807) || draw >= 62259);
    }
    arcs[e * perEdge] = (Arc){name[from], name[to], 1};
    if (!isDirected) arcs[e * 2 + 1] = (Arc){name[to], name[from], 1};
  }
  Graph graph = graphOf(vertices, arcs, edges * perEdge);
  free(arcs);
  free(name);
  return graph;
}

/// A grid of roads, width x height: vertex x + y * width. Of 16 roads between neighbours 15 exist, both ways, with a
/// length of 1 to `longest`.
static inline Graph gridGraph(Rng *rng, uint32_t width, uint32_t height, uint32_t longest) {
  Arc *arcs = newArray((size_t)width * height * 4, sizeof *arcs);
  uint32_t count = 0;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      for (int isDown = 0; isDown < 2; isDown++) {
        if (isDown ? y + 1 == height : x + 1 == width) continue;
        uint32_t here = x + y * width, there = here + (isDown ? width : 1);
        bool isOpen = randomBelow(rng, 16) != 0;
        uint32_t length = 1 + randomBelow(rng, longest);
        if (!isOpen) continue;
        arcs[count++] = (Arc){here, there, length};
        arcs[count++] = (Arc){there, here, length};
      }
  Graph graph = graphOf(width * height, arcs, count);
  free(arcs);
  return graph;
}

#endif
