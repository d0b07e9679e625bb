// Many locks on few atomic bits: lock n is bit n modulo the pool's size. Two locks may be one bit, so a tasklet that
// holds a lock of a pool must not take another one of it.
#ifndef PIMENTO_DPU_MUTEX_POOL_H
#define PIMENTO_DPU_MUTEX_POOL_H

#include <mutex.h>

struct mutex_pool {
  uint8_t *mutexes;    ///< first of consecutive atomic bits
  uint32_t hash_mask;  ///< how many, less one
};

/// Defines the pool NAME of NB_MUTEXES (a power of two) atomic bits, at file scope.
#define MUTEX_POOL_INIT(NAME, NB_MUTEXES)                                                         \
  _Static_assert((NB_MUTEXES) > 0 && ((NB_MUTEXES) & ((NB_MUTEXES) - 1)) == 0, "a power of two"); \
  uint8_t __atomic_bit __atomic_bits_pool_##NAME[NB_MUTEXES];                                     \
  extern const struct mutex_pool NAME;                                                            \
  const struct mutex_pool NAME = {__atomic_bits_pool_##NAME, (NB_MUTEXES) - 1};

static inline __attribute__((always_inline, nodebug)) void mutex_pool_lock(const struct mutex_pool *pool,
                                                                           uint16_t lock) {
  mutex_lock(pool->mutexes + (lock & pool->hash_mask));
}

static inline __attribute__((always_inline, nodebug)) void mutex_pool_unlock(const struct mutex_pool *pool,
                                                                             uint16_t lock) {
  mutex_unlock(pool->mutexes + (lock & pool->hash_mask));
}

#endif
