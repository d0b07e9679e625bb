// The DPU's atomic bits, which acquire and release change in one step. Locks are made of them.
#ifndef PIMENTO_DPU_ATOMIC_BIT_H
#define PIMENTO_DPU_ATOMIC_BIT_H

#include <attributes.h>
#include <stdint.h>

#define ATOMIC_BIT_GET(NAME) (__atomic_bit_##NAME)
/// A separate bit, at file scope; this and the other definitions by macro stand with or without a semicolon.
#define ATOMIC_BIT_INIT(NAME) uint8_t __atomic_bit ATOMIC_BIT_GET(NAME);
/// A bit that another file defines.
#define ATOMIC_BIT_EXTERN(NAME) extern uint8_t ATOMIC_BIT_GET(NAME)

static inline __attribute__((always_inline, nodebug)) void __atomic_bit_acquire(const uint8_t *bit) {
  __asm__ volatile("acquire %0, 0, nz, ." : : "r"(bit) : "memory");
}
static inline __attribute__((always_inline, nodebug)) void __atomic_bit_release(const uint8_t *bit) {
  __asm__ volatile("release %0, 0, nz, . + 1" : : "r"(bit) : "memory");
}

/// The bit's number as the one byte that barriers and semaphores keep. C knows no such constant, so what NAME is made
/// of has another type, under NAME's symbol: TYPE without its last byte, then the number.
#define __ATOMIC_BIT_HOLDER(TYPE, NAME, BIT, ...) \
  ATOMIC_BIT_INIT(BIT)                            \
  extern TYPE NAME;                               \
  struct __attribute__((packed, aligned(4))) {    \
    uint8_t __fields[3];                          \
    const uint8_t *__lock;                        \
  } __holder_##NAME __asm__(#NAME) = {{__VA_ARGS__}, &ATOMIC_BIT_GET(BIT)};

/// Waits until the bit is its own.
#define ATOMIC_BIT_ACQUIRE(NAME) __atomic_bit_acquire(&ATOMIC_BIT_GET(NAME))
#define ATOMIC_BIT_RELEASE(NAME) __atomic_bit_release(&ATOMIC_BIT_GET(NAME))

#endif
