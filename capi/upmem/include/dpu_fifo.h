/* Queues in WRAM between the host and programs that run (wramfifo.h on the DPU's side). Names of UPMEM's public
 * documentation; on modules they need DPUs of version 1B, here every machine has them.
 *
 * The program is launched with DPU_ASYNCHRONOUS; while it runs, the host pushes elements into its input queues and
 * fetches those of its output queues. Its modelled time counts its waiting, which depends on how fast this machine runs
 * the host: times of such launches are not times of hardware.
 */
#ifndef PIMENTO_DPU_FIFO_H
#define PIMENTO_DPU_FIFO_H

#include <dpu_error.h>
#include <dpu_types.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

enum dpu_fifo_direction_t { DPU_INPUT_FIFO, DPU_OUTPUT_FIFO };

struct pimento_dpu_fifos; /* the library's */

/* A queue of every DPU of a set; valid until dpu_fifo_link_free, and as long as the program is loaded. */
struct dpu_fifo_link_t {
  enum dpu_fifo_direction_t direction;
  struct dpu_symbol_t fifo_symbol;
  struct pimento_dpu_fifos *fifos;
};

/* Links to the queue `fifo_name` of the programs of the set; before the launch. DPU_ERR_NO_PROGRAM_LOADED,
 * DPU_ERR_UNKNOWN_SYMBOL, DPU_ERR_INVALID_WRAM_ACCESS (the variable is not a queue). */
dpu_error_t dpu_link_input_fifo(struct dpu_set_t dpu_set, struct dpu_fifo_link_t *link, const char *fifo_name);
dpu_error_t dpu_link_output_fifo(struct dpu_set_t dpu_set, struct dpu_fifo_link_t *link, const char *fifo_name);
dpu_error_t dpu_fifo_link_free(struct dpu_fifo_link_t *fifo_link);

/* The buffer of every DPU of the set: one element of an input queue; a whole output queue. */
dpu_error_t dpu_fifo_prepare_xfer(struct dpu_set_t dpu_set, struct dpu_fifo_link_t *fifo_link, void *buffer);
/* For every DPU of the set that has a buffer: puts its element into the input queue, waiting where that is full
 * (DPU_ERR_WRAM_FIFO_FULL after the retries below, at once where the program does not run); or fetches and empties the
 * output queue. Done at once, also with DPU_XFER_ASYNC; buffers are forgotten without DPU_XFER_NO_RESET. */
dpu_error_t dpu_fifo_push_xfer(struct dpu_set_t dpu_set, struct dpu_fifo_link_t *fifo_link, int flags);

/* Of the DPU's output queue as fetched last: the number of elements, and element `index` in the buffer. */
uint16_t get_fifo_size(struct dpu_fifo_link_t *fifo_link, struct dpu_set_t dpu);
uint8_t *get_fifo_elem(struct dpu_fifo_link_t *fifo_link, struct dpu_set_t dpu, uint8_t *buffer, uint16_t index);

/* Retries of a push into a full queue (10,000 by default), and microseconds between two (100). */
dpu_error_t dpu_fifo_set_push_max_retries(struct dpu_fifo_link_t *fifo_link, struct dpu_set_t dpu_set,
                                          uint32_t retries);
dpu_error_t dpu_fifo_set_time_for_push_retries(struct dpu_fifo_link_t *fifo_link, struct dpu_set_t dpu_set,
                                               uint32_t microseconds);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
