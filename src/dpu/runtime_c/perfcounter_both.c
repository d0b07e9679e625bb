// Both counts of the performance counter: it is turned from one to the other and back.
// Defines: perfcounter_get_both __perfcounter_enable_both
#include <mutex.h>
#include <perfcounter.h>

// The counter's base is one number for both counts: cycles at the last reset. What the count of instructions reads
// then is subtracted later; both in steps of 16 and modulo 2^32, as the counter itself.
static uint32_t instructionsAtStart;
MUTEX_INIT(__perfcounter_lock)

static uint32_t turnedTo(perfcounter_config_t config, bool isReset) {
  uint32_t now;
  __asm__ volatile("time_cfg zero, %1\ntime %0" : "=r"(now) : "r"(((uint32_t)config << 1) | isReset) : "memory");
  return now;
}

perfcounter_t __perfcounter_enable_both(bool reset_value) {
  mutex_lock(__perfcounter_lock);
  const uint32_t before = turnedTo(COUNT_CYCLES, false);
  if (reset_value) {
    turnedTo(COUNT_CYCLES, true);
    instructionsAtStart = turnedTo(COUNT_INSTRUCTIONS, false);
    turnedTo(COUNT_CYCLES, false);
  }
  mutex_unlock(__perfcounter_lock);
  return (perfcounter_t)before << 4;
}

perfcounter_pair_t perfcounter_get_both(bool should_reset) {
  mutex_lock(__perfcounter_lock);
  const uint32_t cycles = turnedTo(COUNT_CYCLES, false), instructions = turnedTo(COUNT_INSTRUCTIONS, false);
  turnedTo(COUNT_CYCLES, false);
  const perfcounter_pair_t both = {(perfcounter_t)cycles << 4, (perfcounter_t)(instructions - instructionsAtStart)
                                                                   << 4};
  if (should_reset) {
    turnedTo(COUNT_CYCLES, true);
    instructionsAtStart = turnedTo(COUNT_INSTRUCTIONS, false);
    turnedTo(COUNT_CYCLES, false);
  }
  mutex_unlock(__perfcounter_lock);
  return both;
}
