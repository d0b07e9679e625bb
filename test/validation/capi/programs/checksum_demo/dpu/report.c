/* What tasklet 0 says. */
#include <stdio.h>

#include "common.h"

extern uint32_t CLOCKS_PER_SEC;

void report(const dpu_results_t *results) {
  printf("%s: %u of %u tasklets, %c, %5.2f, %lld\n", "tasklet 0", 1u, (unsigned)NR_TASKLETS, 'x', 2.5,
         -1234567890123LL);
  if (results->tasklet_result[0].cycles == 0) printf("no cycles\n");
}
