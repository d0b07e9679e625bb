// One sequence of pseudo-random numbers for all tasklets: xorshift, George Marsaglia, 2003.
// Defines: rand srand

#include <atomic_bit.h>
#include <stdint.h>
#include <stdlib.h>

ATOMIC_BIT_INIT(rand);

static uint32_t state = 2463534242u;

void srand(unsigned int seed) {
  ATOMIC_BIT_ACQUIRE(rand);
  state = seed != 0 ? seed : 2463534242u;
  ATOMIC_BIT_RELEASE(rand);
}

int rand(void) {
  ATOMIC_BIT_ACQUIRE(rand);
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  const uint32_t value = state;
  ATOMIC_BIT_RELEASE(rand);
  return (int)(value >> 1);
}
