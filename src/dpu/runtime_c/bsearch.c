// Searching what is sorted.
// Defines: bsearch

#include <stdint.h>
#include <stdlib.h>

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  const uint8_t *first = base;
  while (count > 0) {
    const size_t half = count / 2;
    const uint8_t *const middle = first + half * size;
    const int order = compare(key, middle);
    if (order == 0) return (void *)middle;
    if (order > 0) {
      first = middle + size;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return NULL;
}
