// Producers and consumers, host half.
//   host [DPUS [BLOCKS [DPU_BINARY]]]
#include <dpu.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t blocks = argc > 2 ? (uint32_t)atoi(argv[2]) : 45, bytes = blocks * BLOCK_BYTES;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  uint8_t *const data = malloc((size_t)dpus * bytes);
  uint64_t *const answers = malloc((size_t)dpus * blocks * sizeof(*answers));
  for (uint32_t i = 0; i < dpus * bytes; ++i) data[i] = (uint8_t)((i * 2654435761u) >> 23);
  const struct arguments arguments = {blocks};
  DPU_ASSERT(dpu_broadcast_to(set, "arguments", 0, &arguments, sizeof(arguments), DPU_XFER_DEFAULT));
  uint32_t i;
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, data + (size_t)i * bytes));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  uint32_t wrong = 0;
  for (int launch = 0; launch < 2; ++launch) {  // the second finds everything as the first did
    DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, answers + (size_t)i * blocks));
    DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, bytes, blocks * sizeof(*answers),
                             DPU_XFER_DEFAULT));
    for (uint32_t k = 0; k < dpus * blocks; ++k) wrong += answers[k] != digest(data + (size_t)k * BLOCK_BYTES);
  }
  DPU_ASSERT(dpu_free(set));
  printf("pipeline: %u blocks on each of %u DPUs, %u wrong\n", blocks, dpus, wrong);
  free(data), free(answers);
  return wrong != 0;
}
