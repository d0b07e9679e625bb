#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#define N 48
#define M 36
static double now(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + 1e-6 * t.tv_usec;
}
static void fill(int *x, int n) {
  for (int i = 0; i < n; i++) x[i] = rand() % 100;
}
void transposed_product(int n, int m, const int *A, const int *x, int *y) {
#pragma scop
  for (int j = 0; j < m; j++) {
    y[j] = 0;
    for (int i = 0; i < n; i++) y[j] += A[i * m + j] * x[i];
  }
#pragma endscop
}
int main(int argc, char *argv[]) {
  int *A = (int *)malloc(N * M * sizeof(int)), *x = (int *)malloc(N * sizeof(int)), *y = (int *)malloc(M * sizeof(int));
  if (A == NULL || x == NULL || y == NULL) exit(EXIT_FAILURE);
  fill(A, N * M);
  fill(x, N);
  double start = now();
  transposed_product(N, M, A, x, y);
  fprintf(stderr, "%f s\n", now() - start);
  for (int j = 0; j < M; j++) printf("%d ", y[j]);
  free(A), free(x), free(y);
  return 0;
}
