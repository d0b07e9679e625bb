// A sparse matrix as dense blocks of 4 x 4 elements, for the host halves of the programs in blocked formats.
#pragma once

#include "spmv.h"

#define BLOCK_SIZE 4

struct blocked {
  uint32_t block_rows, block_columns, blocks;
  uint32_t *first;         // of every row of blocks, and the end
  uint32_t *row, *column;  // of every block
  TYPE (*value)[BLOCK_SIZE * BLOCK_SIZE];
};

static inline struct blocked to_blocks(struct csr m) {
  const uint32_t b = BLOCK_SIZE, rows = (m.rows + b - 1) / b, columns = (m.columns + b - 1) / b;
  struct blocked result = {rows, columns, 0, calloc(rows + 1, sizeof(uint32_t)), NULL, NULL, NULL};
  result.row = malloc((size_t)rows * columns * sizeof(uint32_t));
  result.column = malloc((size_t)rows * columns * sizeof(uint32_t));
  result.value = calloc((size_t)rows * columns, sizeof(*result.value));
  uint32_t *place = malloc(columns * sizeof(uint32_t));  // of a column's block in this row; none: UINT32_MAX
  for (uint32_t row = 0; row < rows; ++row) {
    result.first[row] = result.blocks;
    for (uint32_t c = 0; c < columns; ++c) place[c] = UINT32_MAX;
    const uint32_t end = row * b + b < m.rows ? row * b + b : m.rows;
    for (uint32_t r = row * b; r < end; ++r) {
      for (uint32_t i = m.first[r]; i < m.first[r + 1]; ++i) {
        uint32_t *at = &place[m.column[i] / b];
        if (*at == UINT32_MAX) {
          *at = result.blocks++;
          result.row[*at] = row;
          result.column[*at] = m.column[i] / b;
        }
        result.value[*at][r % b * b + m.column[i] % b] = m.value[i];
      }
    }
  }
  result.first[rows] = result.blocks;
  free(place);
  return result;
}

static inline void free_blocks(struct blocked m) {
  free(m.first), free(m.row), free(m.column), free(m.value);
}
