"""A C program for DPUs of any length, for measuring the compiler: functions of the kinds that programs are made of
(loops over words and pairs, branches, switches, calls, structs, floating point, transfers), repeated under other names.
"""

HEAD = """#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
__host struct { uint32_t count, mode; } arguments;
__host uint64_t results[NR_TASKLETS];
BARRIER_INIT(everybody, NR_TASKLETS);
"""

PART = """
struct record@ { uint8_t kind; int16_t weight; uint32_t key; int64_t total; };
static struct record@ table@[16];
static int compare@(const struct record@ *a, const struct record@ *b) {
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->weight - b->weight;
}
static void sort@(struct record@ *r, int n) {
  for (int i = 1; i < n; ++i) {
    struct record@ moved = r[i];
    int j = i;
    for (; j > 0 && compare@(&moved, &r[j - 1]) < 0; --j) r[j] = r[j - 1];
    r[j] = moved;
  }
}
static uint32_t step@(uint32_t state, uint8_t event) {
  switch (event & 7) {
    case 0: return state + @;
    case 1: return state ^ (state << 5);
    case 2: return state * 2654435761u;
    case 3: return state % 1021;
    case 4: return state >> 3 | state << 29;
    case 5: return __builtin_popcount(state);
    default: return state - event;
  }
}
static float smooth@(const float *x, int n) {
  float sum = 0;
  for (int i = 1; i + 1 < n; ++i) sum += 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
  return sum / (float)n;
}
__attribute__((noinline)) uint64_t part@(uint32_t *words, int n) {
  uint64_t sum = 0;
  uint32_t state = @;
  for (int i = 0; i < n; ++i) {
    state = step@(state, (uint8_t)words[i]);
    table@[i & 15].key = state;
    table@[i & 15].total += (int64_t)words[i] * (int32_t)state;
  }
  sort@(table@, 16);
  for (int i = 0; i < 16; ++i) sum += (uint64_t)table@[i].total;
  return sum + (uint64_t)(int64_t)smooth@((const float *)words, n);
}
"""

MAIN = """
int main(void) {
  if (me() == 0) mem_reset();
  barrier_wait(&everybody);
  uint32_t *words = mem_alloc(1024);
  for (uint32_t at = me() * 1024; at < arguments.count; at += 1024 * NR_TASKLETS) {
    mram_read((__mram_ptr void *)((uint32_t)DPU_MRAM_HEAP_POINTER + at), words, 1024);
    %s
  }
  if (me() == 0) printf("%%u\\n", arguments.mode);
  return 0;
}
"""


def program(lines):
    """A program of at least so many lines."""
    parts = 1 + (lines - HEAD.count("\n") - MAIN.count("\n")) // PART.count("\n")
    calls = " ".join(f"results[me()] += part{i}(words, 256);" for i in range(parts))
    return HEAD + "".join(PART.replace("@", str(i)) for i in range(parts)) + MAIN % calls
