// Compares what the DPUs computed with plain C on the host, and random data to compute on.
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned long differences;

static inline void count_difference(const char *what, size_t index, const char *got, const char *wanted) {
  if (differences++ < 8) printf("%s[%zu]: %s, but should be %s\n", what, index, got, wanted);
}

static inline void expect_equal(const char *what, size_t index, int64_t got, int64_t wanted) {
  if (got == wanted) return;
  char a[64], b[64];
  snprintf(a, sizeof(a), "%" PRId64, got);
  snprintf(b, sizeof(b), "%" PRId64, wanted);
  count_difference(what, index, a, b);
}

/// Equal bit for bit, so that a NaN equals itself.
static inline void expect_same(const char *what, size_t index, double got, double wanted) {
  if (memcmp(&got, &wanted, sizeof(got)) == 0) return;
  char a[64], b[64];
  snprintf(a, sizeof(a), "%.17g", got);
  snprintf(b, sizeof(b), "%.17g", wanted);
  count_difference(what, index, a, b);
}

static inline void expect_near(const char *what, size_t index, double got, double wanted, double tolerance) {
  if (got - wanted <= tolerance && wanted - got <= tolerance) return;
  char a[64], b[64];
  snprintf(a, sizeof(a), "%.9g", got);
  snprintf(b, sizeof(b), "%.9g within %.3g", wanted, tolerance);
  count_difference(what, index, a, b);
}

/// The exit status.
static inline int verdict(const char *name) {
  if (differences == 0) {
    printf("[OK] %s: outputs are equal\n", name);
    return 0;
  }
  printf("[ERROR] %s: %lu outputs differ\n", name, differences);
  return 1;
}

static inline uint32_t random_word(uint32_t *state) {
  uint32_t x = *state != 0 ? *state : 0x9e3779b9u;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x * 0x2545f491u;
}

static inline uint32_t random_below(uint32_t *state, uint32_t end) {
  return (uint32_t)((uint64_t)random_word(state) * end >> 32);
}

static inline uint32_t round_up(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
