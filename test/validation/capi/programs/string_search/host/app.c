// Searches a text that is shared out among DPUs; parts overlap by the longest pattern.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 1503);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  if (p.n + MAX_PATTERN > MAX_TEXT)
    return fprintf(stderr, "at most %d characters per DPU\n", MAX_TEXT - MAX_PATTERN), 2;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t total = p.n * dpus - 1;
  char *text = calloc(total + 2 * MAX_PATTERN, 1), *parts = calloc(dpus, MAX_TEXT);
  uint32_t state = p.seed;
  for (uint32_t i = 0; i < total; ++i) text[i] = "abab c"[random_below(&state, 6)];
  static const char *const patterns[NR_PATTERNS] = {"ab", "aba", "cabab"};
  struct request *requests = calloc(dpus, sizeof(*requests));
  for (d = 0; d < dpus; ++d) {
    struct request *r = &requests[d];
    const uint32_t begin = d * p.n, left = total - begin;
    r->length = left < p.n ? left : p.n;
    r->readable = left < p.n + MAX_PATTERN - 1 ? left : p.n + MAX_PATTERN - 1;
    memcpy(parts + (size_t)d * MAX_TEXT, text + begin, r->readable);
    for (int k = 0; k < NR_PATTERNS; ++k) {
      r->patterns[k].length = (uint32_t)strlen(patterns[k]);
      memcpy(r->patterns[k].text, patterns[k], strlen(patterns[k]));
    }
  }
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, &requests[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "request", 0, sizeof(*requests), DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, parts + (size_t)d * MAX_TEXT));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "text", 0, round_up(p.n + MAX_PATTERN, 8), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));

  uint32_t counts[NR_PATTERNS] = {0}, firsts[NR_PATTERNS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  DPU_FOREACH(set, dpu, d) {
    uint32_t count[NR_PATTERNS], first[NR_PATTERNS];
    DPU_ASSERT(dpu_copy_from(dpu, "occurrences", 0, count, sizeof(count)));
    DPU_ASSERT(dpu_copy_from(dpu, "firsts", 0, first, sizeof(first)));
    for (int k = 0; k < NR_PATTERNS; ++k) {
      counts[k] += count[k];
      if (first[k] != UINT32_MAX && d * p.n + first[k] < firsts[k]) firsts[k] = d * p.n + first[k];
    }
  }
  for (size_t k = 0; k < NR_PATTERNS; ++k) {
    uint32_t count = 0, first = UINT32_MAX;
    for (const char *at = text; (at = strstr(at, patterns[k])) != NULL; ++at)
      if (count++ == 0) first = (uint32_t)(at - text);
    expect_equal("occurrences", k, counts[k], count);
    expect_equal("first", k, firsts[k], first);
  }
  DPU_ASSERT(dpu_free(set));
  free(text), free(parts), free(requests);
  return verdict("string_search");
}
