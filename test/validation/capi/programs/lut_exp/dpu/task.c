// A function of every number, in place. The program's own expf, logf, sqrtf, ldexpf, frexpf replace the library's.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct tables tables;
__host struct arguments arguments;
__mram_noinit float numbers[2048];

#define FUNCTION
#define NAME(name) name
#include "functions.h"

BARRIER_INIT(barrier, NR_TASKLETS);

#define NUMBERS_PER_READ 16

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&barrier);
  float *cache = (float *)mem_alloc(NUMBERS_PER_READ * sizeof(float));
  for (unsigned int i = me() * NUMBERS_PER_READ; i < arguments.n; i += NR_TASKLETS * NUMBERS_PER_READ) {
    mram_read(&numbers[i], cache, NUMBERS_PER_READ * sizeof(float));
    for (int k = 0; k < NUMBERS_PER_READ; k++) cache[k] = apply(arguments.function, cache[k]);
    mram_write(cache, &numbers[i], NUMBERS_PER_READ * sizeof(float));
  }
  return 0;
}
