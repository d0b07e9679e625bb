// AES-128 in counter mode of a text that is shared out among DPUs.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

static uint8_t sbox[256];
#define SBOX(i) sbox[i]
#include "aes.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

// The example of FIPS 197, appendix B.
static void check_standard(void) {
  static const uint8_t key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                  0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
  static const uint8_t in[16] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
  static const uint8_t wanted[16] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                     0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
  uint8_t round_keys[ROUNDS + 1][AES_BLOCK], out[16];
  expand_key(key, round_keys);
  encrypt(round_keys, in, out);
  for (size_t i = 0; i < 16; ++i) expect_equal("example of the standard", i, out[i], wanted[i]);
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 24);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  make_sbox(sbox);
  check_standard();
#ifdef SBOX_TABLE
  DPU_ASSERT(dpu_broadcast_to(set, "sbox", 0, sbox, sizeof(sbox), DPU_XFER_DEFAULT));
#endif
  const uint32_t blocks = round_up(p.n, 4);
  const size_t bytes = blocks * AES_BLOCK;
  uint8_t *text = malloc(bytes * dpus), *result = malloc(bytes * dpus);
  uint32_t state = p.seed;
  for (size_t i = 0; i < bytes * dpus; ++i) text[i] = (uint8_t)(random_word(&state) >> 24);
  struct job *jobs = calloc(dpus, sizeof(*jobs));
  for (d = 0; d < dpus; ++d) {
    jobs[d].blocks = blocks;
    jobs[d].first_counter = 0xfffffff0u + d * blocks;
    for (int i = 0; i < 16; ++i) jobs[d].key[i] = (uint8_t)(17 * i + 3);
    for (int i = 0; i < 8; ++i) jobs[d].nonce[i] = (uint8_t)(200 - i);
  }
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, &jobs[d]));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "job", 0, sizeof(*jobs), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, text + d * bytes));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, d) {
    DPU_ASSERT(dpu_prepare_xfer(dpu, result + d * bytes));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, DPU_XFER_DEFAULT));
  uint8_t round_keys[ROUNDS + 1][AES_BLOCK], stream[AES_BLOCK];
  expand_key(jobs[0].key, round_keys);
  for (size_t b = 0; b < (size_t)blocks * dpus; ++b) {
    encrypt_counter(round_keys, jobs[0].nonce, 0xfffffff0u + (uint32_t)b, stream);
    for (size_t i = b * AES_BLOCK; i < (b + 1) * AES_BLOCK; ++i)
      expect_equal("byte", i, result[i], text[i] ^ stream[i % AES_BLOCK]);
  }
  DPU_ASSERT(dpu_free(set));
  free(text), free(result), free(jobs);
  return verdict("aes");
}
