/* Sum of the bytes of a buffer: the same buffer on all DPUs. */
#include <dpu.h>
#include <dpu_log.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "bin/dpu_code"
#endif

static uint8_t test_file[BUFFER_SIZE];

static uint32_t create_test_file(void) {
  uint32_t checksum = 0, state = 7;
  for (unsigned int i = 0; i < BUFFER_SIZE; i++) {
    test_file[i] = (uint8_t)random_word(&state);
    checksum += test_file[i];
  }
  return checksum;
}

/* The log of a DPU is what its tasklets printed. */
static void check_log(struct dpu_set_t dpu, uint32_t index, const dpu_results_t *results) {
  FILE *log = tmpfile();
  DPU_ASSERT(dpu_log_read(dpu, log));
  rewind(log);
  char line[256], wanted[64];
  int lines = 0, found = 0, reports = 0;
  while (fgets(line, sizeof(line), log) != NULL) {
    lines++;
    for (int t = 0; t < NR_TASKLETS; t++) {
      snprintf(wanted, sizeof(wanted), "[%02d] Checksum = 0x%08x\n", t, results->tasklet_result[t].checksum);
      found += strstr(line, wanted) != NULL;
    }
    reports += strstr(line, "tasklet 0: 1 of " XSTR(NR_TASKLETS) " tasklets, x,  2.50, -1234567890123\n") != NULL;
  }
  fclose(log);
  expect_equal("lines with a checksum", index, found, NR_TASKLETS);
  expect_equal("lines of the report", index, reports, 1);
}

int main() {
  struct dpu_set_t dpu_set, dpu;
  uint32_t nr_of_dpus, index;
  const uint32_t theoretical_checksum = create_test_file();

  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &dpu_set));
  DPU_ASSERT(dpu_load(dpu_set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(dpu_set, &nr_of_dpus));
  printf("Allocated %u DPU(s)\n", nr_of_dpus);

  DPU_ASSERT(dpu_copy_to(dpu_set, XSTR(DPU_BUFFER), 0, test_file, BUFFER_SIZE));
  DPU_ASSERT(dpu_launch(dpu_set, DPU_SYNCHRONOUS));

  DPU_FOREACH(dpu_set, dpu, index) {
    dpu_results_t results;
    uint32_t checksum = 0, cycles = 0;
    DPU_ASSERT(dpu_copy_from(dpu, XSTR(DPU_RESULTS), 0, &results, sizeof(results)));
    for (unsigned int each_tasklet = 0; each_tasklet < NR_TASKLETS; each_tasklet++) {
      checksum += results.tasklet_result[each_tasklet].checksum;
      if (results.tasklet_result[each_tasklet].cycles > cycles) cycles = results.tasklet_result[each_tasklet].cycles;
    }
    expect_equal("checksum", index, checksum, theoretical_checksum);
    expect_equal("more cycles than transfers alone take", index, cycles > BUFFER_SIZE / 2, 1);
    check_log(dpu, index, &results);
  }
  DPU_ASSERT(dpu_free(dpu_set));
  return verdict("checksum_demo");
}
