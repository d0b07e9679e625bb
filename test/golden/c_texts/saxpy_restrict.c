// pimento: --size n=1000
#include <stddef.h>
typedef float real;
void saxpy(size_t n, real a, const real *restrict x, real *restrict y) {
  for (size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
