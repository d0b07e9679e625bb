// KM: k-means by Lloyd's algorithm (IEEE Trans. Inf. Theory 1982) on points of bytes, from the first points as centres,
// until no point moves. All integer: centres are rounded down.
//
//   km [SEED [POINTS [CLUSTERS [DIMENSIONS]]]]
#include "bench.h"

enum { kMostClusters = 64, kMostDimensions = 32, kMostRounds = 100, kSpread = 40 };

typedef struct {
  uint32_t points, clusters, dimensions;
  const uint8_t *values;  // by point
  int32_t centres[kMostClusters][kMostDimensions];
  uint32_t *cluster;  // of each point
} Clustering;

static uint32_t squaredDistance(const uint8_t *point, const int32_t *centre, uint32_t dimensions) {
  int32_t sum = 0;
  for (uint32_t d = 0; d < dimensions; d++) {
    int32_t difference = point[d] - centre[d];
    sum += difference * difference;
  }
  return (uint32_t)sum;
}

/// Gives each point the nearest centre, the first one of equals. Returns how many moved.
static uint32_t assign(Clustering *work) {
  uint32_t moved = 0;
  for (uint32_t p = 0; p < work->points; p++) {
    const uint8_t *point = work->values + (size_t)p * work->dimensions;
    uint32_t nearest = 0, least = UINT32_MAX;
    for (uint32_t c = 0; c < work->clusters; c++) {
      uint32_t distance = squaredDistance(point, work->centres[c], work->dimensions);
      if (distance >= least) continue;
      least = distance;
      nearest = c;
    }
    moved += work->cluster[p] != nearest;
    work->cluster[p] = nearest;
  }
  return moved;
}

/// Moves each centre to the mean of its points; one without points stays.
static void moveCentres(Clustering *work) {
  uint32_t counts[kMostClusters] = {0};
  int32_t sums[kMostClusters][kMostDimensions] = {{0}};
  for (uint32_t p = 0; p < work->points; p++) {
    uint32_t c = work->cluster[p];
    counts[c]++;
    for (uint32_t d = 0; d < work->dimensions; d++) sums[c][d] += work->values[(size_t)p * work->dimensions + d];
  }
  for (uint32_t c = 0; c < work->clusters; c++)
    for (uint32_t d = 0; d < work->dimensions; d++)
      if (counts[c] > 0) work->centres[c][d] = sums[c][d] / (int32_t)counts[c];
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t points = argument(argc, argv, 2, 2048, kMostClusters, 1 << 20);
  uint32_t clusters = argument(argc, argv, 3, 10, 1, kMostClusters);
  uint32_t dimensions = argument(argc, argv, 4, 8, 1, kMostDimensions);
  // Points lie around as many places as there are clusters.
  uint8_t places[kMostClusters][kMostDimensions];
  for (uint32_t c = 0; c < clusters; c++)
    for (uint32_t d = 0; d < dimensions; d++) places[c][d] = (uint8_t)randomBetween(&rng, kSpread, UINT8_MAX - kSpread);
  uint8_t *values = newArray((size_t)points * dimensions, 1);
  for (uint32_t p = 0; p < points; p++) {
    const uint8_t *place = places[randomBelow(&rng, clusters)];
    for (uint32_t d = 0; d < dimensions; d++)
      values[(size_t)p * dimensions + d] = (uint8_t)(place[d] + randomBetween(&rng, -kSpread, kSpread));
  }
  Clustering *work = newArray(1, sizeof *work);
  work->points = points;
  work->clusters = clusters;
  work->dimensions = dimensions;
  work->values = values;
  work->cluster = newArray(points, sizeof *work->cluster);
  for (uint32_t p = 0; p < points; p++) work->cluster[p] = clusters;  // none
  for (uint32_t c = 0; c < clusters; c++)
    for (uint32_t d = 0; d < dimensions; d++) work->centres[c][d] = values[(size_t)c * dimensions + d];

  region_begin();
  uint32_t rounds = 0;
  while (rounds < kMostRounds) {
    rounds++;
    if (assign(work) == 0) break;
    moveCentres(work);
  }
  region_end();

  uint64_t error = 0;
  Checksum centres = newChecksum();
  for (uint32_t p = 0; p < points; p++)
    error += squaredDistance(values + (size_t)p * dimensions, work->centres[work->cluster[p]], dimensions);
  for (uint32_t c = 0; c < clusters; c++)
    for (uint32_t d = 0; d < dimensions; d++) addWord(&centres, (uint32_t)work->centres[c][d]);
  printf("rounds %" PRIu32 " error %" PRIu64 "\n", rounds, error);
  printf("centres %016" PRIx64 " clusters %016" PRIx64 "\n", centres.value, checksumOf(work->cluster, points));
  free(work->cluster);
  free(work);
  free(values);
  return 0;
}
