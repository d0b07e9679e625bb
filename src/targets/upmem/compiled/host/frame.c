#include <dpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A dim in contiguous shares: of ranks, DPUs of a rank, tasklets, each with `range` values. `shares`: the first value
/// of each DPU's share and how many follow; NULL where shares are of one size, one after the other.
struct dim {
  int64_t extent, ranks, dpus, tasklets, range;
  const int64_t *shares;
};

struct mapping {
  int64_t ranks, dpus, tasklets;  // DPUs of all ranks
  int count;
  const struct dim *dims;
};

/// The first value of each dim in a DPU, and how many of those that follow are the kernel's.
static inline void share_of_dpu(const struct mapping *m, int64_t dpu, int64_t *base, int64_t *valid) {
  int64_t in_rank = dpu % (m->dpus / m->ranks), rank = dpu / (m->dpus / m->ranks);
  for (int d = m->count - 1; d >= 0; --d) {
    const struct dim *const dim = &m->dims[d];
    const int64_t per_dpu = dim->tasklets * dim->range;
    const int64_t share = rank % dim->ranks * dim->dpus + in_rank % dim->dpus;
    base[d] = dim->shares != NULL ? dim->shares[2 * share] : share * per_dpu;
    rank /= dim->ranks;
    in_rank /= dim->dpus;
    const int64_t left = dim->shares != NULL ? dim->shares[2 * share + 1] : dim->extent - base[d];
    valid[d] = left < 0 ? 0 : left < per_dpu ? left : per_dpu;
  }
}

/// The first value of each dim in a tasklet, from the DPU's first.
static inline void share_of_tasklet(const struct mapping *m, int64_t tasklet, int64_t *low) {
  for (int d = m->count - 1; d >= 0; tasklet /= m->dims[d].tasklets, --d)
    low[d] = tasklet % m->dims[d].tasklets * m->dims[d].range;
}

/// How many values of a dim a tasklet has.
static inline int64_t points(const struct mapping *m, const int64_t *valid, const int64_t *low, int d) {
  const int64_t left = valid[d] - low[d];
  return left < 0 ? 0 : left < m->dims[d].range ? left : m->dims[d].range;
}

static inline int is_idle(const struct mapping *m, const int64_t *valid, const int64_t *low) {
  for (int d = 0; d < m->count; ++d)
    if (low[d] >= valid[d]) return 1;
  return 0;
}

static void *reserve(size_t bytes) {
  void *const memory = calloc(bytes, 1);
  if (memory != NULL) return memory;
  fprintf(stderr, "no memory for %zu bytes\n", bytes);
  exit(EXIT_FAILURE);
}

/// Ends the program unless `binary` was made for `wanted`: which text, tasklets, bytes of stack of each.
static void expect_half(struct dpu_set_t set, const char *binary, const uint32_t *wanted) {
  struct dpu_set_t dpu;
  uint32_t found[4] = {0, 0, 0, 0};
  DPU_FOREACH(set, dpu) {
    if (dpu_copy_from(dpu, "FINGERPRINT", 0, found, sizeof found) != DPU_OK) found[0] = ~wanted[0];
    break;
  }
  if (memcmp(found, wanted, sizeof found) == 0) return;
  if (memcmp(found, wanted, 2 * sizeof *found) != 0)
    fprintf(stderr, "%s: not the DPU half of this host half; emit both from the same kernel with the same mapping\n",
            binary);
  else
    fprintf(stderr,
            "%s: built for %u tasklets with %u bytes of stack, not %u with %u; say -DNR_TASKLETS=%u "
            "-DSTACK_SIZE_DEFAULT=%u\n",
            binary, found[2], found[3], wanted[2], wanted[3], wanted[2], wanted[3]);
  dpu_free(set);
  exit(EXIT_FAILURE);
}
