/* Sets of DPUs, symbols and embedded programs: what the functions of dpu.h take and give. */
#ifndef PIMENTO_DPU_TYPES_H
#define PIMENTO_DPU_TYPES_H

#include <dpu_error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One DPU, one rank, one loaded program: the library's. */
struct dpu_t;
struct dpu_rank_t;
struct dpu_program_t;

typedef enum _dpu_set_kind_t PIMENTO_DPU_INT { DPU_SET_RANKS, DPU_SET_DPU } dpu_set_kind_t;

/* Whole ranks, or a single DPU. Copied freely; valid until dpu_free of what was allocated. */
struct dpu_set_t {
  dpu_set_kind_t kind;
#ifdef __GNUC__
  __extension__ /* unnamed unions came with C11 */
#endif
      union {
    struct {
      uint32_t nr_ranks;
      struct dpu_rank_t **ranks;
    } list;
    struct dpu_t *dpu;
  };
};

/* A variable of a DPU program. `address` is a link address: WRAM from 0, MRAM from 0x08000000. */
struct dpu_symbol_t {
  uint32_t address;
  uint32_t size;
};

/* A program embedded by DPU_INCBIN. */
struct dpu_incbin_t {
  uint8_t *buffer;
  size_t size;
  const char *path;
};

/* The first byte of MRAM that a program leaves free, as a symbol: it reaches to the end of MRAM. */
#define DPU_MRAM_HEAP_POINTER_NAME "__sys_used_mram_end"

#ifdef __cplusplus
}
#endif
#endif
