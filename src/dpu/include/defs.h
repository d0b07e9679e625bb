// What every DPU program needs: its tasklet's number, and how to end.
#ifndef PIMENTO_DPU_DEFS_H
#define PIMENTO_DPU_DEFS_H

#include <attributes.h>
#include <stddef.h>
#include <stdint.h>
#include <sysdef.h>

/// The number of the calling tasklet, from 0 to NR_TASKLETS - 1.
static inline __attribute__((always_inline, const)) sysname_t me(void) {
  sysname_t self;
  __asm__("move %0, id" : "=r"(self));
  __builtin_assume(self < MAX_NR_TASKLETS);
  return self;
}

/// Ends the run of the whole DPU with an error.
static inline __attribute__((always_inline, nodebug, noreturn)) void halt(void) {
  __asm__ volatile("fault 1" : : : "memory");
  __builtin_unreachable();
}

/// Bytes between the calling tasklet's stack pointer and the end of its stack; negative: it has run over.
int check_stack(void);

#endif
