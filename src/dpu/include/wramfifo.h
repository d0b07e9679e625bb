// Queues in WRAM between the host and a program that runs: the host puts elements into input queues and takes those of
// output queues (dpu_fifo.h) while tasklets work.
#ifndef PIMENTO_DPU_WRAMFIFO_H
#define PIMENTO_DPU_WRAMFIFO_H

#include <attributes.h>
#include <barrier.h>
#include <mutex.h>
#include <stdbool.h>
#include <stdint.h>

/// Elements that were taken and put since the start; those in between are held, each at its number modulo the capacity.
/// The host knows this layout.
struct dpu_input_fifo_t {
  volatile uint64_t taken, put;
  uint8_t *data, *tmp_data;      ///< of all elements; a copy of one for every tasklet
  uint32_t ptr_size, data_size;  ///< logarithm of the capacity; bytes of an element
};
struct dpu_output_fifo_t {
  volatile uint64_t taken, put;
  uint8_t *data, *tmp_data;
  uint32_t ptr_size, data_size;
  volatile uint64_t retries;  ///< how often a full queue was found
};

/// Defines the queue NAME for 1 << PTR_SIZE elements of DATA_SIZE bytes, a multiple of 8, at file scope.
#define INPUT_FIFO_INIT(NAME, PTR_SIZE, DATA_SIZE) \
  __FIFO_MEMORY(NAME, PTR_SIZE, DATA_SIZE);        \
  __host struct dpu_input_fifo_t NAME = {0, 0, __fifo_data_##NAME, __fifo_copies_##NAME, (PTR_SIZE), (DATA_SIZE)}
#define OUTPUT_FIFO_INIT(NAME, PTR_SIZE, DATA_SIZE) \
  __FIFO_MEMORY(NAME, PTR_SIZE, DATA_SIZE);         \
  __host struct dpu_output_fifo_t NAME = {0, 0, __fifo_data_##NAME, __fifo_copies_##NAME, (PTR_SIZE), (DATA_SIZE), 0}

#define __FIFO_MEMORY(NAME, PTR_SIZE, DATA_SIZE)                                                            \
  _Static_assert((PTR_SIZE) <= 10, "a queue has room for at most 1024 elements");                           \
  _Static_assert((DATA_SIZE) > 0 && (DATA_SIZE) % 8 == 0, "elements of a queue are a multiple of 8 bytes"); \
  __host uint8_t __fifo_data_##NAME[(1 << (PTR_SIZE)) * (DATA_SIZE)];                                       \
  __dma_aligned uint8_t __fifo_copies_##NAME[NR_TASKLETS * (DATA_SIZE)]

bool is_input_fifo_empty(const struct dpu_input_fifo_t *fifo);
/// The oldest element, and taking it; the queue must not be empty.
uint8_t *input_fifo_peek(const struct dpu_input_fifo_t *fifo);
void input_fifo_pop(struct dpu_input_fifo_t *fifo);

bool is_output_fifo_full(const struct dpu_output_fifo_t *fifo);
/// Copies an element; the queue must not be full.
void output_fifo_push(struct dpu_output_fifo_t *fifo, const uint8_t *element);

/// All tasklets work on every element together: each calls process(element, ctx); then tasklet 0 calls reduce(element,
/// result, ctx), and the result goes into `output`. Returns once *active is 0 and `input` is empty. All tasklets of
/// `barrier` must call it.
void process_inputs_all_tasklets(struct dpu_input_fifo_t *input, struct dpu_output_fifo_t *output,
                                 void (*process)(uint8_t *element, void *ctx),
                                 void (*reduce)(uint8_t *element, uint8_t *result, void *ctx), void *ctx,
                                 barrier_t *barrier, volatile uint64_t *active);
/// Every tasklet takes elements of its own: process(copy of the element, result). `mutex` guards both queues; results
/// come in any order.
void process_inputs_each_tasklet(struct dpu_input_fifo_t *input, struct dpu_output_fifo_t *output,
                                 void (*process)(uint8_t *element, uint8_t *result), mutex_id_t mutex,
                                 volatile uint64_t *active);

#endif
