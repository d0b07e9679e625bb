// pimento: --size n=24,m=20,k=28
#include <string.h>
typedef unsigned int index_t;
void sgemm(index_t n, index_t m, index_t k, float alpha, const float *restrict A, const float *restrict B, float beta,
           float *restrict C) {
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < m; ++j) {
      register float acc = 0.0f;
      for (index_t p = 0; p < k; ++p) acc += A[i * k + p] * B[p * m + j];
      C[i * m + j] = alpha * acc + beta * C[i * m + j];
    }
}
