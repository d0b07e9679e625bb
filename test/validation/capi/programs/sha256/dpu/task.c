// SHA-256 of messages of any length, a message per tasklet.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <string.h>

#include "sha256.h"

__host uint32_t nr_messages;
__host uint32_t lengths[MAX_MESSAGES];
__host digest_t digests[MAX_MESSAGES];
__mram_noinit uint8_t messages[MAX_MESSAGES][MESSAGE_ROOM];

BARRIER_INIT(start, NR_TASKLETS);

static void hash(const __mram_ptr uint8_t *message, uint32_t length, uint8_t *block, digest_t *digest) {
  memcpy(digest->word, kInitial, sizeof(kInitial));
  uint32_t at = 0;
  for (; at + 64 <= length; at += 64) {
    mram_read(message + at, block, 64);
    compress(digest, block);
  }
  const uint32_t rest = length - at;
  if (rest > 0) mram_read(message + at, block, 64);
  block[rest] = 0x80;
  memset(block + rest + 1, 0, 63 - rest);
  if (rest > 55) {
    compress(digest, block);
    memset(block, 0, 64);
  }
  const uint64_t bits = (uint64_t)length * 8;
  for (int i = 0; i < 8; ++i) block[63 - i] = (uint8_t)(bits >> (8 * i));
  compress(digest, block);
}

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&start);
  uint8_t *block = mem_alloc(64);
  for (uint32_t i = me(); i < nr_messages; i += NR_TASKLETS) hash(messages[i], lengths[i], block, &digests[i]);
  return 0;
}
