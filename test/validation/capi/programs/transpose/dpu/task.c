// Transposition in place: element i of a matrix of `rows` x `columns` goes to place (i * rows) mod (rows * columns -
// 1). Tasklets take cycles of this permutation; a bit per element, changed under a lock, says that it has moved.
//
//   kTiles     transposes the array of M x N tiles, each moved as a whole
//   kElements  transposes every tile of m x n elements in WRAM
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stdbool.h>

#include "common.h"

__host dpu_arguments_t DPU_INPUT_ARGUMENTS;

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(tile_mutex);
MUTEX_INIT(moved_mutex);

static uint32_t next_tile;
static uint8_t *moved;

static uint32_t take_tile(void) {
  mutex_lock(tile_mutex);
  const uint32_t mine = next_tile++;
  mutex_unlock(tile_mutex);
  return mine;
}

// True where the bit was clear.
static bool mark(uint32_t i) {
  mutex_lock(moved_mutex);
  const bool was = moved[i >> 3] & (1u << (i & 7));
  moved[i >> 3] |= (uint8_t)(1u << (i & 7));
  mutex_unlock(moved_mutex);
  return !was;
}

static void transpose_tiles(T *mine, T *next, uint32_t id) {
  const uint32_t M = DPU_INPUT_ARGUMENTS.M, N = DPU_INPUT_ARGUMENTS.N, tiles = M * N;
  const uint32_t bytes = DPU_INPUT_ARGUMENTS.m * DPU_INPUT_ARGUMENTS.n * sizeof(T);
  const uint32_t heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  for (uint32_t start = 1 + id; start + 1 < tiles; start += NR_TASKLETS) {
    // A cycle belongs to its smallest member: who starts elsewhere meets a smaller one on the way.
    bool smallest = true;
    for (uint32_t at = start * M % (tiles - 1); at != start && smallest; at = at * M % (tiles - 1))
      smallest = at > start;
    if (!smallest || !mark(start)) continue;
    mram_read((__mram_ptr void const *)(heap + start * bytes), mine, bytes);
    uint32_t at = start;
    do {
      at = at * M % (tiles - 1);
      // Odd addresses: as if they were the multiples of 8 below.
      mram_read((__mram_ptr void const *)(heap + at * bytes + 5), (uint8_t *)next + 3, bytes);
      mram_write((uint8_t *)mine + 1, (__mram_ptr void *)(heap + at * bytes + 7), bytes);
      T *const other = mine;
      mine = next;
      next = other;
    } while (at != start);
  }
}

static void transpose_elements(T *tile) {
  const uint32_t m = DPU_INPUT_ARGUMENTS.m, n = DPU_INPUT_ARGUMENTS.n, bytes = m * n * sizeof(T);
  T *const turned = mem_alloc(bytes);
  const uint32_t tiles = DPU_INPUT_ARGUMENTS.M * DPU_INPUT_ARGUMENTS.N;
  for (uint32_t i; (i = take_tile()) < tiles;) {
    const uint32_t at = (uint32_t)DPU_MRAM_HEAP_POINTER + i * bytes;
    mram_read((__mram_ptr void const *)(at + (i & 7)), tile, bytes);
    for (uint32_t r = 0; r < m; ++r)
      for (uint32_t c = 0; c < n; ++c) turned[c * m + r] = tile[r * n + c];
    mram_write(turned, (__mram_ptr void *)(at + 4), bytes);
  }
}

int main() {
  const uint32_t id = me();
  const uint32_t tiles = DPU_INPUT_ARGUMENTS.M * DPU_INPUT_ARGUMENTS.N;
  if (id == 0) {
    mem_reset();
    next_tile = 0;
    moved = mem_alloc(tiles / 8 + 1);
    for (uint32_t i = 0; i < tiles / 8 + 1; ++i) moved[i] = 0;
  }
  barrier_wait(&my_barrier);
  const uint32_t bytes = DPU_INPUT_ARGUMENTS.m * DPU_INPUT_ARGUMENTS.n * sizeof(T);
  T *mine = mem_alloc(bytes), *next = mem_alloc(bytes);
  if (DPU_INPUT_ARGUMENTS.kernel == kTiles)
    transpose_tiles(mine, next, id);
  else
    transpose_elements(mine);
  return 0;
}
