// One step of k-means: assigns every point to the nearest centre and sums up the points of every centre.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <string.h>

#include "common.h"

__host uint32_t nr_points;
__host int_feature centres[NCLUSTERS][STRIDE];
__host result_t result;
__mram_noinit int_feature points[4096][STRIDE];
__mram_noinit uint8_t membership[4096];

BARRIER_INIT(sync_barrier, NR_TASKLETS);
#ifdef SUMS_SHARED
MUTEX_INIT(sums_mutex);
MUTEX_INIT(inertia_mutex);
#else
static result_t partial[NR_TASKLETS];
#endif

static uint32_t nearest(const int_feature *point, uint64_t *distance) {
  uint32_t best = 0;
  uint64_t least = UINT64_MAX;
  for (uint32_t k = 0; k < NCLUSTERS; k++) {
    uint64_t d = 0;
    for (uint32_t f = 0; f < NFEATURES; f++) {
      const int32_t diff = point[f] - centres[k][f];
      d += (uint64_t)((int64_t)diff * diff);
    }
    if (d < least) {
      least = d;
      best = k;
    }
  }
  *distance = least;
  return best;
}

static void add_to(result_t *to, const int_feature *point, uint32_t k) {
  for (uint32_t f = 0; f < NFEATURES; f++) to->sum[k][f] += point[f];
  to->count[k]++;
}

static void init_sums(unsigned int id) {
#ifdef SUMS_SHARED
  if (id == 0) memset(&result, 0, sizeof(result));
#else
  memset(&partial[id], 0, sizeof(partial[id]));
#endif
}

#ifdef SUMS_PRIVATE
static void merge_sums(unsigned int id) {
  // Clusters are shared out among tasklets.
  for (uint32_t k = id; k < NCLUSTERS; k += NR_TASKLETS) {
    result.count[k] = 0;
    for (uint32_t f = 0; f < NFEATURES; f++) result.sum[k][f] = 0;
    for (uint32_t t = 0; t < NR_TASKLETS; t++) {
      result.count[k] += partial[t].count[k];
      for (uint32_t f = 0; f < NFEATURES; f++) result.sum[k][f] += partial[t].sum[k][f];
    }
  }
  if (id == 0) {
    result.inertia = 0;
    for (uint32_t t = 0; t < NR_TASKLETS; t++) result.inertia += partial[t].inertia;
  }
}
#endif

int main() {
  const unsigned int id = me();
  if (id == 0) mem_reset();
  init_sums(id);
  barrier_wait(&sync_barrier);
  int_feature(*tile)[STRIDE] = mem_alloc(TILE_POINTS * sizeof(*tile));
  uint8_t *members = mem_alloc(TILE_POINTS);
  uint64_t inertia = 0;
  for (uint32_t first = id * TILE_POINTS; first < nr_points; first += NR_TASKLETS * TILE_POINTS) {
    const uint32_t count = nr_points - first < TILE_POINTS ? nr_points - first : TILE_POINTS;
    mram_read(points[first], tile, count * sizeof(*tile));
    for (uint32_t i = 0; i < count; i++) {
      uint64_t distance;
      const uint32_t k = nearest(tile[i], &distance);
      members[i] = (uint8_t)k;
      inertia += distance;
#ifdef SUMS_SHARED
      mutex_lock(sums_mutex);
      add_to(&result, tile[i], k);
      mutex_unlock(sums_mutex);
#else
      add_to(&partial[id], tile[i], k);
#endif
    }
    mram_write(members, &membership[first], TILE_POINTS);
  }
#ifdef SUMS_SHARED
  mutex_lock(inertia_mutex);
  result.inertia += inertia;
  mutex_unlock(inertia_mutex);
#else
  partial[id].inertia = inertia;
  barrier_wait(&sync_barrier);
  merge_sums(id);
#endif
  return 0;
}
