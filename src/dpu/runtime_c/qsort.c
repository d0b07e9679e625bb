// Sorting by heap: no recursion, since stacks are small, and never slow.
// Defines: qsort

#include <stdint.h>
#include <stdlib.h>

static void exchange(uint8_t *a, uint8_t *b, size_t size) {
  if ((((uintptr_t)a | size) & 3) == 0) {
    for (size_t i = 0; i < size; i += 4) {
      const uint32_t word = *(uint32_t *)(a + i);
      *(uint32_t *)(a + i) = *(uint32_t *)(b + i);
      *(uint32_t *)(b + i) = word;
    }
    return;
  }
  for (size_t i = 0; i < size; ++i) {
    const uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}

/// Lets the object at `at` sink below all that are greater, among those before `end`. Places are bytes from `base`: no
/// products.
static void sink(uint8_t *base, size_t at, size_t end, size_t size, int (*compare)(const void *, const void *)) {
  for (;;) {
    size_t child = 2 * at + size;
    if (child >= end) return;
    if (child + size < end && compare(base + child, base + child + size) < 0) child += size;
    if (compare(base + at, base + child) >= 0) return;
    exchange(base + at, base + child, size);
    at = child;
  }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  uint8_t *const objects = base;
  const size_t end = count * size;
  for (size_t at = count / 2 * size; at > 0; at -= size) sink(objects, at - size, end, size, compare);
  for (size_t last = end; last > size; last -= size) {
    exchange(objects, objects + last - size, size);
    sink(objects, 0, last - size, size, compare);
  }
}
