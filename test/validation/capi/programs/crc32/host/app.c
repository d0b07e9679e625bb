// CRC-32 of random messages.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static uint32_t crc32(const uint8_t *from, uint32_t length) {
  uint32_t crc = ~0u;
  for (uint32_t i = 0; i < length; ++i) {
    crc ^= from[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
  }
  return ~crc;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 21);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_MESSAGES) return fprintf(stderr, "at most %d messages\n", MAX_MESSAGES), 2;
  expect_equal("CRC-32 of 123456789", 0, crc32((const uint8_t *)"123456789", 9), 0xcbf43926);
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  uint8_t *bytes = malloc((size_t)dpus * MAX_BYTES);
  struct message(*messages)[MAX_MESSAGES] = calloc(dpus, sizeof(*messages));
  uint32_t(*crcs)[MAX_MESSAGES] = calloc(dpus, sizeof(*crcs));
  uint32_t state = p.seed;
  for (size_t i = 0; i < (size_t)dpus * MAX_BYTES; ++i) bytes[i] = (uint8_t)(random_word(&state) >> 24);
  for (d = 0; d < dpus; ++d)
    for (uint32_t i = 0; i < p.n; ++i) {
      messages[d][i].length = i == 0 ? 0 : random_below(&state, i % 5 == 0 ? 700 : 40);
      messages[d][i].at = random_below(&state, MAX_BYTES - messages[d][i].length);
    }
  DPU_ASSERT(dpu_broadcast_to(set, "nr_messages", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, bytes + (size_t)d * MAX_BYTES));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "bytes", 0, MAX_BYTES, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, messages[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "messages", 0, sizeof(*messages), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, crcs[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "crcs", 0, sizeof(*crcs), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d)
    for (uint32_t i = 0; i < p.n; ++i)
      expect_equal("crc", d * p.n + i, crcs[d][i],
                   crc32(bytes + (size_t)d * MAX_BYTES + messages[d][i].at, messages[d][i].length));
  DPU_ASSERT(dpu_free(set));
  free(bytes), free(messages), free(crcs);
  return verdict("crc32");
}
