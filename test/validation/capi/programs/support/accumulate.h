// Sums in MRAM to which all tasklets add, for the DPU halves of the spmv programs: under one lock (LOCK_COARSE), under
// a lock per 8 bytes taken from a pool (LOCK_FINE).
#pragma once

#include <mram.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <stdint.h>

#ifndef TYPE
#define TYPE int32_t
#endif

typedef union {
  uint64_t word;
  TYPE elements[8 / sizeof(TYPE)];
} mram_word_t;

#if defined(LOCK_FINE)
MUTEX_POOL_INIT(sums_mutexes, 16);
#else
MUTEX_INIT(sums_mutex);
#endif

static inline TYPE load_element(uint32_t array, uint32_t index) {
  mram_word_t cache;
  const uint32_t at = array + index * sizeof(TYPE);
  mram_read((__mram_ptr void const *)(at & ~7u), &cache, 8);
  return cache.elements[(at & 7u) / sizeof(TYPE)];
}

static inline void add_element(uint32_t array, uint32_t index, TYPE value) {
  mram_word_t cache;
  const uint32_t at = array + index * sizeof(TYPE);
#if defined(LOCK_FINE)
  mutex_pool_lock(&sums_mutexes, at / 8);
#else
  mutex_lock(sums_mutex);
#endif
  mram_read((__mram_ptr void const *)(at & ~7u), &cache, 8);
  cache.elements[(at & 7u) / sizeof(TYPE)] += value;
  mram_write(&cache, (__mram_ptr void *)(at & ~7u), 8);
#if defined(LOCK_FINE)
  mutex_pool_unlock(&sums_mutexes, at / 8);
#else
  mutex_unlock(sums_mutex);
#endif
}

/// Sets `bytes` (a multiple of 8) at `array` to zero, shared out among the tasklets in words.
static inline void clear_sums(uint32_t array, uint32_t bytes, uint32_t tasklet) {
  const uint64_t zero = 0;
  for (uint32_t at = tasklet * 8; at < bytes; at += NR_TASKLETS * 8)
    mram_write(&zero, (__mram_ptr void *)(array + at), 8);
}
