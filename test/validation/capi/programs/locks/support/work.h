// The work of a tasklet, with the locks as macros. All changes are sums that do not depend on their order. Included
// after what it changes: far_words, far_halves, far_records.
#pragma once

#include "common.h"

static inline uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static uint32_t twice(uint32_t x) {
  return 2 * x;
}

static uint32_t (*volatile function)(uint32_t) = twice;

static void two_locks(struct state *s, uint32_t i, uint32_t v) {
  LOCK_A();
  s->words[i % WORDS] += v;
  if (v & 1) {
    UNLOCK_A();
    return;
  }
  LOCK_B();
  s->products[i % (WORDS / 4)] += (uint64_t)v * v * 1234567;
  UNLOCK_B();
  UNLOCK_A();
}

static void work(struct state *s, uint32_t tasklet, uint32_t rounds) {
  uint32_t random = tasklet + 1;
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t i = next_random(&random), v = next_random(&random) % 1000;
    two_locks(s, i, v);
    LOCK_POOL(i % WORDS / 8);
    far_words[i % WORDS] += (uint64_t)v * i;
    UNLOCK_POOL(i % WORDS / 8);
    LOCK_B();
    far_halves[i % WORDS] = (uint16_t)(far_halves[i % WORDS] + v);
    far_records[i % 32].key ^= i;
    far_records[i % 32].weight += (float)v * 0.5f;
    far_records[i % 32].tag[i % 3] += 1;
    UNLOCK_B();
    LOCK_VIRTUAL(i % (WORDS / 4));
    s->weights[i % (WORDS / 4)] += (float)(v % 7);
    UNLOCK_VIRTUAL(i % (WORDS / 4));
    TAKE();
    s->fields[i % 8].sum[v % 5] = (int16_t)(s->fields[i % 8].sum[v % 5] + (int32_t)v);
    s->fields[i % 8].bits += v;
    GIVE();
    LOCK_BIT();
    s->called[(i >> 3) % WORDS] += function(v);
    UNLOCK_BIT();
    LOCK_A();
    for (uint32_t k = 0; k < v % 4; ++k) s->looped[k * 7 % WORDS] += k * v;
    UNLOCK_A();
    while (!TRY_A()) continue;
    s->tried++;
    UNLOCK_A();
  }
}
