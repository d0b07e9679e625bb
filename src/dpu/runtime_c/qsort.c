// Sorting by heap: no recursion, since stacks are small, and never slow.
// Defines: qsort

#include <stdint.h>
#include <stdlib.h>

static void exchange(uint8_t *a, uint8_t *b, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}

/// Lets the object at `at` sink below all that are greater, among the first `count`.
static void sink(uint8_t *base, size_t at, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0) ++child;
    if (compare(base + at * size, base + child * size) >= 0) return;
    exchange(base + at * size, base + child * size, size);
    at = child;
  }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  uint8_t *const objects = base;
  for (size_t i = count / 2; i > 0; --i) sink(objects, i - 1, count, size, compare);
  for (size_t last = count; last > 1; --last) {
    exchange(objects, objects + (last - 1) * size, size);
    sink(objects, 0, last - 1, size, compare);
  }
}
