// SSSP: the shortest path from each of some sources to all vertices of a road-like grid, by Dijkstra's algorithm with a
// binary heap.
//
//   sssp [SEED [WIDTH [SOURCES]]]
#include "graph.h"

enum { kLongestRoad = 100 };

/// Vertices by distance, the nearest one first. place[v] is where v lies in `heap`.
typedef struct {
  uint32_t size;
  uint32_t *heap;
  uint32_t *place;
  uint32_t *distance;
} Queue;

static void put(Queue *queue, uint32_t at, uint32_t vertex) {
  queue->heap[at] = vertex;
  queue->place[vertex] = at;
}

static void moveUp(Queue *queue, uint32_t at) {
  uint32_t vertex = queue->heap[at];
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (queue->distance[queue->heap[parent]] <= queue->distance[vertex]) break;
    put(queue, at, queue->heap[parent]);
    at = parent;
  }
  put(queue, at, vertex);
}

static uint32_t takeNearest(Queue *queue) {
  uint32_t nearest = queue->heap[0];
  uint32_t vertex = queue->heap[--queue->size];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= queue->size) break;
    if (child + 1 < queue->size && queue->distance[queue->heap[child + 1]] < queue->distance[queue->heap[child]])
      child++;
    if (queue->distance[queue->heap[child]] >= queue->distance[vertex]) break;
    put(queue, at, queue->heap[child]);
    at = child;
  }
  put(queue, at, vertex);
  return nearest;
}

/// Fills in queue->distance; UINT32_MAX: there is no path.
static void shortestPaths(const Graph *graph, uint32_t source, Queue *queue) {
  for (uint32_t v = 0; v < graph->vertices; v++) queue->distance[v] = UINT32_MAX;
  queue->distance[source] = 0;
  queue->size = 1;
  put(queue, 0, source);
  while (queue->size > 0) {
    uint32_t v = takeNearest(queue);
    for (uint32_t a = graph->start[v]; a < graph->start[v + 1]; a++) {
      uint32_t next = graph->to[a];
      uint32_t distance = queue->distance[v] + graph->weight[a];
      if (distance >= queue->distance[next]) continue;
      if (queue->distance[next] == UINT32_MAX) put(queue, queue->size++, next);
      queue->distance[next] = distance;
      moveUp(queue, queue->place[next]);
    }
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t width = argument(argc, argv, 2, 128, 2, 2048);
  uint32_t sources = argument(argc, argv, 3, 2, 1, 64);
  Graph graph = gridGraph(&rng, width, width, kLongestRoad);
  uint32_t *distances = newArray((size_t)sources * graph.vertices, sizeof *distances);
  uint32_t *source = newArray(sources, sizeof *source);
  for (uint32_t s = 0; s < sources; s++) source[s] = randomBelow(&rng, graph.vertices);
  Queue queue = {0, newArray(graph.vertices, sizeof(uint32_t)), newArray(graph.vertices, sizeof(uint32_t)), NULL};

  region_begin();
  for (uint32_t s = 0; s < sources; s++) {
    queue.distance = distances + (size_t)s * graph.vertices;
    shortestPaths(&graph, source[s], &queue);
  }
  region_end();

  printf("arcs %" PRIu32 "\n", graph.arcs);
  for (uint32_t s = 0; s < sources; s++) {
    const uint32_t *distance = distances + (size_t)s * graph.vertices;
    uint32_t reached = 0, farthest = 0;
    for (uint32_t v = 0; v < graph.vertices; v++) {
      if (distance[v] == UINT32_MAX) continue;
      reached++;
      if (distance[v] > farthest) farthest = distance[v];
    }
    printf("source %" PRIu32 " reached %" PRIu32 " farthest %" PRIu32 " distances %016" PRIx64 "\n", source[s], reached,
           farthest, checksumOf(distance, graph.vertices));
  }
  free(queue.place);
  free(queue.heap);
  free(source);
  free(distances);
  freeGraph(&graph);
  return 0;
}
