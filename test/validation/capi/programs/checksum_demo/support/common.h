// What both halves know.
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define DPU_BUFFER dpu_mram_buffer
#define DPU_RESULTS dpu_wram_results
#define XSTR(x) STR(x)
#define STR(x) #x

typedef struct {
  uint32_t checksum;
  uint32_t cycles;
} dpu_result_t;

typedef struct {
  dpu_result_t tasklet_result[NR_TASKLETS];
} dpu_results_t;

void report(const dpu_results_t *results);

#endif
