// A random sparse matrix and the product of it and a vector in plain C, for the host halves of the spmv programs.
#pragma once

#include <stdlib.h>

#include "check.h"

#ifndef TYPE
#define TYPE int32_t
#endif

struct csr {
  uint32_t rows, columns, elements;
  uint32_t *first;  // of every row, and the end
  uint32_t *column;
  TYPE *value;
};

/// Rows of very different lengths: every 7th is empty, every 16th has half of all columns.
static inline struct csr random_matrix(uint32_t rows, uint32_t columns, uint32_t *state) {
  struct csr m = {rows, columns, 0, calloc(rows + 1, sizeof(uint32_t)), NULL, NULL};
  m.column = malloc((size_t)rows * columns * sizeof(uint32_t));
  m.value = malloc((size_t)rows * columns * sizeof(TYPE));
  for (uint32_t row = 0; row < rows; ++row) {
    m.first[row] = m.elements;
    const uint32_t chance = row % 7 == 3 ? 0 : row % 16 == 0 ? 50 : 4;  // percent
    for (uint32_t column = 0; column < columns; ++column) {
      if (random_below(state, 100) >= chance) continue;
      m.column[m.elements] = column;
      m.value[m.elements++] = (TYPE)((int32_t)random_below(state, 15) - 7);
    }
  }
  m.first[rows] = m.elements;
  return m;
}

static inline void free_matrix(struct csr m) {
  free(m.first), free(m.column), free(m.value);
}

static inline TYPE *random_vector(uint32_t n, uint32_t *state) {
  TYPE *x = calloc(round_up(n, 8), sizeof(TYPE));
  for (uint32_t i = 0; i < n; ++i) x[i] = (TYPE)((int32_t)random_below(state, 11) - 5);
  return x;
}

static inline TYPE *product(struct csr m, const TYPE *x) {
  TYPE *y = calloc(m.rows + 1, sizeof(TYPE));
  for (uint32_t row = 0; row < m.rows; ++row)
    for (uint32_t i = m.first[row]; i < m.first[row + 1]; ++i) y[row] = (TYPE)(y[row] + m.value[i] * x[m.column[i]]);
  return y;
}
