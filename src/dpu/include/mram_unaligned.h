// MRAM at any address and of any size, and changes in one piece that other tasklets may make to the same bytes.
//
// Transfers move whole units of 8 bytes. A write of part of a unit reads it, changes it and writes it back; the
// functions here do so under one of eight locks that all of them share, so they may meet in one unit. Plain mram_write
// and writes through __mram_ptr pointers know nothing of these locks.
#ifndef PIMENTO_DPU_MRAM_UNALIGNED_H
#define PIMENTO_DPU_MRAM_UNALIGNED_H

#include <mram.h>
#include <stddef.h>
#include <stdint.h>

/// Reads `bytes` (at most 2040) from any address; `buffer` is 8-byte aligned and has room for them, rounded up to a
/// multiple of 8, and 8 more. Where in `buffer` they begin.
void *mram_read_unaligned(const __mram_ptr void *from, void *buffer, unsigned int bytes);
/// Writes `bytes` to any address, from any address.
void mram_write_unaligned(const void *from, __mram_ptr void *to, unsigned int bytes);

void mram_write_byte_atomic(__mram_ptr uint8_t *to, uint8_t value);
/// `to` is a multiple of 4.
void mram_write_int_atomic(__mram_ptr int32_t *to, int32_t value);
/// `update` changes the copy that it gets; `args` are passed on.
void mram_update_byte_atomic(__mram_ptr uint8_t *at, void (*update)(uint8_t *value, void *args), void *args);
void mram_update_int_atomic(__mram_ptr int32_t *at, void (*update)(int32_t *value, void *args), void *args);

#endif
