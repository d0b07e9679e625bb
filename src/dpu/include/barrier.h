// Barriers: no tasklet passes before all have come.
#ifndef PIMENTO_DPU_BARRIER_H
#define PIMENTO_DPU_BARRIER_H

#include <atomic_bit.h>

typedef struct __attribute__((aligned(4))) barrier_t {
  uint8_t wait_queue;     ///< tail of the ring of waiting tasklets; 255: empty
  uint8_t count;          ///< how many are still to come
  uint8_t initial_count;  ///< how many there are
  uint8_t lock;           ///< its atomic bit
} barrier_t;

/// Defines the barrier NAME for COUNT tasklets, at file scope.
#define BARRIER_INIT(NAME, COUNT)                                                   \
  _Static_assert((COUNT) > 0 && (COUNT) <= 24, "a barrier needs 1 to 24 tasklets"); \
  __ATOMIC_BIT_HOLDER(barrier_t, NAME, barrier_##NAME, 255, (COUNT), (COUNT))

/// Waits until all have come.
void barrier_wait(barrier_t *barrier);

#endif
