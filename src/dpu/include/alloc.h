// Memory in WRAM at run time: a heap that only grows until its reset, blocks of one size, and a buddy allocator.
//
// The heap is the rest of WRAM after data and stacks. Programs whose tasklets allocate have one of them call
// mem_reset first. All functions may be called by any tasklet at any time.
#ifndef PIMENTO_DPU_ALLOC_H
#define PIMENTO_DPU_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/// Gives all blocks back, those of fsb_alloc and buddy_init included. The start of the heap.
void *mem_reset(void);
/// A new block, 8-byte aligned. A request beyond the end of WRAM faults.
void *mem_alloc(size_t size);
static inline __attribute__((always_inline, nodebug)) void *mem_alloc_dma(size_t size) {
  return mem_alloc(size);
}

/// Blocks of one size.
typedef void *fsb_allocator_t;
/// An allocator of `nb_of_blocks` blocks of `block_size` bytes (rounded up to a multiple of 8), taken from the heap.
fsb_allocator_t fsb_alloc(unsigned int block_size, unsigned int nb_of_blocks);
/// A block; null where all are in use.
void *fsb_get(fsb_allocator_t allocator);
/// Gives a block of this allocator back.
void fsb_free(fsb_allocator_t allocator, void *block);

/// Blocks of any size up to `size`, which is a power of two from 64 to 32768, taken from the heap; once per mem_reset.
void buddy_init(size_t size);
/// A block of at least `size` bytes, 8-byte aligned; null where none is left or `size` is 0.
void *buddy_alloc(size_t size);
/// Gives a block back; nothing where it is null.
void buddy_free(void *block);
/// The block with its contents as one of at least `size` bytes, perhaps elsewhere. Null where none is left: then the
/// old one stays. A null block is allocated, and size 0 frees.
void *buddy_realloc(void *block, size_t size);

#endif
