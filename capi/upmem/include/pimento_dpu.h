/* What Pimento adds to UPMEM's host interface: why a call failed, and modelled time and energy of what was done. */
#ifndef PIMENTO_DPU_H
#define PIMENTO_DPU_H

#include <dpu_error.h>
#include <dpu_types.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* What happened since dpu_alloc. Times are those of the modelled machine, not of the simulation; with
 * PIMENTO_TIMING=off those of kernels, totals and energy are NaN. */
struct pimento_dpu_account_t {
  uint64_t launches;
  uint64_t kernel_cycles;                /* of every launch its slowest DPU */
  double kernel_ms, launch_ms;           /* programs; starting them and learning that they are done */
  double to_dpu_ms, from_dpu_ms;         /* transfers */
  double total_ms;                       /* from first to last; asynchronous work of different ranks overlaps */
  uint64_t to_dpu_bytes, from_dpu_bytes; /* a broadcast counts for every DPU */
  uint64_t instructions, dma_bytes;      /* of all DPUs; between MRAM and WRAM */
  double energy_pj, energy_low_pj,
      energy_high_pj; /* with the machine file's values, and with the ends of their ranges */
};

/* The account of the allocation that `set` belongs to; waits for its asynchronous work. */
dpu_error_t pimento_dpu_account(struct dpu_set_t set, struct pimento_dpu_account_t *account);

/* Writes the accounts of all sets of this process, those freed included, as JSON: what PIMENTO_REPORT=FILE writes when
 * the last set is freed and when the process ends. DPU_ERR_SYSTEM where the file cannot be written. */
dpu_error_t pimento_dpu_report(const char *file);

/* Why the last call of this thread that failed did so: a few lines, never NULL, valid until the next failure. */
const char *pimento_dpu_reason(void);

/* What DPU_ASSERT and DPU_CHECK print: place, call, code and reason, to stderr. */
void pimento_dpu_print_failure(const char *file, int line, const char *call, dpu_error_t status);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
