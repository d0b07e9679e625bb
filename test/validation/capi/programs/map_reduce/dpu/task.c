// Operations on arrays in MRAM, through tables of functions.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stddef.h>

#include "common.h"

__host struct request request;
__host struct answer answer;
__mram_noinit element_t arrays[ARRAYS][MAX_ELEMENTS];

BARRIER_INIT(all, NR_TASKLETS)
MUTEX_INIT(answer_mutex)

typedef element_t (*function_t)(element_t, element_t);

static element_t square(element_t a, element_t b) {
  (void)b;
  return apply(kSquare, a, 0);
}
static element_t negate(element_t a, element_t b) {
  (void)b;
  return apply(kNegate, a, 0);
}
static element_t add(element_t a, element_t b) {
  return apply(kAdd, a, b);
}
static element_t multiply(element_t a, element_t b) {
  return apply(kMultiply, a, b);
}
static element_t maximum(element_t a, element_t b) {
  return apply(kMaximum, a, b);
}
static element_t is_odd(element_t a, element_t b) {
  (void)b;
  return apply(kIsOdd, a, 0);
}

static const function_t functions[kFunctions] = {square, negate, add, multiply, maximum, is_odd};

struct blocks {
  element_t *from, *other;
};

static uint32_t length_at(uint32_t first) {
  const uint32_t left = request.elements - first;
  return left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;
}

static void map(struct blocks b, function_t function) {
  for (uint32_t i = me() * BLOCK_ELEMENTS; i < request.elements; i += NR_TASKLETS * BLOCK_ELEMENTS) {
    mram_read(&arrays[request.from][i], b.from, 1 << BL);
    for (uint32_t k = 0; k < length_at(i); ++k) b.from[k] = function(b.from[k], 0);
    mram_write(b.from, &arrays[request.to][i], 1 << BL);
  }
}

static void zip(struct blocks b, function_t function) {
  for (uint32_t i = me() * BLOCK_ELEMENTS; i < request.elements; i += NR_TASKLETS * BLOCK_ELEMENTS) {
    mram_read(&arrays[request.from][i], b.from, 1 << BL);
    mram_read(&arrays[request.other][i], b.other, 1 << BL);
    for (uint32_t k = 0; k < length_at(i); ++k) b.from[k] = function(b.from[k], b.other[k]);
    mram_write(b.from, &arrays[request.to][i], 1 << BL);
  }
}

// Sums in 64 bits; other functions of two elements as they are.
static void reduce(struct blocks b, function_t function) {
  int64_t value = 0;
  uint32_t count = 0;
  for (uint32_t i = me() * BLOCK_ELEMENTS; i < request.elements; i += NR_TASKLETS * BLOCK_ELEMENTS) {
    mram_read(&arrays[request.from][i], b.from, 1 << BL);
    for (uint32_t k = 0; k < length_at(i); ++k, ++count) {
      if (function == add)
        value += b.from[k];
      else
        value = count == 0 ? b.from[k] : function((element_t)value, b.from[k]);
    }
  }
  if (count == 0) return;
  mutex_lock(answer_mutex);
  if (function == add)
    answer.value += value;
  else
    answer.value = answer.elements == 0 ? value : function((element_t)answer.value, (element_t)value);
  answer.elements += count;
  mutex_unlock(answer_mutex);
}

// One tasklet, because elements keep their order; two at a time are written.
static void filter(struct blocks b, function_t function) {
  if (me() != 0) return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < request.elements; i += BLOCK_ELEMENTS) {
    mram_read(&arrays[request.from][i], b.from, 1 << BL);
    for (uint32_t k = 0; k < length_at(i); ++k) {
      if (!function(b.from[k], 0)) continue;
      b.other[kept++ % 2] = b.from[k];
      if (kept % 2 == 0) mram_write(b.other, &arrays[request.to][kept - 2], 2 * sizeof(element_t));
    }
  }
  if (kept % 2 != 0) mram_write(b.other, &arrays[request.to][kept - 1], 2 * sizeof(element_t));
  answer.elements = kept;
}

static void (*const operations[kOperations])(struct blocks, function_t) = {map, zip, reduce, filter};

int main() {
  if (me() == 0) {
    mem_reset();
    answer = (struct answer){0, 0};
  }
  barrier_wait(&all);
  if (request.operation >= kOperations || request.function >= kFunctions) halt();
  const struct blocks blocks = {mem_alloc(1 << BL), mem_alloc(1 << BL)};
  operations[request.operation](blocks, functions[request.function]);
  return 0;
}
