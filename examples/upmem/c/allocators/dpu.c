// Allocators at work: nodes of one size make a search tree that all tasklets grow; blocks of all sizes are taken,
// filled, resized, checked and given back by all tasklets at once.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <string.h>

#include "common.h"

__host struct arguments arguments;
__host struct result result;
__mram_noinit int32_t numbers[MOST_NUMBERS];
__mram_noinit int32_t sorted[MOST_NUMBERS];

struct node {
  int32_t number;
  struct node *less, *greater;
};

static fsb_allocator_t nodes;
static struct node *root;

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(tree);
MUTEX_INIT(results);

// Nodes are taken first: one that turns out to be of no use is given back.
static void insert(int32_t number) {
  struct node *const fresh = fsb_get(nodes);
  if (fresh == NULL) halt();
  *fresh = (struct node){number, NULL, NULL};
  mutex_lock(tree);
  struct node **at = &root;
  while (*at != NULL && (*at)->number != number) at = number < (*at)->number ? &(*at)->less : &(*at)->greater;
  const int isNew = *at == NULL;
  if (isNew) *at = fresh;
  mutex_unlock(tree);
  if (!isNew) fsb_free(nodes, fresh);
}

// In order, giving the nodes back; without recursion: the left spine is turned to the right as it is walked.
static uint32_t writeSorted(void) {
  uint32_t n = 0;
  __dma_aligned int32_t pair[2] = {0, 0};
  while (root != NULL) {
    struct node *const less = root->less;
    if (less != NULL) {
      root->less = less->greater;
      less->greater = root;
      root = less;
      continue;
    }
    pair[n % 2] = root->number;
    if (n % 2 == 1) mram_write(pair, &sorted[n - 1], sizeof(pair));
    ++n;
    struct node *const greater = root->greater;
    fsb_free(nodes, root);
    root = greater;
  }
  if (n % 2 == 1) mram_write(pair, &sorted[n - 1], sizeof(pair));
  return n;
}

static uint32_t countOther(const uint8_t *block, size_t size, uint8_t byte) {
  uint32_t n = 0;
  for (size_t i = 0; i < size; ++i) n += block[i] != byte;
  return n;
}

static uint32_t useBlocks(unsigned int tasklet, uint32_t rounds) {
  uint32_t errors = 0, state = tasklet + 1;
  for (uint32_t round = 0; round < rounds; ++round) {
    state = state * 1664525u + 1013904223u;
    const size_t size = 1 + (state >> 20) % 100, more = 1 + (state >> 13) % 150;
    uint8_t *const block = buddy_alloc(size);
    if (block == NULL) continue;  // all taken at the moment
    const uint8_t byte = (uint8_t)(round * 24 + tasklet);
    memset(block, byte, size);
    uint8_t *const other = buddy_realloc(block, more);
    if (other != NULL) {
      errors += countOther(other, size < more ? size : more, byte);
      memset(other, byte, more);
      errors += countOther(other, more, byte) + (((uintptr_t)other & 7) != 0);
    }
    buddy_free(other != NULL ? other : block);
  }
  return errors;
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    buddy_init(4096);
    nodes = fsb_alloc(sizeof(struct node), arguments.numbers + NR_TASKLETS);
    root = NULL;
    result = (struct result){0, 0};
  }
  barrier_wait(&everybody);
  const uint32_t errors = useBlocks(tasklet, arguments.rounds);
  for (uint32_t i = tasklet; i < arguments.numbers; i += NR_TASKLETS) insert(numbers[i]);
  mutex_lock(results);
  result.errors += errors;
  mutex_unlock(results);
  barrier_wait(&everybody);
  if (tasklet != 0) return 0;
  result.distinct = writeSorted();
  // Everything was given back: it is there again, as one.
  if (buddy_alloc(4096) == NULL) ++result.errors;
  for (uint32_t i = 0; i < arguments.numbers + NR_TASKLETS; ++i)
    if (fsb_get(nodes) == NULL) ++result.errors;
  if (fsb_get(nodes) != NULL) ++result.errors;
  return 0;
}
