// Wall-clock time of the stages of a run.
#pragma once

#include <stdio.h>
#include <sys/time.h>

enum stage { kCpu, kToDpu, kKernel, kInterDpu, kFromDpu, kStages };

struct timer {
  struct timeval begin[kStages];
  double microseconds[kStages];
};

/// `rep` 0 forgets earlier repetitions.
static inline void start(struct timer *timer, enum stage stage, int rep) {
  if (rep == 0) timer->microseconds[stage] = 0;
  gettimeofday(&timer->begin[stage], NULL);
}

static inline void stop(struct timer *timer, enum stage stage) {
  struct timeval end;
  gettimeofday(&end, NULL);
  timer->microseconds[stage] +=
      (double)(end.tv_sec - timer->begin[stage].tv_sec) * 1e6 + (double)(end.tv_usec - timer->begin[stage].tv_usec);
}

static inline void print_times(const struct timer *timer, int reps) {
  static const char *const names[kStages] = {"CPU", "CPU-DPU", "DPU kernel", "Inter-DPU", "DPU-CPU"};
  for (int stage = 0; stage < kStages; ++stage)
    printf("%s (ms): %f\t", names[stage], timer->microseconds[stage] / (1000.0 * reps));
  printf("\n");
}
