// Compresses `bytes` to `runs`, or expands them to `expanded`. Tasklets have a part of the bytes each.
#include <alloc.h>
#include <assert.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <seqread.h>

#include "common.h"

__host struct job job;
__mram_noinit uint8_t bytes[MAX_BYTES];
__mram_noinit struct run runs[MAX_BYTES];
__mram_noinit uint8_t expanded[MAX_BYTES];

BARRIER_INIT(start, NR_TASKLETS);

static void compress(uint32_t begin, uint32_t end) {
  if (begin == end) {
    job.runs[me()] = 0;
    return;
  }
  seqreader_t reader;
  const uint8_t *byte = seqread_init(seqread_alloc(), &bytes[begin], &reader);
  struct run run = {0, *byte};
  uint32_t count = 0;
  for (uint32_t i = begin + 1; i <= end; ++i) {
    byte = seqread_get((void *)byte, 1, &reader);
    if (i < end && *byte == run.byte && run.length < 255) {
      run.length++;
      continue;
    }
    mram_write_unaligned(&run, &runs[begin + count], sizeof(run));
    count++;
    run = (struct run){0, *byte};
  }
  assert(count <= end - begin);
  job.runs[me()] = count;
}

static void expand(uint32_t begin, uint32_t end) {
  seqreader_t reader;
  const struct run *run = seqread_init(seqread_alloc(), &runs[begin], &reader);
  uint8_t *cache = mem_alloc(256);
  uint32_t at = begin;
  for (uint32_t i = 0; i < job.runs[me()]; ++i) {
    const uint32_t length = run->length + 1u;
    for (uint32_t k = 0; k < length; ++k) cache[k] = run->byte;
    mram_write_unaligned(cache, &expanded[at], length);
    at += length;
    run = seqread_get((void *)run, sizeof(*run), &reader);
  }
  assert(at == end);
}

int main() {
  if (me() == 0) mem_reset();
  barrier_wait(&start);
  const uint32_t begin = job.bytes * me() / NR_TASKLETS, end = job.bytes * (me() + 1) / NR_TASKLETS;
  if (job.mode == kCompress)
    compress(begin, end);
  else
    expand(begin, end);
  return 0;
}
