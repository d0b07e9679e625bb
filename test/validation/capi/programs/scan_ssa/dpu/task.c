// Prefix sums in two steps, each a function that the host chooses. Scan: every tasklet scans a contiguous part in
// place; then a chain of handshakes tells each the sum of the parts before, which it adds to its own. Add: an offset to
// all.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#include "common.h"

__host struct job job;
__host T dpu_sum;

static T sum_until[NR_TASKLETS];  // of the parts up to and including a tasklet's

BARRIER_INIT(start_barrier, NR_TASKLETS);

struct part {
  uint32_t begin, end;  // addresses in MRAM
  T *block;
};

static T scan_part(const struct part *part) {
  T sum = 0;
  for (uint32_t at = part->begin; at < part->end; at += BLOCK_BYTES) {
    mram_read((__mram_ptr void *)at, part->block, BLOCK_BYTES);
    for (T *element = part->block; element < part->block + BLOCK_ELEMENTS; ++element) *element = sum += *element;
    mram_write(part->block, (__mram_ptr void *)at, BLOCK_BYTES);
  }
  return sum;
}

static void add_to_part(const struct part *part, T offset) {
  if (offset == 0) return;
  for (uint32_t at = part->begin; at < part->end; at += BLOCK_BYTES) {
    mram_read((__mram_ptr void *)at, part->block, BLOCK_BYTES);
    for (uint32_t i = 0; i < BLOCK_ELEMENTS; ++i) part->block[i] += offset;
    mram_write(part->block, (__mram_ptr void *)at, BLOCK_BYTES);
  }
}

static void scan(const struct part *part) {
  const sysname_t self = me();
  T sum = scan_part(part), before = 0;
  if (self > 0) {
    handshake_wait_for(self - 1);
    before = sum_until[self - 1];
  }
  sum_until[self] = before + sum;
  if (self + 1 < NR_TASKLETS)
    handshake_notify();
  else
    dpu_sum = before + sum;
  add_to_part(part, before);
}

static void add_offset(const struct part *part) {
  add_to_part(part, job.offset);
}

static void (*const steps[kSteps])(const struct part *) = {scan, add_offset};

int main(void) {
  if (me() == 0) mem_reset();
  barrier_wait(&start_barrier);
  const uint32_t blocks = job.elements / BLOCK_ELEMENTS, heap = (uint32_t)DPU_MRAM_HEAP_POINTER;
  const struct part part = {heap + blocks * me() / NR_TASKLETS * BLOCK_BYTES,
                            heap + blocks * (me() + 1) / NR_TASKLETS * BLOCK_BYTES, mem_alloc(BLOCK_BYTES)};
  steps[job.step](&part);
  return 0;
}
