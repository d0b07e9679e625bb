// Mutual exclusion: one atomic bit. Who waits spins.
#ifndef PIMENTO_DPU_MUTEX_H
#define PIMENTO_DPU_MUTEX_H

#include <atomic_bit.h>
#include <stdbool.h>

/// The number of an atomic bit, as an address.
typedef uint8_t *mutex_id_t;

/// Defines the mutex NAME, a constant mutex_id_t, at file scope.
#define MUTEX_INIT(NAME)        \
  ATOMIC_BIT_INIT(mutex_##NAME) \
  extern const mutex_id_t NAME; \
  const mutex_id_t NAME = &ATOMIC_BIT_GET(mutex_##NAME);
#define MUTEX_GET(NAME) NAME

/// Waits until the mutex is free, and takes it.
static inline __attribute__((always_inline, nodebug)) void mutex_lock(mutex_id_t mutex) {
  __atomic_bit_acquire(mutex);
}

/// Takes the mutex if it is free. False if another tasklet has it.
static inline __attribute__((always_inline, nodebug)) bool mutex_trylock(mutex_id_t mutex) {
  uint32_t isMine;
  __asm__ volatile(
      "move %0, 0\n"
      "acquire %1, 0, nz, . + 2\n"
      "move %0, 1"
      : "=&r"(isMine)
      : "r"(mutex)
      : "memory");
  return isMine != 0;
}

static inline __attribute__((always_inline, nodebug)) void mutex_unlock(mutex_id_t mutex) {
  __atomic_bit_release(mutex);
}

#endif
