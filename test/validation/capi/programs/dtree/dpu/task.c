// Answers what the host asks to grow a decision tree: the range of a feature in a leaf, the classes on both sides of a
// threshold, and a split.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <float.h>
#include <mram.h>
#include <mutex.h>

#include "common.h"

__host command_t command;
__host answer_t answer;
__mram_noinit float features[NFEATURES * MAX_POINTS];
__mram_noinit uint8_t classes[MAX_POINTS];
__mram_noinit uint8_t leaves[MAX_POINTS];

BARRIER_INIT(barrier, NR_TASKLETS);
MUTEX_INIT(answer_mutex);

static void find_range(const float *x, const uint8_t *leaf, uint32_t count, float *least, float *most) {
  for (uint32_t i = 0; i < count; i++) {
    if (leaf[i] != command.leaf) continue;
    if (x[i] < *least) *least = x[i];
    if (x[i] > *most) *most = x[i];
  }
}

static void evaluate(const float *x, const uint8_t *leaf, const uint8_t *class, uint32_t count,
                     uint32_t to[2][NCLASSES]) {
  for (uint32_t i = 0; i < count; i++)
    if (leaf[i] == command.leaf) to[x[i] > command.threshold][class[i]]++;
}

static void commit(const float *x, uint8_t *leaf, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (leaf[i] == command.leaf && x[i] > command.threshold) leaf[i] = (uint8_t)command.new_leaf;
}

int main() {
  if (me() == 0) {
    mem_reset();
    answer = (answer_t){FLT_MAX, -FLT_MAX, {{0}, {0}}};
  }
  barrier_wait(&barrier);
  float *x = mem_alloc(BLOCK_SIZE);
  uint8_t *leaf = mem_alloc(BLOCK_POINTS), *class = mem_alloc(BLOCK_POINTS);
  float least = FLT_MAX, most = -FLT_MAX;
  uint32_t split[2][NCLASSES] = {{0}, {0}};
  const uint32_t points = command.nr_points;
  for (uint32_t first = me() * BLOCK_POINTS; first < points; first += NR_TASKLETS * BLOCK_POINTS) {
    const uint32_t count = points - first < BLOCK_POINTS ? points - first : BLOCK_POINTS;
    mram_read(&features[command.feature * MAX_POINTS + first], x, BLOCK_SIZE);
    mram_read(&leaves[first], leaf, BLOCK_POINTS);
    switch (command.command) {
      case kMinMax:
        find_range(x, leaf, count, &least, &most);
        break;
      case kEvaluate:
        mram_read(&classes[first], class, BLOCK_POINTS);
        evaluate(x, leaf, class, count, split);
        break;
      case kCommit:
        commit(x, leaf, count);
        mram_write(leaf, &leaves[first], BLOCK_POINTS);
        break;
      default:
        halt();
    }
  }
  mutex_lock(answer_mutex);
  if (least < answer.least) answer.least = least;
  if (most > answer.most) answer.most = most;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < NCLASSES; c++) answer.count[side][c] += split[side][c];
  mutex_unlock(answer_mutex);
  return 0;
}
