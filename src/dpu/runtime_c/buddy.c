// Blocks of powers of two: a binary tree over the blocks of 32 bytes. Every node has a byte: how large the largest free
// block below it is, as its logarithm; 0 where there is none. Taking a block clears its node and corrects the nodes
// above; a node whose halves are both free is free as a whole. One atomic bit for everything.
// Defines: buddy_init buddy_alloc buddy_free buddy_realloc

#include <alloc.h>
#include <atomic_bit.h>
#include <string.h>

#define SMALLEST 5 /* logarithm of the smallest block */

ATOMIC_BIT_INIT(buddy);

static uint8_t *blocks, *largest;  // the tree's root is node 1, the children of node n are 2 n and 2 n + 1
static uint32_t whole;             // logarithm of all

static uint32_t logarithmOf(uint32_t size) {
  const uint32_t log = size > 1 ? 32u - (uint32_t)__builtin_clz(size - 1) : 0;
  return log < SMALLEST ? SMALLEST : log;
}

void buddy_init(size_t size) {
  ATOMIC_BIT_ACQUIRE(buddy);
  whole = logarithmOf(size);
  blocks = mem_alloc(1u << whole);
  largest = mem_alloc(2u << (whole - SMALLEST));
  uint32_t node = 1;
  for (uint32_t log = whole; log >= SMALLEST; --log)
    for (uint32_t n = 1u << (whole - log); n > 0; --n) largest[node++] = (uint8_t)log;
  ATOMIC_BIT_RELEASE(buddy);
}

/// Corrects the nodes above `node`, whose blocks have `log`.
static void correctAbove(uint32_t node, uint32_t log) {
  while (node > 1) {
    node /= 2;
    const uint8_t left = largest[2 * node], right = largest[2 * node + 1];
    if (left == log && right == log)
      largest[node] = (uint8_t)(log + 1);
    else
      largest[node] = left > right ? left : right;
    ++log;
  }
}

void *buddy_alloc(size_t size) {
  if (size == 0 || size > 1u << whole) return NULL;
  const uint32_t wanted = logarithmOf(size);
  void *block = NULL;
  ATOMIC_BIT_ACQUIRE(buddy);
  if (largest != NULL && largest[1] >= wanted) {
    uint32_t node = 1, log = whole;
    for (; log > wanted; --log) {
      node *= 2;
      // The tighter half, so that large blocks stay whole.
      const uint8_t left = largest[node], right = largest[node + 1];
      if (left < wanted || (right >= wanted && right < left)) ++node;
    }
    block = blocks + ((node << log) - (1u << whole));
    largest[node] = 0;
    correctAbove(node, log);
  }
  ATOMIC_BIT_RELEASE(buddy);
  return block;
}

/// The node that was handed out as `block`, and the logarithm of its size; 0 where there is none.
static uint32_t nodeOf(const void *block, uint32_t *log) {
  const uint32_t offset = (uint32_t)((const uint8_t *)block - blocks);
  if (largest == NULL || offset >= 1u << whole) return 0;
  uint32_t node = (offset + (1u << whole)) >> SMALLEST;
  for (*log = SMALLEST; node > 0 && largest[node] != 0; ++*log) node /= 2;
  return node;
}

void buddy_free(void *block) {
  if (block == NULL) return;
  ATOMIC_BIT_ACQUIRE(buddy);
  uint32_t log;
  const uint32_t node = nodeOf(block, &log);
  if (node > 0) {
    largest[node] = (uint8_t)log;
    correctAbove(node, log);
  }
  ATOMIC_BIT_RELEASE(buddy);
}

void *buddy_realloc(void *block, size_t size) {
  if (block == NULL) return buddy_alloc(size);
  if (size == 0) {
    buddy_free(block);
    return NULL;
  }
  uint32_t log = 0;
  ATOMIC_BIT_ACQUIRE(buddy);
  const uint32_t node = nodeOf(block, &log);
  ATOMIC_BIT_RELEASE(buddy);
  if (node == 0) return NULL;
  if (logarithmOf(size) == log) return block;
  void *const other = buddy_alloc(size);
  if (other == NULL) return NULL;
  memcpy(other, block, size < 1u << log ? size : 1u << log);
  buddy_free(block);
  return other;
}
