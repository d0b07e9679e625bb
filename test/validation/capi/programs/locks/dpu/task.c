// Every tasklet does its share of the work on what all have in common.
#include <atomic_bit.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <mutex_pool.h>
#include <sem.h>
#include <stdint.h>
#include <string.h>
#include <vmutex.h>

MUTEX_INIT(mutex_a)
MUTEX_INIT(mutex_b)
MUTEX_POOL_INIT(pool, 8)
VMUTEX_INIT(virtual_mutexes, 16, 4)
SEMAPHORE_INIT(semaphore, 1)
ATOMIC_BIT_INIT(bit)
BARRIER_INIT(cleared, NR_TASKLETS)

#include "common.h"

__mram_noinit uint64_t far_words[64];
__mram_noinit uint16_t far_halves[64];
__mram_noinit struct record far_records[32];

#define LOCK_A() mutex_lock(mutex_a)
#define UNLOCK_A() mutex_unlock(mutex_a)
#define TRY_A() mutex_trylock(mutex_a)
#define LOCK_B() mutex_lock(mutex_b)
#define UNLOCK_B() mutex_unlock(mutex_b)
#define LOCK_POOL(i) mutex_pool_lock(&pool, i)
#define UNLOCK_POOL(i) mutex_pool_unlock(&pool, i)
#define LOCK_VIRTUAL(i) vmutex_lock(&virtual_mutexes, i)
#define UNLOCK_VIRTUAL(i) vmutex_unlock(&virtual_mutexes, i)
#define TAKE() sem_take(&semaphore)
#define GIVE() sem_give(&semaphore)
#define LOCK_BIT() ATOMIC_BIT_ACQUIRE(bit)
#define UNLOCK_BIT() ATOMIC_BIT_RELEASE(bit)
#include "work.h"

__host struct state state;
__host uint32_t rounds;

int main() {
  if (me() == 0) {
    memset(&state, 0, sizeof(state));
    for (int i = 0; i < WORDS; ++i) far_words[i] = far_halves[i] = 0;
    for (int i = 0; i < 32; ++i) far_records[i] = (struct record){0, 0, {0, 0, 0}};
  }
  barrier_wait(&cleared);
  work(&state, me(), rounds);
  return 0;
}
