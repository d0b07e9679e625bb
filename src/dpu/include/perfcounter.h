// The DPU's counter of cycles or instructions, one for all tasklets. It counts in steps of 16.
#ifndef PIMENTO_DPU_PERFCOUNTER_H
#define PIMENTO_DPU_PERFCOUNTER_H

#include <attributes.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t perfcounter_t;

typedef enum _perfcounter_config_t {
  COUNT_SAME = 0,          ///< as before
  COUNT_CYCLES = 1,        ///< of the clock
  COUNT_INSTRUCTIONS = 2,  ///< of all tasklets
  COUNT_NOTHING = 3,
  COUNT_ENABLE_BOTH = 4,  ///< cycles and instructions
  COUNT_DISABLE_BOTH = 5
} perfcounter_config_t;

/// What perfcounter_get_both gives.
typedef struct _perfcounter_pair_t {
  perfcounter_t cycles, instr;
} perfcounter_pair_t;

/// Both counts since COUNT_ENABLE_BOTH, or since the last call with `should_reset`. The DPUs modelled here have one
/// counter: this one turns it to the other count for some instructions, under a lock, so no tasklet should call
/// perfcounter_get at the same time.
perfcounter_pair_t perfcounter_get_both(bool should_reset);
perfcounter_t __perfcounter_enable_both(bool reset_value);

/// Cycles per second; the host knows the machine's and writes it.
extern __attribute__((section(".dpu_host"))) uint32_t CLOCKS_PER_SEC;

/// Chooses what counts, and sets the counter to 0 if `reset_value`. What it was before.
static inline perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset_value) {
  if (config == COUNT_ENABLE_BOTH) return __perfcounter_enable_both(reset_value);
  if (config == COUNT_DISABLE_BOTH) config = COUNT_NOTHING;
  uint32_t before;
  __asm__ volatile("time_cfg %0, %1"
                   : "=r"(before)
                   : "r"(((uint32_t)config << 1) | (reset_value ? 1u : 0u))
                   : "memory");
  return (perfcounter_t)before << 4;
}

static inline perfcounter_t perfcounter_get(void) {
  uint32_t now;
  __asm__ volatile("time %0" : "=r"(now) : : "memory");
  return (perfcounter_t)now << 4;
}

#endif
