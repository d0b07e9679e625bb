// Elements come in from the host and go out again while the program runs: their words plus 1, and who worked on them.
#include <barrier.h>
#include <defs.h>
#include <mutex.h>
#include <wramfifo.h>

#define WORDS 4

__host volatile uint64_t active = 1;
__host volatile uint32_t flag;

INPUT_FIFO_INIT(input_fifo, 2, 4 * WORDS);
OUTPUT_FIFO_INIT(output_fifo, 2, 4 * WORDS);
BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(queues);

static uint32_t sums[NR_TASKLETS];

#ifdef ALL
static void process(uint8_t *element, void *ctx) {
  const uint32_t *words = (const uint32_t *)element, *more = ctx;
  sums[me()] = 0;
  for (uint32_t i = me(); i < WORDS; i += NR_TASKLETS) sums[me()] += words[i] + *more;
}

static void reduce(uint8_t *element, uint8_t *result, void *ctx) {
  (void)ctx;
  uint32_t *words = (uint32_t *)result;
  words[0] = 0;
  for (uint32_t t = 0; t < NR_TASKLETS; ++t) words[0] += sums[t];
  words[1] = ((const uint32_t *)element)[0];
}
#else
static void process(uint8_t *element, uint8_t *result) {
  const uint32_t *from = (const uint32_t *)element;
  uint32_t *to = (uint32_t *)result;
  to[0] = 0;
  for (uint32_t i = 0; i < WORDS; ++i) to[0] += from[i] + 1;
  to[1] = from[0];
  ++sums[me()];
}
#endif

int main(void) {
  while (flag == 0) continue;  // the host sets it while all tasklets run
#ifdef ALL
  uint32_t one = 1;
  process_inputs_all_tasklets(&input_fifo, &output_fifo, process, reduce, &one, &everybody, &active);
#else
  process_inputs_each_tasklet(&input_fifo, &output_fifo, process, queues, &active);
  barrier_wait(&everybody);
#endif
  return 0;
}
