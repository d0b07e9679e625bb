// The work of all tasklets, one after another and without locks.
#include <dpu.h>
#include <stddef.h>

#include "check.h"
#include "common.h"
#include "params.h"

#define LOCK_A()
#define UNLOCK_A()
#define TRY_A() 1
#define LOCK_B()
#define UNLOCK_B()
#define LOCK_POOL(i)
#define UNLOCK_POOL(i)
#define LOCK_VIRTUAL(i)
#define UNLOCK_VIRTUAL(i)
#define TAKE()
#define GIVE()
#define LOCK_BIT()
#define UNLOCK_BIT()

static uint64_t far_words[64];
static uint16_t far_halves[64];
static struct record far_records[32];
#include "work.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static void compare(const struct state *got, const struct state *wanted) {
  for (size_t i = 0; i < WORDS; ++i) {
    expect_equal("words", i, got->words[i], wanted->words[i]);
    expect_equal("looped", i, got->looped[i], wanted->looped[i]);
    expect_equal("called", i, got->called[i], wanted->called[i]);
  }
  for (size_t i = 0; i < WORDS / 4; ++i) {
    expect_equal("products", i, (int64_t)got->products[i], (int64_t)wanted->products[i]);
    expect_same("weights", i, got->weights[i], wanted->weights[i]);
  }
  for (size_t i = 0; i < 8; ++i) {
    expect_equal("bits", i, got->fields[i].bits, wanted->fields[i].bits);
    for (size_t k = 0; k < 5; ++k) expect_equal("sum", i * 5 + k, got->fields[i].sum[k], wanted->fields[i].sum[k]);
  }
  expect_equal("tried", 0, got->tried, wanted->tried);
}

static void compare_records(const struct record *got) {
  for (size_t i = 0; i < 32; ++i) {
    expect_equal("key", i, got[i].key, far_records[i].key);
    expect_same("weight", i, got[i].weight, far_records[i].weight);
    for (size_t k = 0; k < 3; ++k) expect_equal("tag", i * 3 + k, got[i].tag[k], far_records[i].tag[k]);
  }
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 12);
  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_broadcast_to(set, "rounds", 0, &p.n, sizeof(p.n), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  static struct state wanted, got;
  for (uint32_t t = 0; t < NR_TASKLETS; ++t) work(&wanted, t, p.n);
  uint64_t words[64];
  uint16_t halves[64];
  struct record records[32];
  DPU_FOREACH(set, dpu) {
    DPU_ASSERT(dpu_copy_from(dpu, "state", 0, &got, sizeof(got)));
    DPU_ASSERT(dpu_copy_from(dpu, "far_words", 0, words, sizeof(words)));
    DPU_ASSERT(dpu_copy_from(dpu, "far_halves", 0, halves, sizeof(halves)));
    DPU_ASSERT(dpu_copy_from(dpu, "far_records", 0, records, sizeof(records)));
    compare(&got, &wanted);
    compare_records(records);
    for (size_t i = 0; i < 64; ++i) {
      expect_equal("far words", i, (int64_t)words[i], (int64_t)far_words[i]);
      expect_equal("far halves", i, halves[i], far_halves[i]);
    }
  }
  DPU_ASSERT(dpu_free(set));
  return verdict("locks");
}
