// astar: cheapest paths between random places of a map with walls and with ground that is slow, by A* (Hart, Nilsson,
// Raphael, IEEE Trans. SSC 1968) with a binary heap. What 473.astar of SPEC 2006 is about; nothing here is from there.
//
//   astar [SEED [WIDTH [QUERIES]]]
//
// Prints each path, so that it can be checked: runs of steps to the right, left, down and up.
#include "bench.h"

enum { kWall = 0, kSlowest = 5, kNone = UINT8_MAX, kDirections = 4 };

static const char kLetters[kDirections] = {'R', 'L', 'D', 'U'};

typedef struct {
  uint32_t estimate;  // from the start over this cell to the goal
  uint32_t cell;
} Entry;

typedef struct {
  uint32_t width;
  const uint8_t *ground;  // by cell, with walls around: what a step onto it costs
  int32_t steps[kDirections];
  uint32_t *cost;  // from the start
  uint8_t *from;   // direction of the last step
  bool *isDone;
  Entry *heap;
  uint32_t heapSize;
} Map;

static void push(Map *map, Entry entry) {
  uint32_t at = map->heapSize++;
  while (at > 0 && map->heap[(at - 1) / 2].estimate > entry.estimate) {
    map->heap[at] = map->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  map->heap[at] = entry;
}

static Entry pop(Map *map) {
  Entry first = map->heap[0];
  Entry last = map->heap[--map->heapSize];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= map->heapSize) break;
    if (child + 1 < map->heapSize && map->heap[child + 1].estimate < map->heap[child].estimate) child++;
    if (map->heap[child].estimate >= last.estimate) break;
    map->heap[at] = map->heap[child];
    at = child;
  }
  map->heap[at] = last;
  return first;
}

/// Steps that are left at least, each of which costs 1 at least.
static uint32_t stepsBetween(uint32_t a, uint32_t b, uint32_t width) {
  int32_t x = (int32_t)(a % width) - (int32_t)(b % width);
  int32_t y = (int32_t)(a / width) - (int32_t)(b / width);
  return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

/// Whether there is a path; it is in map->from, backwards.
static bool findPath(Map *map, uint32_t start, uint32_t goal) {
  uint32_t cells = map->width * map->width;
  for (uint32_t i = 0; i < cells; i++) {
    map->cost[i] = UINT32_MAX;
    map->isDone[i] = map->ground[i] == kWall;
  }
  map->heapSize = 0;
  map->cost[start] = 0;
  map->from[start] = kNone;
  push(map, (Entry){stepsBetween(start, goal, map->width), start});
  while (map->heapSize > 0) {
    uint32_t cell = pop(map).cell;
    if (cell == goal) return true;
    if (map->isDone[cell]) continue;  // found again on a cheaper path, and done already
    map->isDone[cell] = true;
    for (uint32_t d = 0; d < kDirections; d++) {
      uint32_t next = cell + (uint32_t)map->steps[d];
      if (map->isDone[next]) continue;
      uint32_t cost = map->cost[cell] + map->ground[next];
      if (cost >= map->cost[next]) continue;
      map->cost[next] = cost;
      map->from[next] = (uint8_t)d;
      push(map, (Entry){cost + stepsBetween(next, goal, map->width), next});
    }
  }
  return false;
}

/// Appends the path to `path`, from the goal back to the start. Returns its length.
static uint32_t readPath(const Map *map, uint32_t goal, uint8_t *path) {
  uint32_t length = 0;
  for (uint32_t cell = goal; map->from[cell] != kNone; cell -= (uint32_t)map->steps[map->from[cell]])
    path[length++] = map->from[cell];
  return length;
}

static void printPath(const uint8_t *path, uint32_t length) {
  for (uint32_t i = length; i > 0;) {
    uint32_t run = 1;
    while (run < i && path[i - 1 - run] == path[i - 1]) run++;
    printf("%c%" PRIu32, kLetters[path[i - 1]], run);
    i -= run;
  }
}

static uint32_t randomPlace(Rng *rng, const uint8_t *ground, uint32_t cells) {
  uint32_t cell = randomBelow(rng, cells);
  while (ground[cell] == kWall) cell = randomBelow(rng, cells);
  return cell;
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t width = argument(argc, argv, 2, 128, 4, 2048);
  uint32_t queries = argument(argc, argv, 3, 6, 1, 100);
  uint32_t cells = width * width;
  uint8_t *ground = newArray(cells, 1);
  for (uint32_t y = 1; y + 1 < width; y++)
    for (uint32_t x = 1; x + 1 < width; x++) {
      bool isWall = randomBelow(&rng, 5) == 0;
      uint32_t slowness = 1 + randomBelow(&rng, kSlowest);
      ground[y * width + x] = (uint8_t)(isWall ? kWall : slowness);
    }
  ground[width + 1] = 1;  // at least one place is free
  uint32_t *places = newArray((size_t)queries * 2, sizeof *places);
  for (uint32_t i = 0; i < queries * 2; i++) places[i] = randomPlace(&rng, ground, cells);
  Map map = {width, ground, {1, -1, (int32_t)width, -(int32_t)width}, NULL, NULL, NULL, NULL, 0};
  map.cost = newArray(cells, sizeof *map.cost);
  map.from = newArray(cells, sizeof *map.from);
  map.isDone = newArray(cells, sizeof *map.isDone);
  map.heap = newArray((size_t)cells * kDirections + 1, sizeof *map.heap);
  uint8_t *paths = newArray((size_t)queries * cells, 1);
  uint32_t *lengths = newArray(queries, sizeof *lengths);
  uint32_t *costs = newArray(queries, sizeof *costs);

  region_begin();
  for (uint32_t q = 0; q < queries; q++) {
    uint32_t goal = places[2 * q + 1];
    bool isFound = findPath(&map, places[2 * q], goal);
    lengths[q] = isFound ? readPath(&map, goal, paths + (size_t)q * cells) : 0;
    costs[q] = map.cost[goal];
  }
  region_end();

  for (uint32_t q = 0; q < queries; q++) {
    printf("from %" PRIu32 " to %" PRIu32, places[2 * q], places[2 * q + 1]);
    if (costs[q] == UINT32_MAX) {
      printf(" no path\n");
      continue;
    }
    printf(" cost %" PRIu32 " path ", costs[q]);
    printPath(paths + (size_t)q * cells, lengths[q]);
    printf(".\n");
  }
  free(costs);
  free(lengths);
  free(paths);
  free(map.heap);
  free(map.isDone);
  free(map.from);
  free(map.cost);
  free(places);
  free(ground);
  return 0;
}
