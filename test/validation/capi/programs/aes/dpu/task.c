// Encrypts the DPU's text in place: every block is combined with the encrypted counter.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct job job;
#ifdef SBOX_TABLE
__host uint8_t sbox[256];  // from the host
#else
static uint8_t sbox[256];
#endif
#define SBOX(i) sbox[i]
#include "aes.h"

static uint8_t round_keys[ROUNDS + 1][AES_BLOCK];

BARRIER_INIT(keys_ready, NR_TASKLETS);

#define BLOCKS_PER_READ 4

int main() {
  if (me() == 0) {
    mem_reset();
#ifndef SBOX_TABLE
    make_sbox(sbox);
#else
    (void)make_sbox;
#endif
    expand_key(job.key, round_keys);
  }
  barrier_wait(&keys_ready);
  uint32_t *text = mem_alloc(BLOCKS_PER_READ * AES_BLOCK), *stream = mem_alloc(AES_BLOCK);
  for (uint32_t b = me() * BLOCKS_PER_READ; b < job.blocks; b += NR_TASKLETS * BLOCKS_PER_READ) {
    __mram_ptr uint8_t *at = (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + b * AES_BLOCK;
    mram_read(at, text, BLOCKS_PER_READ * AES_BLOCK);
    for (uint32_t k = 0; k < BLOCKS_PER_READ; ++k) {
      encrypt_counter(round_keys, job.nonce, job.first_counter + b + k, (uint8_t *)stream);
      for (int w = 0; w < AES_BLOCK / 4; ++w) text[k * AES_BLOCK / 4 + w] ^= stream[w];
    }
    mram_write(text, at, BLOCKS_PER_READ * AES_BLOCK);
  }
  return 0;
}
