// Producers and consumers: some tasklets bring blocks to a ring of WRAM buffers, the others work on them. Semaphores
// count free and full places.
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <sem.h>

#include "common.h"

#define PLACES 4

__host struct arguments arguments;

static struct place {
  __dma_aligned uint8_t bytes[BLOCK_BYTES];
  uint32_t block;
} ring[PLACES];
static uint8_t freePlaces[PLACES], fullPlaces[PLACES];  // queues of places
static uint32_t freeHead, freeTail, fullHead, fullTail, nextBlock, nextWork;

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(queues);
SEMAPHORE_INIT(areFree, PLACES);
SEMAPHORE_INIT(areFull, 0);

static uint32_t ticket(uint32_t *counter) {
  mutex_lock(queues);
  const uint32_t mine = (*counter)++;
  mutex_unlock(queues);
  return mine;
}

static uint8_t dequeue(uint8_t *queue, uint32_t *head) {
  mutex_lock(queues);
  const uint8_t place = queue[(*head)++ % PLACES];
  mutex_unlock(queues);
  return place;
}

static void enqueue(uint8_t *queue, uint32_t *tail, uint8_t place) {
  mutex_lock(queues);
  queue[(*tail)++ % PLACES] = place;
  mutex_unlock(queues);
}

static void produce(uint32_t block) {
  sem_take(&areFree);
  const uint8_t place = dequeue(freePlaces, &freeHead);
  const uint32_t from = (uint32_t)DPU_MRAM_HEAP_POINTER + block * BLOCK_BYTES;
  mram_read((__mram_ptr void const *)from, ring[place].bytes, BLOCK_BYTES);
  ring[place].block = block;
  enqueue(fullPlaces, &fullTail, place);
  sem_give(&areFull);
}

static void consume(void) {
  __dma_aligned uint64_t answer;
  sem_take(&areFull);
  const uint8_t place = dequeue(fullPlaces, &fullHead);
  const uint32_t block = ring[place].block;
  answer = digest(ring[place].bytes);
  enqueue(freePlaces, &freeTail, place);
  sem_give(&areFree);
  const uint32_t to = (uint32_t)DPU_MRAM_HEAP_POINTER + arguments.blocks * BLOCK_BYTES + block * sizeof(answer);
  mram_write(&answer, (__mram_ptr void *)to, sizeof(answer));
}

int main(void) {
  if (me() == 0) {
    for (uint8_t i = 0; i < PLACES; ++i) freePlaces[i] = i;
    freeHead = fullHead = fullTail = nextBlock = nextWork = 0;
    freeTail = PLACES;
  }
  barrier_wait(&everybody);
  // One in three brings blocks; a lone tasklet does both in turn.
  const int isProducer = me() % 3 == 0, isConsumer = !isProducer || NR_TASKLETS == 1;
  if (isProducer && isConsumer) {
    for (uint32_t block = 0; block < arguments.blocks; ++block) {
      produce(block);
      consume();
    }
  } else if (isProducer) {
    for (uint32_t block = ticket(&nextBlock); block < arguments.blocks; block = ticket(&nextBlock)) produce(block);
  } else {
    while (ticket(&nextWork) < arguments.blocks) consume();
  }
  return 0;
}
