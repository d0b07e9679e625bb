// What the programs of this folder share: seeded inputs, arguments, the markers of the measured region, checksums.
//
// A program makes its input from a seed, runs its algorithm between region_begin() and region_end(), and prints
// integers that hold the whole result. They are the same on every machine, and scripts/cim computes them again in
// another way. Not here: graphs (graph.h).
#ifndef PIMENTO_KERNELS_CIM_BENCH_H
#define PIMENTO_KERNELS_CIM_BENCH_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The measured region lies between calls of these two: `pimento profile PROG --start region_begin --stop region_end`.
void region_begin(void);
void region_end(void);

// The statements keep the calls, and keep memory as the source says at both ends.
__attribute__((noinline)) void region_begin(void) {
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void region_end(void) {
  __asm__ volatile("" ::: "memory");
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): 64 bits of state, each output used once.
typedef struct {
  uint64_t state;
} Rng;

static inline uint64_t randomBits(Rng *rng) {
  uint64_t z = rng->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// A number in [0, bound), from the upper half of one output.
static inline uint32_t randomBelow(Rng *rng, uint32_t bound) {
  return (uint32_t)(((randomBits(rng) >> 32) * bound) >> 32);
}

/// A number in [low, high].
static inline int32_t randomBetween(Rng *rng, int32_t low, int32_t high) {
  return low + (int32_t)randomBelow(rng, (uint32_t)(high - low + 1));
}

/// Argument `i` of `prog [SEED [SIZE...]]`, or `usual` where it is not given. Ends the program if it is no number of
/// [least, most].
static inline uint32_t argument(int argc, char **argv, int i, uint32_t usual, uint32_t least, uint32_t most) {
  if (argc <= i) return usual;
  char *end = argv[i];
  unsigned long long value = strtoull(argv[i], &end, 10);
  if (end == argv[i] || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "%s: argument %d is '%s', which is no number from %" PRIu32 " to %" PRIu32 "\n", argv[0], i,
            argv[i], least, most);
    exit(2);
  }
  return (uint32_t)value;
}

/// The seed is the first argument.
static inline Rng seededRng(int argc, char **argv) {
  return (Rng){argument(argc, argv, 1, 1, 0, UINT32_MAX)};
}

/// Zeroed memory for `count` elements; ends the program if there is none.
static inline void *newArray(size_t count, size_t elementSize) {
  void *memory = calloc(count ? count : 1, elementSize);
  if (!memory) {
    fprintf(stderr, "no memory for %zu elements\n", count);
    exit(3);
  }
  return memory;
}

/// FNV-1a over 32-bit words, for results that are too long to print.
typedef struct {
  uint64_t value;
} Checksum;

static inline Checksum newChecksum(void) {
  return (Checksum){0xCBF29CE484222325u};
}

static inline void addWord(Checksum *sum, uint32_t word) {
  sum->value = (sum->value ^ word) * 0x100000001B3u;
}

static inline uint64_t checksumOf(const uint32_t *words, size_t count) {
  Checksum sum = newChecksum();
  for (size_t i = 0; i < count; i++) addWord(&sum, words[i]);
  return sum.value;
}

#endif
