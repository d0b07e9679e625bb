/* The host half of sum.s: sums 2 KiB of words on each of 65 DPUs, in two ranks.
 *
 *   cc sum_host.c -o sum_host $(pkg-config --cflags --libs pimento-dpu)
 *   ./sum_host sum.s
 */
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>

#define DPUS 65
#define WORDS 512

int main(int argc, char **argv) {
  struct dpu_set_t set, dpu;
  uint32_t i, w, blocks = WORDS / 256, wrong = 0;
  uint32_t *words = malloc(DPUS * WORDS * sizeof *words), sums[DPUS];
  const char *program = argc > 1 ? argv[1] : "sum.s";

  DPU_ASSERT(dpu_alloc(DPUS, "tasklets=4", &set));
  DPU_ASSERT(dpu_load(set, program, NULL));
  for (i = 0; i < DPUS * WORDS; ++i) words[i] = i;

  DPU_ASSERT(dpu_broadcast_to(set, "blocks", 0, &blocks, sizeof blocks, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) { DPU_ASSERT(dpu_prepare_xfer(dpu, &words[i * WORDS])); }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, WORDS * sizeof *words, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, i) { DPU_ASSERT(dpu_prepare_xfer(dpu, &sums[i])); }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, sizeof *sums, DPU_XFER_DEFAULT));

  for (i = 0; i < DPUS; ++i) {
    uint32_t expected = 0;
    for (w = 0; w < WORDS; ++w) expected += words[i * WORDS + w];
    wrong += expected != sums[i];
  }
  printf("%d DPUs, %u wrong sums\n", DPUS, wrong);
  DPU_FOREACH(set, dpu, i) {
    if (i == DPUS - 1) DPU_ASSERT(dpu_log_read(dpu, stdout));
  }
  DPU_ASSERT(dpu_free(set));
  free(words);
  return wrong != 0;
}
