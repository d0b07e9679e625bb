// Hash join: rows go to the DPU that their key's hash names, so that rows with equal keys meet.
#include <dpu.h>

#include "check.h"
#include "common.h"
#include "params.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./bin/dpu_code"
#endif

static int compare_matches(const void *a, const void *b) {
  return memcmp(a, b, sizeof(match_t));
}

static uint32_t distribute(const row_t *rows, uint32_t n, uint32_t dpus, row_t *to, uint32_t *count) {
  uint32_t most = 0;
  memset(count, 0, dpus * sizeof(*count));
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t d = hash(rows[i].key) / BUCKETS % dpus;
    if (count[d] == MAX_ROWS) fprintf(stderr, "too many rows for DPU %u\n", d), exit(2);
    to[d * MAX_ROWS + count[d]++] = rows[i];
    if (count[d] > most) most = count[d];
  }
  return most;
}

int main(int argc, char **argv) {
  const struct params p = input_params(argc, argv, 150);
  struct dpu_set_t set, dpu;
  uint32_t dpus, d;
  DPU_ASSERT(dpu_alloc(NR_DPUS, NULL, &set));
  DPU_ASSERT(dpu_load(set, DPU_BINARY, NULL));
  DPU_ASSERT(dpu_get_nr_dpus(set, &dpus));
  const uint32_t n[2] = {p.n * dpus, p.n * dpus + p.n * dpus / 3};
  row_t *tables[2], *parts[2];
  uint32_t *counts[2], most[2], state = p.seed;
  for (int t = 0; t < 2; t++) {
    tables[t] = malloc(n[t] * sizeof(row_t));
    parts[t] = calloc((size_t)dpus * MAX_ROWS, sizeof(row_t));
    counts[t] = malloc(dpus * sizeof(uint32_t));
    for (uint32_t i = 0; i < n[t]; i++) tables[t][i] = (row_t){random_below(&state, n[0]), i};
    most[t] = distribute(tables[t], n[t], dpus, parts[t], counts[t]);
    DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, parts[t] + (size_t)d * MAX_ROWS));
    DPU_ASSERT(
        dpu_push_xfer(set, DPU_XFER_TO_DPU, t == 0 ? "left" : "right", 0, most[t] * sizeof(row_t), DPU_XFER_DEFAULT));
  }
  sizes_t *sizes = malloc(dpus * sizeof(*sizes));
  for (d = 0; d < dpus; d++) sizes[d] = (sizes_t){counts[0][d], counts[1][d]};
  DPU_FOREACH(set, dpu, d) DPU_ASSERT(dpu_prepare_xfer(dpu, &sizes[d]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "sizes", 0, sizeof(sizes_t), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));

  match_t *got = malloc((size_t)dpus * MAX_MATCHES * sizeof(*got));
  match_t *wanted = malloc((size_t)dpus * MAX_MATCHES * sizeof(*wanted));
  uint32_t nr_got = 0, nr_wanted = 0;
  DPU_FOREACH(set, dpu) {
    uint32_t nr = 0;
    DPU_ASSERT(dpu_copy_from(dpu, "nr_matches", 0, &nr, sizeof(nr)));
    if (nr > 0) DPU_ASSERT(dpu_copy_from(dpu, "matches", 0, got + nr_got, nr * sizeof(*got)));
    nr_got += nr;
  }
  // Left rows by key, for the check.
  uint32_t *first = malloc(n[0] * sizeof(uint32_t)), *next = malloc(n[0] * sizeof(uint32_t));
  memset(first, 0xff, n[0] * sizeof(uint32_t));
  for (uint32_t i = 0; i < n[0]; i++) next[i] = first[tables[0][i].key], first[tables[0][i].key] = i;
  for (uint32_t i = 0; i < n[1]; i++)
    for (uint32_t k = first[tables[1][i].key]; k != UINT32_MAX; k = next[k]) wanted[nr_wanted++] = (match_t){k, i};
  expect_equal("matches", 0, nr_got, nr_wanted);
  qsort(got, nr_got, sizeof(*got), compare_matches);
  qsort(wanted, nr_wanted, sizeof(*wanted), compare_matches);
  for (uint32_t i = 0; i < nr_got && i < nr_wanted; i++) {
    expect_equal("left", i, got[i].left, wanted[i].left);
    expect_equal("right", i, got[i].right, wanted[i].right);
  }
  printf("%u matches\n", nr_got);
  DPU_ASSERT(dpu_free(set));
  for (int t = 0; t < 2; t++) free(tables[t]), free(parts[t]), free(counts[t]);
  free(sizes), free(got), free(wanted), free(first), free(next);
  return verdict("hash_join");
}
