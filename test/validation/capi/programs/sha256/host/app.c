// SHA-256 of random messages.
#include <dpu.h>

#include "check.h"
#include "params.h"
#include "sha256.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static digest_t hash(const uint8_t *message, uint32_t length) {
  uint8_t padded[MESSAGE_ROOM + 72] = {0};
  memcpy(padded, message, length);
  padded[length] = 0x80;
  const uint32_t bytes = (length + 9 + 63) / 64 * 64;
  for (uint32_t i = 0; i < 4; ++i) padded[bytes - 1 - i] = (uint8_t)((length * 8) >> (8 * i));
  digest_t digest;
  memcpy(digest.word, kInitial, sizeof(digest));
  for (uint32_t at = 0; at < bytes; at += 64) compress(&digest, padded + at);
  return digest;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 19);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n > MAX_MESSAGES) return fprintf(stderr, "at most %d messages\n", MAX_MESSAGES), 2;
  const digest_t abc = hash((const uint8_t *)"abc", 3);
  expect_equal("example of the standard", 0, abc.word[0], 0xba7816bf);
  expect_equal("example of the standard", 7, abc.word[7], 0xf20015ad);
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  uint8_t(*messages)[MAX_MESSAGES][MESSAGE_ROOM] = calloc(dpus, sizeof(*messages));
  uint32_t(*lengths)[MAX_MESSAGES] = calloc(dpus, sizeof(*lengths)), state = p.seed;
  digest_t(*digests)[MAX_MESSAGES] = calloc(dpus, sizeof(*digests));
  for (d = 0; d < dpus; ++d)
    for (uint32_t i = 0; i < p.n; ++i) {
      lengths[d][i] = i < 3 ? 55 + i * 4 : random_below(&state, i % 4 == 0 ? MESSAGE_ROOM : 100);
      for (uint32_t k = 0; k < lengths[d][i]; ++k) messages[d][i][k] = (uint8_t)(random_word(&state) >> 24);
    }
  DPU_ASSERT(dpu_broadcast_to(set, "nr_messages", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, lengths[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "lengths", 0, sizeof(*lengths), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, messages[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "messages", 0, sizeof(*messages), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, digests[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "digests", 0, sizeof(*digests), DPU_XFER_DEFAULT));
  for (d = 0; d < dpus; ++d)
    for (uint32_t i = 0; i < p.n; ++i) {
      const digest_t wanted = hash(messages[d][i], lengths[d][i]);
      for (size_t w = 0; w < 8; ++w)
        expect_equal("digest", (d * p.n + i) * 8 + w, digests[d][i].word[w], wanted.word[w]);
    }
  DPU_ASSERT(dpu_free(set));
  free(messages), free(lengths), free(digests);
  return verdict("sha256");
}
