// Reads MRAM from lower to higher addresses, objects of any size up to SEQREAD_CACHE_SIZE, through a buffer of WRAM.
//
// The buffer holds two pages of SEQREAD_CACHE_SIZE bytes (a power of two from 8 to 1024; 256 unless defined before this
// file is included). The current object begins in the first one and may end in the second. An object that begins in
// the second page makes that the first, and both are read from MRAM.
#ifndef PIMENTO_DPU_SEQREAD_H
#define PIMENTO_DPU_SEQREAD_H

#include <alloc.h>
#include <mram.h>
#include <stdint.h>

#ifndef SEQREAD_CACHE_SIZE
#define SEQREAD_CACHE_SIZE 256
#endif
_Static_assert(SEQREAD_CACHE_SIZE >= 8 && SEQREAD_CACHE_SIZE <= 1024 &&
                   (SEQREAD_CACHE_SIZE & (SEQREAD_CACHE_SIZE - 1)) == 0,
               "SEQREAD_CACHE_SIZE is a power of two from 8 to 1024");

typedef uintptr_t seqreader_buffer_t;

typedef struct seqreader_t {
  seqreader_buffer_t wram_cache;
  uint32_t mram_addr;  ///< of the first page
} seqreader_t;

/// The two pages, from the heap. Tasklets have their own each.
static inline __attribute__((always_inline, nodebug)) seqreader_buffer_t seqread_alloc(void) {
  return (seqreader_buffer_t)mem_alloc(2 * SEQREAD_CACHE_SIZE);
}

/// Fills both pages, or the first alone at the end of MRAM.
static inline void __seqread_fill(seqreader_t *reader) {
  const uint32_t size = 64u << 20;
  const uint32_t page = reader->mram_addr;
  if (page + SEQREAD_CACHE_SIZE == size)
    mram_read((const __mram_ptr void *)page, (void *)reader->wram_cache, SEQREAD_CACHE_SIZE);
  else
    mram_read((const __mram_ptr void *)page, (void *)reader->wram_cache, 2 * SEQREAD_CACHE_SIZE);
}

/// Continues at `mram_addr`. Returns the WRAM address of the object there.
static inline void *seqread_seek(__mram_ptr void *mram_addr, seqreader_t *reader) {
  const uint32_t at = (uint32_t)mram_addr, page = at & ~(uint32_t)(SEQREAD_CACHE_SIZE - 1);
  if (page != reader->mram_addr) {
    reader->mram_addr = page;
    __seqread_fill(reader);
  }
  return (void *)(reader->wram_cache + (at - page));
}

/// Begins to read at `mram_addr`. Returns the WRAM address of the first object.
static inline void *seqread_init(seqreader_buffer_t cache, __mram_ptr void *mram_addr, seqreader_t *reader) {
  reader->wram_cache = cache;
  reader->mram_addr = ~(uint32_t)0;
  return seqread_seek(mram_addr, reader);
}

static __attribute__((noinline, unused)) void *__seqread_next_page(uintptr_t at, seqreader_t *reader) {
  const uint32_t passed = (uint32_t)(at - reader->wram_cache) & ~(uint32_t)(SEQREAD_CACHE_SIZE - 1);
  reader->mram_addr += passed;
  __seqread_fill(reader);
  return (void *)(at - passed);
}

/// Advances `inc` bytes from the object at `ptr` and returns the WRAM address of the next one. `inc` is at most
/// SEQREAD_CACHE_SIZE.
static inline __attribute__((always_inline)) void *seqread_get(void *ptr, uint32_t inc, seqreader_t *reader) {
  const uintptr_t at = (uintptr_t)ptr + inc;
  if (__builtin_expect(at - reader->wram_cache < SEQREAD_CACHE_SIZE, 1)) return (void *)at;
  return __seqread_next_page(at, reader);
}

/// The address in MRAM of the object at `ptr`.
static inline __mram_ptr void *seqread_tell(void *ptr, seqreader_t *reader) {
  return (__mram_ptr void *)(reader->mram_addr + (uint32_t)((uintptr_t)ptr - reader->wram_cache));
}

#endif
