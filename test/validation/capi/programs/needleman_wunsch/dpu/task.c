// Fills the matrix of scores in MRAM. Row and column 0 are gaps; element (i, j) is at [i + BLOCK - 1][j + BLOCK - 1],
// so that blocks begin at multiples of BLOCK.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct pair pair;
__host int32_t score;
__mram_noinit int32_t matrix[SIDE][SIDE];

BARRIER_INIT(my_barrier, NR_TASKLETS);

typedef int32_t row_t[2 * BLOCK];  // the end of the block on the left, and the block

static int32_t max3(int32_t a, int32_t b, int32_t c) {
  const int32_t most = a > b ? a : b;
  return most > c ? most : c;
}

// rows[0] is the last row of the blocks above.
static void fill_block(uint32_t bi, uint32_t bj, row_t *rows) {
  for (uint32_t r = 0; r <= BLOCK; ++r)
    mram_read(&matrix[bi * BLOCK + r + BLOCK - 1][bj * BLOCK], rows[r], sizeof(row_t));
  for (uint32_t r = 1; r <= BLOCK; ++r) {
    const uint8_t letter = pair.a[bi * BLOCK + r - 1];
    for (uint32_t c = BLOCK; c < 2 * BLOCK; ++c) {
      const int32_t diagonal = rows[r - 1][c - 1] + (letter == pair.b[bj * BLOCK + c - BLOCK] ? MATCH : MISMATCH);
      rows[r][c] = max3(diagonal, rows[r - 1][c] + GAP, rows[r][c - 1] + GAP);
    }
    mram_write(&rows[r][BLOCK], &matrix[bi * BLOCK + r + BLOCK - 1][bj * BLOCK + BLOCK], BLOCK * sizeof(int32_t));
  }
}

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  const uint32_t rows_of_blocks = pair.length_a / BLOCK, columns_of_blocks = pair.length_b / BLOCK;
  // Gaps. Element (i, 0) shares its 8 bytes with another of its row only.
  for (uint32_t i = id; i <= pair.length_a; i += NR_TASKLETS) matrix[i + BLOCK - 1][BLOCK - 1] = (int32_t)i * GAP;
  if (id == NR_TASKLETS - 1)
    for (uint32_t j = 1; j <= pair.length_b; ++j) matrix[BLOCK - 1][j + BLOCK - 1] = (int32_t)j * GAP;
  barrier_wait(&my_barrier);
  row_t *rows = mem_alloc((BLOCK + 1) * sizeof(row_t));
  for (uint32_t diagonal = 0; diagonal + 1 < rows_of_blocks + columns_of_blocks; ++diagonal) {
    for (uint32_t bi = id; bi <= diagonal && bi < rows_of_blocks; bi += NR_TASKLETS)
      if (diagonal - bi < columns_of_blocks) fill_block(bi, diagonal - bi, rows);
    barrier_wait(&my_barrier);
  }
  if (id == 0) score = matrix[pair.length_a + BLOCK - 1][pair.length_b + BLOCK - 1];
  return 0;
}
