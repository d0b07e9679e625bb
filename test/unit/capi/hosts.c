#include "hosts.h"

#include <dpu.h>
#include <string.h>

DPU_INCBIN(embedded_sum, PIMENTO_SOURCE_DIR "/examples/upmem/sum.s");

#define TRY(call) DPU_CHECK(call, return -1)

int hostOfSum(const char *path, uint32_t dpus) {
  enum { kWords = 512 };
  struct dpu_set_t set, dpu;
  uint32_t i, blocks = kWords / 256;
  int wrong = 0;
  TRY(dpu_alloc(dpus, "tasklets=4", &set));
  TRY(dpu_load(set, path, NULL));
  uint32_t *data = malloc((size_t)dpus * kWords * sizeof(uint32_t));
  uint32_t *sums = calloc(dpus, sizeof(uint32_t));
  for (i = 0; i < dpus * kWords; ++i) data[i] = i * 2654435761u;
  TRY(dpu_copy_to(set, "blocks", 0, &blocks, sizeof blocks));
  DPU_FOREACH(set, dpu, i) {
    TRY(dpu_prepare_xfer(dpu, data + i * kWords));
  }
  TRY(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, kWords * sizeof(uint32_t), DPU_XFER_DEFAULT));
  TRY(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_FOREACH(set, dpu, i) {
    TRY(dpu_prepare_xfer(dpu, &sums[i]));
  }
  TRY(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, sizeof(uint32_t), DPU_XFER_DEFAULT));
  for (i = 0; i < dpus; ++i) {
    uint32_t sum = 0, w;
    for (w = 0; w < kWords; ++w) sum += data[i * kWords + w];
    wrong += sum != sums[i];
  }
  free(data);
  free(sums);
  TRY(dpu_free(set));
  return wrong;
}

int hostOfUnequalRanks(const char *path, uint32_t dpus) {
  enum { kMost = 4096 };
  struct dpu_set_t set, rank, dpu;
  uint32_t r, i = 0;
  int wrong = 0;
  TRY(dpu_alloc(dpus, NULL, &set));
  TRY(dpu_load(set, path, NULL));
  uint8_t *out = malloc((size_t)dpus * kMost), *in = calloc(dpus, kMost);
  for (i = 0; i < dpus * kMost; ++i) out[i] = (uint8_t)(i * 31 + i / 251);
  for (int isBack = 0; isBack < 2; ++isBack) {
    i = 0;
    DPU_RANK_FOREACH(set, rank, r) {
      DPU_FOREACH(rank, dpu) {
        TRY(dpu_prepare_xfer(dpu, (isBack ? in : out) + (size_t)i * kMost));
        ++i;
      }
      TRY(dpu_push_xfer(rank, isBack ? DPU_XFER_FROM_DPU : DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 8 * r,
                        kMost >> r, DPU_XFER_DEFAULT));
    }
  }
  i = 0;
  DPU_RANK_FOREACH(set, rank, r) {
    DPU_FOREACH(rank, dpu) {
      wrong += memcmp(in + (size_t)i * kMost, out + (size_t)i * kMost, kMost >> r) != 0;
      for (uint32_t b = kMost >> r; b < kMost; ++b) wrong += in[(size_t)i * kMost + b] != 0;
      ++i;
    }
  }
  free(out);
  free(in);
  TRY(dpu_free(set));
  return wrong + (i != dpus);
}

/* Sees that the rank's results are those of the round before, and makes them the next round's values. */
struct round_t {
  uint32_t *values, *results, *ranks;
  uint32_t rounds, wrong;
};
static dpu_error_t endRound(struct dpu_set_t rank, uint32_t index, void *args) {
  struct round_t *round = args;
  struct dpu_set_t dpu;
  uint32_t d, n;
  dpu_get_nr_dpus(rank, &n);
  DPU_FOREACH(rank, dpu, d) {
    const uint32_t i = index * 64 + d;
    round->wrong += round->results[i] != round->values[i] + 1;
    round->values[i] = round->results[i];
  }
  ++round->ranks[index];
  return n == d ? DPU_OK : DPU_ERR_INTERNAL;
}

int hostOfAsyncRounds(const char *program, uint32_t dpus, uint32_t rounds) {
  struct dpu_set_t set, dpu;
  struct round_t round = {calloc(dpus, 4), calloc(dpus, 4), calloc(dpus, 4), rounds, 0};
  uint32_t i, n, ranks;
  TRY(dpu_alloc(dpus, "tasklets=2", &set));
  TRY(dpu_load_from_memory(set, (uint8_t *)(uintptr_t)program, strlen(program), NULL));
  for (i = 0; i < dpus; ++i) round.values[i] = i * 7;
  for (n = 0; n < rounds; ++n) {
    DPU_FOREACH(set, dpu, i) {
      TRY(dpu_prepare_xfer(dpu, &round.values[i]));
    }
    TRY(dpu_push_xfer(set, DPU_XFER_TO_DPU, "value", 0, 4, DPU_XFER_ASYNC));
    TRY(dpu_launch(set, DPU_ASYNCHRONOUS));
    DPU_FOREACH(set, dpu, i) {
      TRY(dpu_prepare_xfer(dpu, &round.results[i]));
    }
    TRY(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "result", 0, 4, DPU_XFER_ASYNC));
    TRY(dpu_callback(set, endRound, &round, DPU_CALLBACK_ASYNC));
  }
  TRY(dpu_sync(set));
  int wrong = (int)round.wrong;
  for (i = 0; i < dpus; ++i) wrong += round.values[i] != i * 7 + rounds;
  TRY(dpu_get_nr_ranks(set, &ranks));
  for (i = 0; i < ranks; ++i) wrong += round.ranks[i] != rounds;
  TRY(dpu_free(set));
  free(round.values);
  free(round.results);
  free(round.ranks);
  return wrong;
}

int hostOfEmbeddedProgram(void) {
  struct dpu_set_t set;
  struct dpu_program_t *program;
  struct dpu_symbol_t symbol;
  TRY(dpu_alloc(1, NULL, &set));
  TRY(dpu_load_from_incbin(set, &embedded_sum, &program));
  TRY(dpu_get_symbol(program, "result", &symbol));
  TRY(dpu_launch(set, DPU_SYNCHRONOUS));
  uint32_t result = 1;
  TRY(dpu_copy_from_symbol(set, symbol, 0, &result, 4));
  TRY(dpu_free(set));
  return (result != 0) + (strstr(embedded_sum.path, "sum.s") == NULL) + (symbol.size != 4);
}

int hostOfLog(const char *program, uint32_t dpus, FILE *stream) {
  struct dpu_set_t set, dpu;
  DPU_CHECK(dpu_alloc(dpus, NULL, &set), return -1);
  DPU_CHECK(dpu_load_from_memory(set, (uint8_t *)program, strlen(program), NULL), return -1);
  DPU_CHECK(dpu_launch(set, DPU_SYNCHRONOUS), return -1);
  DPU_FOREACH(set, dpu) DPU_CHECK(dpu_log_read(dpu, stream), return -1);
  DPU_CHECK(dpu_free(set), return -1);
  return 0;
}
