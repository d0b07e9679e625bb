// CRC-32 of the DPU's messages; a tasklet takes the next message when it is done with one.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex.h>

#include "common.h"

__host uint32_t nr_messages;
__host uint32_t crcs[MAX_MESSAGES];
__mram_noinit struct message messages[MAX_MESSAGES];
__mram_noinit uint8_t bytes[MAX_BYTES];

#define CHUNK 100

static uint32_t next_message;
MUTEX_INIT(next_mutex);
BARRIER_INIT(table_barrier, NR_TASKLETS);

#if defined(METHOD_TABLE)
static uint32_t table[256];
#define TABLE_BITS 8
#elif defined(METHOD_NIBBLE)
static uint32_t table[16];
#define TABLE_BITS 4
#endif

#ifdef TABLE_BITS
static void make_table(void) {
  for (uint32_t i = me(); i < 1u << TABLE_BITS; i += NR_TASKLETS) {
    uint32_t c = i;
    for (int bit = 0; bit < TABLE_BITS; ++bit) c = c & 1 ? (c >> 1) ^ POLYNOMIAL : c >> 1;
    table[i] = c;
  }
}
#endif

static uint32_t update(uint32_t crc, const uint8_t *from, uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
#if defined(METHOD_TABLE)
    crc = table[(crc ^ from[i]) & 0xff] ^ (crc >> 8);
#elif defined(METHOD_NIBBLE)
    crc ^= from[i];
    crc = table[crc & 0xf] ^ (crc >> 4);
    crc = table[crc & 0xf] ^ (crc >> 4);
#else
    crc ^= from[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (POLYNOMIAL & -(crc & 1));
#endif
  }
  return crc;
}

static uint32_t take_message(void) {
  mutex_lock(next_mutex);
  const uint32_t mine = next_message++;
  mutex_unlock(next_mutex);
  return mine;
}

int main() {
  if (me() == 0) {
    mem_reset();
    next_message = 0;
  }
#ifdef TABLE_BITS
  make_table();
#endif
  barrier_wait(&table_barrier);
  uint8_t *buffer = mem_alloc(CHUNK + 16);
  for (uint32_t i; (i = take_message()) < nr_messages;) {
    const struct message message = messages[i];  // read through a pointer to MRAM
    uint32_t crc = ~0u;
    for (uint32_t done = 0; done < message.length; done += CHUNK) {
      const uint32_t left = message.length - done, length = left < CHUNK ? left : CHUNK;
      crc = update(crc, mram_read_unaligned(bytes + message.at + done, buffer, length), length);
    }
    crcs[i] = ~crc;
  }
  return 0;
}
