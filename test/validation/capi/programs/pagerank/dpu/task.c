// A node's rank is the sum of the shares of those that point to it. A DPU has some nodes with the edges into them; the
// shares of all nodes come from the host.
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <seqread.h>

#include "common.h"

__host struct arguments arguments;
__mram_noinit uint32_t first_edge[MAX_OWN + 2];
__mram_noinit uint16_t sources[MAX_EDGES];
__mram_noinit rank_t shares[MAX_NODES];
__mram_noinit rank_t ranks[MAX_OWN];

BARRIER_INIT(start, NR_TASKLETS);

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  barrier_wait(&start);
  const seqreader_buffer_t buffer = seqread_alloc();
  seqreader_t reader;
  rank_t *pair = mem_alloc(2 * sizeof(rank_t));
  for (uint32_t node = id * 2; node < arguments.own; node += NR_TASKLETS * 2) {
    for (uint32_t k = 0; k < 2 && node + k < arguments.own; ++k) {
      const uint32_t begin = first_edge[node + k], end = first_edge[node + k + 1];
      rank_t sum = 0;
      if (begin < end) {
        const uint16_t *source = seqread_init(buffer, &sources[begin], &reader);
        for (uint32_t e = begin; e < end; ++e) {
          sum += shares[*source];
          source = seqread_get((void *)source, sizeof(*source), &reader);
        }
      }
      pair[k] = arguments.base + DAMP(sum);
    }
    mram_write(pair, &ranks[node], 2 * sizeof(rank_t));
  }
  return 0;
}
