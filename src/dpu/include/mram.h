// MRAM: variables and transfers.
#ifndef PIMENTO_DPU_MRAM_H
#define PIMENTO_DPU_MRAM_H

#include <attributes.h>
#include <stddef.h>
#include <stdint.h>

/// First byte after the program's variables in MRAM. Data pushed to DPU_MRAM_HEAP_POINTER_NAME start here.
extern __mram_ptr uint8_t __sys_used_mram_end[];
#define DPU_MRAM_HEAP_POINTER ((__mram_ptr void *)(__sys_used_mram_end))

// A transfer's size is in bits 31:24 of its WRAM operand, in units of 8 bytes and less one; the instruction adds
// its immediate to that field. So `bytes` known while compiling cost nothing, and others two instructions: unless it
// can be seen that they are a multiple of 8, when it is one. What is asked about is the immediate itself: `bytes` may
// become known where an expression of it has become another value.
#define __PIMENTO_TRANSFER(instruction, wram, mram, bytes)                                                       \
  do {                                                                                                           \
    const uint32_t __field = (((bytes) >> 3) + 255) & 255;                                                       \
    if (__builtin_constant_p(__field)) {                                                                         \
      __asm__ volatile(instruction " %0, %1, %2" : : "r"(wram), "r"((uint32_t)(mram)), "i"(__field) : "memory"); \
    } else if (__builtin_constant_p((bytes) & 7) && ((bytes) & 7) == 0) {                                        \
      uint32_t __operand = (uint32_t)(wram) + ((bytes) << 21);                                                   \
      __asm__ volatile(instruction " %0, %1, 255" : : "r"(__operand), "r"((uint32_t)(mram)) : "memory");         \
    } else {                                                                                                     \
      uint32_t __units;                                                                                          \
      __asm__("lsr %0, %1, 3" : "=r"(__units) : "r"(bytes));                                                     \
      uint32_t __operand = (uint32_t)(wram) + (__units << 24);                                                   \
      __asm__ volatile(instruction " %0, %1, 255" : : "r"(__operand), "r"((uint32_t)(mram)) : "memory");         \
    }                                                                                                            \
  } while (0)

#define __PIMENTO_TRANSFER_SIZE(bytes)                                           \
  __attribute__((diagnose_if((bytes) % 8 != 0 || (bytes) == 0 || (bytes) > 2048, \
                             "a transfer moves a multiple of 8 bytes, at most 2048", "warning")))

// Without debug information, so that a fault in them is told at the line that calls them.

/// Copies from MRAM to WRAM. Both addresses and `bytes` are multiples of 8; 8 <= bytes <= 2048.
static inline __attribute__((always_inline, nodebug)) void mram_read(const __mram_ptr void *from, void *to,
                                                                     unsigned int bytes)
    __PIMENTO_TRANSFER_SIZE(bytes) {
  __PIMENTO_TRANSFER("ldma", to, from, bytes);
}

/// Copies from WRAM to MRAM. Both addresses and `bytes` are multiples of 8; 8 <= bytes <= 2048.
static inline __attribute__((always_inline, nodebug)) void mram_write(const void *from, __mram_ptr void *to,
                                                                      unsigned int bytes)
    __PIMENTO_TRANSFER_SIZE(bytes) {
  __PIMENTO_TRANSFER("sdma", from, to, bytes);
}

#endif
