// MRAM at any address; parts of units of 8 bytes are changed under one of eight locks, that of the unit's number.
// Defines: mram_read_unaligned mram_write_unaligned mram_write_byte_atomic mram_write_int_atomic
// Defines: mram_update_byte_atomic mram_update_int_atomic

#include <mram_unaligned.h>
#include <mutex_pool.h>
#include <string.h>

MUTEX_POOL_INIT(__mram_unaligned_locks, 8);

void *mram_read_unaligned(const __mram_ptr void *from, void *buffer, unsigned int bytes) {
  const uint32_t at = (uint32_t)from, lead = at & 7;
  mram_read((const __mram_ptr void *)(at - lead), buffer, (lead + bytes + 7) & ~7u);
  return (uint8_t *)buffer + lead;
}

/// Changes bytes first to first + bytes - 1 of the unit at `unit`.
static void writePart(uint32_t unit, uint32_t first, const uint8_t *from, uint32_t bytes) {
  __dma_aligned uint8_t copy[8];
  mutex_pool_lock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
  mram_read((const __mram_ptr void *)unit, copy, 8);
  memcpy(copy + first, from, bytes);
  mram_write(copy, (__mram_ptr void *)unit, 8);
  mutex_pool_unlock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
}

void mram_write_unaligned(const void *from, __mram_ptr void *to, unsigned int bytes) {
  const uint8_t *source = from;
  uint32_t at = (uint32_t)to;
  const uint32_t lead = at & 7;
  if (lead != 0 && bytes > 0) {
    const uint32_t part = bytes < 8 - lead ? bytes : 8 - lead;
    writePart(at - lead, lead, source, part);
    source += part;
    at += part;
    bytes -= part;
  }
  while (bytes >= 8) {
    uint32_t part = 8;
    if (((uintptr_t)source & 7) == 0) {
      part = bytes < 2048 ? bytes & ~7u : 2048;
      mram_write(source, (__mram_ptr void *)at, part);
    } else {
      __dma_aligned uint8_t copy[8];
      memcpy(copy, source, 8);
      mram_write(copy, (__mram_ptr void *)at, 8);
    }
    source += part;
    at += part;
    bytes -= part;
  }
  if (bytes > 0) writePart(at, 0, source, bytes);
}

void mram_write_byte_atomic(__mram_ptr uint8_t *to, uint8_t value) {
  writePart((uint32_t)to & ~7u, (uint32_t)to & 7, &value, 1);
}

void mram_write_int_atomic(__mram_ptr int32_t *to, int32_t value) {
  writePart((uint32_t)to & ~7u, (uint32_t)to & 7, (const uint8_t *)&value, 4);
}

void mram_update_byte_atomic(__mram_ptr uint8_t *at, void (*update)(uint8_t *value, void *args), void *args) {
  const uint32_t unit = (uint32_t)at & ~7u;
  __dma_aligned uint8_t copy[8];
  mutex_pool_lock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
  mram_read((const __mram_ptr void *)unit, copy, 8);
  update(copy + ((uint32_t)at & 7), args);
  mram_write(copy, (__mram_ptr void *)unit, 8);
  mutex_pool_unlock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
}

void mram_update_int_atomic(__mram_ptr int32_t *at, void (*update)(int32_t *value, void *args), void *args) {
  const uint32_t unit = (uint32_t)at & ~7u;
  __dma_aligned int32_t copy[2];
  mutex_pool_lock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
  mram_read((const __mram_ptr void *)unit, copy, 8);
  update(copy + (((uint32_t)at & 7) >> 2), args);
  mram_write(copy, (__mram_ptr void *)unit, 8);
  mutex_pool_unlock(&__mram_unaligned_locks, (uint16_t)(unit >> 3));
}
