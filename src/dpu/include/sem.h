// Counting semaphores. Who came first goes on first.
#ifndef PIMENTO_DPU_SEM_H
#define PIMENTO_DPU_SEM_H

#include <atomic_bit.h>

typedef struct __attribute__((aligned(4))) sem_t {
  uint8_t wait_queue;    ///< tail of the ring of waiting tasklets; 255: empty
  int8_t count;          ///< how many can be taken; negative: how many wait
  int8_t initial_count;  ///< how many there were at first
  uint8_t lock;          ///< its atomic bit
} sem_t;

/// Defines the semaphore NAME, of which COUNTER can be taken at first, at file scope.
#define SEMAPHORE_INIT(NAME, COUNTER)                                                    \
  _Static_assert((COUNTER) >= -128 && (COUNTER) <= 127, "a semaphore counts in 8 bits"); \
  __ATOMIC_BIT_HOLDER(sem_t, NAME, semaphore_##NAME, 255, (uint8_t)(COUNTER), (uint8_t)(COUNTER))

/// Takes one; waits while there is none.
void sem_take(sem_t *sem);
/// Gives one, to the first who waits if anyone does.
void sem_give(sem_t *sem);

#endif
