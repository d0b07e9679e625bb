/* Checkpoints: the state of a DPU between launches, saved, restored and as bytes.
 *
 * Names of UPMEM's public documentation; values and the format of the bytes are ours. Between launches no tasklet runs:
 * registers, flags and program counters are zero, and every program clears its atomic bits when it starts.
 */
#ifndef PIMENTO_DPU_CHECKPOINT_H
#define PIMENTO_DPU_CHECKPOINT_H

#include <dpu_error.h>
#include <dpu_types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum _dpu_checkpoint_flags_t PIMENTO_DPU_INT {
  DPU_CHECKPOINT_NONE = 0,
  DPU_CHECKPOINT_INTERNAL = 1 << 0, /* registers, flags, program counters, faults */
  DPU_CHECKPOINT_IRAM = 1 << 1,
  DPU_CHECKPOINT_WRAM = 1 << 2,
  DPU_CHECKPOINT_MRAM = 1 << 3,
  DPU_CHECKPOINT_ALL = (1 << 4) - 1
} dpu_checkpoint_flags_t;

/* What dpu_checkpoint_save found; memories that were not asked for are NULL. */
struct dpu_context_t {
  struct {
    uint32_t iram_size;    /* instructions */
    uint32_t mram_size;    /* bytes */
    uint32_t wram_size;    /* 32-bit words */
    uint32_t nr_registers; /* of a tasklet */
    uint8_t nr_threads;
    uint32_t nr_atomic_bits;
  } info;
  uint64_t *iram;
  uint8_t *mram;
  uint32_t *wram;
  uint32_t *registers; /* nr_registers of every tasklet */
  uint16_t *pcs;       /* by tasklet, as the next three */
  bool *atomic_register;
  bool *zero_flags;
  bool *carry_flags;
  uint8_t nr_of_running_threads;
  uint8_t *scheduling;
  bool bkp_fault, dma_fault, mem_fault; /* the DPU is in fault: bkp_fault */
  uint8_t bkp_fault_thread_index, dma_fault_thread_index, mem_fault_thread_index;
  uint32_t bkp_fault_id;
};

/* The state of a single DPU; freed by dpu_checkpoint_free. Waits for asynchronous work.
 * DPU_ERR_INVALID_DPU_SET, DPU_ERR_NO_PROGRAM_LOADED, DPU_ERR_SYSTEM. */
dpu_error_t dpu_checkpoint_save(struct dpu_set_t set, dpu_checkpoint_flags_t flags, struct dpu_context_t *context);
/* Gives a single DPU what `context` has of `flags`. Its program must be the one of the checkpoint; INTERNAL ends a
 * fault. DPU_ERR_INVALID_DPU_SET, DPU_ERR_NO_PROGRAM_LOADED, DPU_ERR_DIFFERENT_DPU_PROGRAMS,
 * DPU_ERR_INVALID_BUFFER_SIZE (a checkpoint of another machine). */
dpu_error_t dpu_checkpoint_restore(struct dpu_set_t set, dpu_checkpoint_flags_t flags, struct dpu_context_t *context);

uint32_t dpu_checkpoint_get_serialized_context_size(struct dpu_context_t *context);
/* Writes the checkpoint to *bytes, which has room for *size bytes; where *bytes is NULL, to memory from malloc.
 * DPU_ERR_INVALID_BUFFER_SIZE, DPU_ERR_SYSTEM. */
dpu_error_t dpu_checkpoint_serialize(struct dpu_context_t *context, uint8_t **bytes, uint32_t *size);
/* DPU_ERR_INVALID_BUFFER_SIZE where the bytes are not those of a checkpoint. */
dpu_error_t dpu_checkpoint_deserialize(uint8_t *bytes, uint32_t size, struct dpu_context_t *context);
dpu_error_t dpu_checkpoint_free(struct dpu_context_t *context);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
