// Checksums that sum up sums. A tasklet computes both sums of its part from zero; the sum of sums of parts before needs
// the lengths of parts only.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#include "common.h"

__host uint32_t length;  // bytes, a multiple of 2
__host struct checksums checksums;

struct sums {
  uint32_t a, b;
};

static struct sums adler[NR_TASKLETS], fletcher16[NR_TASKLETS], fletcher32[NR_TASKLETS];
static uint32_t lengths[NR_TASKLETS];

BARRIER_INIT(my_barrier, NR_TASKLETS);

// Sums are below 2^32 for a block of 2^11 bytes: 255 * 2^11 * 2^10 and 65535 * 2^10 * 2^9.
static struct sums add_bytes(struct sums s, const uint8_t *from, uint32_t count, uint32_t modulus) {
  for (uint32_t i = 0; i < count; ++i) {
    s.a += from[i];
    s.b += s.a;
  }
  return (struct sums){s.a % modulus, s.b % modulus};
}

static struct sums add_halves(struct sums s, const uint16_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    s.a = (s.a + from[i]) % 65535;
    s.b = (s.b + s.a) % 65535;
  }
  return s;
}

// The sums of a part after those of what is before it.
static struct sums append(struct sums before, struct sums part, uint32_t count, uint32_t modulus) {
  const uint64_t b = before.b + (uint64_t)before.a * count + part.b;
  return (struct sums){(before.a + part.a) % modulus, (uint32_t)(b % modulus)};
}

int main() {
  const uint32_t tasklet_id = me();
  if (tasklet_id == 0) mem_reset();
  barrier_wait(&my_barrier);
  const uint32_t per_tasklet = (length / NR_TASKLETS + 7) & ~7u;
  const uint32_t begin = tasklet_id * per_tasklet < length ? tasklet_id * per_tasklet : length;
  const uint32_t last = tasklet_id == NR_TASKLETS - 1 ? length : begin + per_tasklet;
  const uint32_t end = last < length ? last : length;
  uint8_t *buffer = mem_alloc(BLOCK_SIZE);
  struct sums a = {0, 0}, f16 = {0, 0}, f32 = {0, 0};
  for (uint32_t at = begin; at < end; at += BLOCK_SIZE) {
    const uint32_t count = end - at < BLOCK_SIZE ? end - at : BLOCK_SIZE;
    mram_read((__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + at, buffer, (count + 7) & ~7u);
    a = add_bytes(a, buffer, count, 65521);
    f16 = add_bytes(f16, buffer, count, 255);
    f32 = add_halves(f32, (const uint16_t *)buffer, count / 2);
  }
  adler[tasklet_id] = a;
  fletcher16[tasklet_id] = f16;
  fletcher32[tasklet_id] = f32;
  lengths[tasklet_id] = end - begin;

  // From tasklet to tasklet: each appends its part to what is before.
  if (tasklet_id == 0) {
    adler[0].b = (adler[0].b + lengths[0]) % 65521;  // Adler's first sum begins at 1
    adler[0].a = (adler[0].a + 1) % 65521;
  } else {
    handshake_wait_for(tasklet_id - 1);
    const uint32_t n = lengths[tasklet_id];
    adler[tasklet_id] = append(adler[tasklet_id - 1], adler[tasklet_id], n, 65521);
    fletcher16[tasklet_id] = append(fletcher16[tasklet_id - 1], fletcher16[tasklet_id], n, 255);
    fletcher32[tasklet_id] = append(fletcher32[tasklet_id - 1], fletcher32[tasklet_id], n / 2, 65535);
  }
  if (tasklet_id < NR_TASKLETS - 1) {
    handshake_notify();
  } else {
    checksums.adler32 = adler[tasklet_id].b << 16 | adler[tasklet_id].a;
    checksums.fletcher16 = (uint16_t)(fletcher16[tasklet_id].b << 8 | fletcher16[tasklet_id].a);
    checksums.fletcher32 = fletcher32[tasklet_id].b << 16 | fletcher32[tasklet_id].a;
    checksums.tasklets = NR_TASKLETS;
  }
  return 0;
}
