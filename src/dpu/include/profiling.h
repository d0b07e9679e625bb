// Sections of code whose cost is measured by the performance counter, per tasklet.
#ifndef PIMENTO_DPU_PROFILING_H
#define PIMENTO_DPU_PROFILING_H

#include <defs.h>
#include <perfcounter.h>

/// The host reads it by its name.
typedef struct _profiling_t {
  const char *name;
  uint32_t start[MAX_NR_TASKLETS], count[MAX_NR_TASKLETS];  ///< in steps of 16 of what perfcounter_config chose
} profiling_t;

/// Defines the section NAME, at file scope.
#define PROFILING_INIT(NAME) __host profiling_t NAME = {#NAME, {0}, {0}};

static inline void profiling_start(profiling_t *section) {
  section->start[me()] = (uint32_t)(perfcounter_get() >> 4);
}
static inline void profiling_stop(profiling_t *section) {
  section->count[me()] += (uint32_t)(perfcounter_get() >> 4) - section->start[me()];
}

#endif
