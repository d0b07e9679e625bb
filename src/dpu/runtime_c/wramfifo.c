// Queues in WRAM between the host and a running program: rings with two counters that only grow, one for each side.
// Defines: is_input_fifo_empty input_fifo_peek input_fifo_pop is_output_fifo_full output_fifo_push process_inputs_all_tasklets process_inputs_each_tasklet

#include <defs.h>
#include <string.h>
#include <wramfifo.h>

bool is_input_fifo_empty(const struct dpu_input_fifo_t *fifo) {
  return fifo->taken == fifo->put;
}

uint8_t *input_fifo_peek(const struct dpu_input_fifo_t *fifo) {
  return fifo->data + ((uint32_t)fifo->taken & ((1u << fifo->ptr_size) - 1)) * fifo->data_size;
}

void input_fifo_pop(struct dpu_input_fifo_t *fifo) {
  fifo->taken = fifo->taken + 1;
}

bool is_output_fifo_full(const struct dpu_output_fifo_t *fifo) {
  return (uint32_t)fifo->put - (uint32_t)fifo->taken >= 1u << fifo->ptr_size;
}

void output_fifo_push(struct dpu_output_fifo_t *fifo, const uint8_t *element) {
  const uint32_t at = ((uint32_t)fifo->put & ((1u << fifo->ptr_size) - 1)) * fifo->data_size;
  memcpy(fifo->data + at, element, fifo->data_size);
  fifo->put = fifo->put + 1;
}

// What tasklet 0 found, for all.
static volatile uint32_t isMore;

void process_inputs_all_tasklets(struct dpu_input_fifo_t *input, struct dpu_output_fifo_t *output,
                                 void (*process)(uint8_t *element, void *ctx),
                                 void (*reduce)(uint8_t *element, uint8_t *result, void *ctx), void *ctx,
                                 barrier_t *barrier, volatile uint64_t *active) {
  for (;;) {
    if (me() == 0) {
      // The host puts elements first and clears `active` then, so the queue is looked at again.
      while (is_input_fifo_empty(input) && *active != 0) continue;
      isMore = !is_input_fifo_empty(input);
    }
    barrier_wait(barrier);
    if (!isMore) return;
    uint8_t *const element = input_fifo_peek(input);
    process(element, ctx);
    barrier_wait(barrier);
    if (me() != 0) continue;
    reduce(element, output->tmp_data, ctx);
    while (is_output_fifo_full(output)) output->retries = output->retries + 1;
    output_fifo_push(output, output->tmp_data);
    input_fifo_pop(input);
  }
}

void process_inputs_each_tasklet(struct dpu_input_fifo_t *input, struct dpu_output_fifo_t *output,
                                 void (*process)(uint8_t *element, uint8_t *result), mutex_id_t mutex,
                                 volatile uint64_t *active) {
  uint8_t *const element = input->tmp_data + me() * input->data_size;
  uint8_t *const result = output->tmp_data + me() * output->data_size;
  for (;;) {
    const bool isLast = *active == 0;
    mutex_lock(mutex);
    const bool isEmpty = is_input_fifo_empty(input);
    if (!isEmpty) {
      memcpy(element, input_fifo_peek(input), input->data_size);
      input_fifo_pop(input);
    }
    mutex_unlock(mutex);
    if (isEmpty) {
      if (isLast) return;
      continue;
    }
    process(element, result);
    mutex_lock(mutex);
    while (is_output_fifo_full(output)) {
      output->retries = output->retries + 1;
      mutex_unlock(mutex);
      mutex_lock(mutex);
    }
    output_fifo_push(output, result);
    mutex_unlock(mutex);
  }
}
