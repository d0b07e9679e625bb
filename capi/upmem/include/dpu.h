/* UPMEM's host interface over simulated DPUs: names and meaning of the public documentation.
 *
 * DPUs are those of a machine file ("upmem" unless PIMENTO_MACHINE or the profile says otherwise); programs run on them
 * instruction by instruction, and every function does to memory what it would do there. Times are not those of the
 * wall: pimento_dpu.h has the account. Where the documentation leaves something open, the comment says what this
 * library does. Functions may be called from several threads, for different DPUs.
 */
#ifndef PIMENTO_DPU_DPU_H
#define PIMENTO_DPU_DPU_H

#include <dpu_checkpoint.h>
#include <dpu_error.h>
#include <dpu_fifo.h>
#include <dpu_log.h>
#include <dpu_program.h>
#include <dpu_types.h>
#include <limits.h>
#include <pimento_dpu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* --- Failures --- */

/* Where `statement` fails: prints place, call and reason to stderr, then does `on_error`. */
#define DPU_CHECK(statement, on_error)                                            \
  do {                                                                            \
    dpu_error_t pimento_status_ = (statement);                                    \
    if (pimento_status_ != DPU_OK) {                                              \
      pimento_dpu_print_failure(__FILE__, __LINE__, #statement, pimento_status_); \
      on_error;                                                                   \
    }                                                                             \
  } while (0)

/* ... then ends the process. */
#define DPU_ASSERT(statement) DPU_CHECK(statement, exit(EXIT_FAILURE))

/* --- Sets --- */

#define DPU_ALLOCATE_ALL UINT32_MAX

/* `nr_dpus` DPUs in as few ranks as possible, the last one filled in part. A rank belongs to one set. The profile is
 * NULL or KEY=VALUE,...: machine=NAME or FILE, a number of the machine file (ranks=4, dpu.issue_interval=14),
 * sgXferEnable, sgXferMaxBlocksPerDpu and parallelXfer. Keys that concern real hardware are ignored, unknown ones
 * refused. UPMEM_PROFILE_BASE goes before the profile. DPU_ERR_ALLOCATION, DPU_ERR_INVALID_PROFILE. */
dpu_error_t dpu_alloc(uint32_t nr_dpus, const char *profile, struct dpu_set_t *dpu_set);
dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char *profile, struct dpu_set_t *dpu_set);
/* Waits for asynchronous work. Only what dpu_alloc gave can be freed. */
dpu_error_t dpu_free(struct dpu_set_t dpu_set);
dpu_error_t dpu_get_nr_ranks(struct dpu_set_t dpu_set, uint32_t *nr_ranks);
dpu_error_t dpu_get_nr_dpus(struct dpu_set_t dpu_set, uint32_t *nr_dpus);

/* DPU_FOREACH(set, dpu) and DPU_FOREACH(set, dpu, index) run the statement that follows for every DPU, `dpu` being a
 * struct dpu_set_t and `index` counting from 0; DPU_RANK_FOREACH likewise for every rank. */
#define DPU_FOREACH(...) PIMENTO_DPU_EACH(false, PIMENTO_DPU_NAME(__COUNTER__), __VA_ARGS__)
#define DPU_RANK_FOREACH(...) PIMENTO_DPU_EACH(true, PIMENTO_DPU_NAME(__COUNTER__), __VA_ARGS__)

#define PIMENTO_DPU_EACH(ranks, it, ...)                                      \
  PIMENTO_DPU_PICK(__VA_ARGS__, PIMENTO_DPU_EACH_3, PIMENTO_DPU_EACH_2, 0, 0) \
  (ranks, it, __VA_ARGS__)
#define PIMENTO_DPU_PICK(a, b, c, name, ...) name
#define PIMENTO_DPU_EACH_2(ranks, it, set, one)                                                             \
  for (struct pimento_dpu_iterator_t it = pimento_dpu_iterate((set), (ranks)); pimento_dpu_at(&it, &(one)); \
       pimento_dpu_next(&it))
#define PIMENTO_DPU_EACH_3(ranks, it, set, one, i)                             \
  for (struct pimento_dpu_iterator_t it = pimento_dpu_iterate((set), (ranks)); \
       (i) = it.index, pimento_dpu_at(&it, &(one)); pimento_dpu_next(&it))
#define PIMENTO_DPU_NAME(number) PIMENTO_DPU_JOIN(pimento_iterator_, number)
#define PIMENTO_DPU_JOIN(a, b) a##b

/* Of the macros above. */
struct pimento_dpu_iterator_t {
  struct dpu_set_t set;
  struct dpu_t *first;
  bool is_over_ranks;
  uint32_t index, count;
};
struct pimento_dpu_iterator_t pimento_dpu_iterate(struct dpu_set_t set, bool is_over_ranks);
bool pimento_dpu_at(const struct pimento_dpu_iterator_t *iterator, struct dpu_set_t *one);
void pimento_dpu_next(struct pimento_dpu_iterator_t *iterator);

/* --- Programs --- */

/* An executable, a relocatable ELF file, or assembly text; the last two are linked with the run-time library. A DPU
 * gets its WRAM as the program has it; MRAM that the program does not initialise keeps what it holds. `program` may be
 * NULL. DPU_ERR_ELF_NO_SUCH_FILE, DPU_ERR_ELF_INVALID_FILE, DPU_ERR_TOO_MANY_TASKLETS. */
dpu_error_t dpu_load(struct dpu_set_t dpu_set, const char *binary_path, struct dpu_program_t **program);
dpu_error_t dpu_load_from_memory(struct dpu_set_t dpu_set, uint8_t *buffer_start, size_t buffer_size,
                                 struct dpu_program_t **program);
dpu_error_t dpu_load_from_incbin(struct dpu_set_t dpu_set, struct dpu_incbin_t *incbin, struct dpu_program_t **program);

/* Embeds a DPU program in the host program: struct dpu_incbin_t name. At file scope, in one source file. */
#ifdef __cplusplus
#define PIMENTO_DPU_C extern "C"
#else
#define PIMENTO_DPU_C extern
#endif
#define DPU_INCBIN(name, file)          \
  __asm__(                              \
      ".pushsection .data\n"            \
      ".balign 8\n"                     \
      ".globl " #name                   \
      "\n"                              \
      ".type " #name                    \
      ", STT_OBJECT\n"                  \
      ".size " #name ", 24\n" #name     \
      ":\n"                             \
      ".quad 771f, 772f - 771f, 773f\n" \
      "771:\n"                          \
      ".incbin \"" file                 \
      "\"\n"                            \
      "772:\n"                          \
      ".byte 0\n"                       \
      "773:\n"                          \
      ".asciz \"" file                  \
      "\"\n"                            \
      ".popsection\n");                 \
  PIMENTO_DPU_C struct dpu_incbin_t name

/* --- Memory --- */

/* Variables are named as in the DPU program. Offset and length are multiples of 8 in MRAM and of 4 in WRAM.
 * DPU_ERR_UNKNOWN_SYMBOL, DPU_ERR_INVALID_SYMBOL_ACCESS, DPU_ERR_INVALID_MRAM_ACCESS, DPU_ERR_INVALID_WRAM_ACCESS,
 * DPU_ERR_INVALID_IRAM_ACCESS, DPU_ERR_INVALID_MEMORY_TRANSFER, DPU_ERR_NO_PROGRAM_LOADED,
 * DPU_ERR_DIFFERENT_DPU_PROGRAMS. */

typedef enum _dpu_xfer_t PIMENTO_DPU_INT { DPU_XFER_TO_DPU, DPU_XFER_FROM_DPU } dpu_xfer_t;

typedef enum _dpu_xfer_flags_t PIMENTO_DPU_INT {
  DPU_XFER_DEFAULT = 0,
  DPU_XFER_NO_RESET = 1 << 0, /* buffers stay prepared */
  DPU_XFER_ASYNC = 1 << 1,    /* after earlier work on the same ranks; see dpu_sync */
  DPU_XFER_PARALLEL = 1 << 2  /* at once, also while the program runs, if it was launched after the first such transfer
                               * or parallelXfer=true is in the profile; variables in WRAM only */
} dpu_xfer_flags_t;

typedef enum _dpu_sg_xfer_flags_t PIMENTO_DPU_INT {
  DPU_SG_XFER_DEFAULT = 0,
  DPU_SG_XFER_ASYNC = 1 << 0,
  DPU_SG_XFER_DISABLE_LENGTH_CHECK = 1 << 1 /* blocks may be shorter than `length`: zeros follow in MRAM */
} dpu_sg_xfer_flags_t;

/* The buffer of every DPU of the set in the next dpu_push_xfer. */
dpu_error_t dpu_prepare_xfer(struct dpu_set_t dpu_set, void *buffer);
/* `length` bytes between every DPU of the set that has a buffer and that buffer. Where none has, nothing is moved and
 * the first such call of a process prints a warning. */
dpu_error_t dpu_push_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer, const char *symbol_name, uint32_t symbol_offset,
                          size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_push_xfer_symbol(struct dpu_set_t dpu_set, dpu_xfer_t xfer, struct dpu_symbol_t symbol,
                                 uint32_t symbol_offset, size_t length, dpu_xfer_flags_t flags);

/* The same bytes to every DPU of the set. */
dpu_error_t dpu_broadcast_to(struct dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, const void *src,
                             size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_broadcast_to_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                                    const void *src, size_t length, dpu_xfer_flags_t flags);
dpu_error_t dpu_copy_to(struct dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, const void *src,
                        size_t length);
dpu_error_t dpu_copy_to_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                               const void *src, size_t length);
/* From a single DPU; DPU_ERR_INVALID_DPU_SET where the set has several. */
dpu_error_t dpu_copy_from(struct dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, void *dst,
                          size_t length);
dpu_error_t dpu_copy_from_symbol(struct dpu_set_t dpu_set, struct dpu_symbol_t symbol, uint32_t symbol_offset,
                                 void *dst, size_t length);

/* A block of host memory. */
struct sg_block_info {
  uint8_t *addr;
  uint32_t length;
};
/* Tells block `block_index` of DPU `dpu_index` (of the set); false: it has no such block. */
typedef bool (*get_block_func_t)(struct sg_block_info *out, uint32_t dpu_index, uint32_t block_index, void *args);
typedef struct get_block_t {
  get_block_func_t f;
  void *args;
  size_t args_size;
} get_block_t;
/* MRAM of every DPU to or from blocks of host memory, one after another. Needs sgXferEnable=true in the profile.
 * DPU_ERR_SG_NOT_ACTIVATED, DPU_ERR_SG_NOT_MRAM_SYMBOL, DPU_ERR_SG_LENGTH_MISMATCH, DPU_ERR_SG_TOO_MANY_BLOCKS. */
dpu_error_t dpu_push_sg_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer, const char *symbol_name, uint32_t symbol_offset,
                             size_t length, get_block_t *get_block_info, dpu_sg_xfer_flags_t flags);
dpu_error_t dpu_push_sg_xfer_symbol(struct dpu_set_t dpu_set, dpu_xfer_t xfer, struct dpu_symbol_t symbol,
                                    uint32_t symbol_offset, size_t length, get_block_t *get_block_info,
                                    dpu_sg_xfer_flags_t flags);

/* --- Launches --- */

typedef enum _dpu_launch_policy_t PIMENTO_DPU_INT { DPU_ASYNCHRONOUS, DPU_SYNCHRONOUS } dpu_launch_policy_t;

/* Runs the program of every DPU of the set once. A fault (DPU_ERR_DPU_FAULT) does not stop the other DPUs; memory of
 * the DPU may be read, and it cannot be launched again before it is loaded. Asynchronous: starts after what was started
 * before on the same DPUs. */
dpu_error_t dpu_launch(struct dpu_set_t dpu_set, dpu_launch_policy_t policy);
/* `done`: no asynchronous work of the set is left; `fault`: one of its DPUs is in fault. */
dpu_error_t dpu_status(struct dpu_set_t dpu_set, bool *done, bool *fault);
/* Waits for all asynchronous work of the set and gives the first failure in it. Within a callback it waits for
 * nothing. */
dpu_error_t dpu_sync(struct dpu_set_t dpu_set);

typedef enum _dpu_callback_flags_t PIMENTO_DPU_INT {
  DPU_CALLBACK_DEFAULT = 0,
  DPU_CALLBACK_ASYNC = 1 << 0,       /* after earlier work on the same ranks */
  DPU_CALLBACK_NONBLOCKING = 1 << 1, /* what is begun later does not wait for its end; dpu_sync does */
  DPU_CALLBACK_SINGLE_CALL = 1 << 2  /* one call for the whole set in place of one per rank */
} dpu_callback_flags_t;

/* Calls callback(rank, index of the rank in the set, args) for every rank of the set, one after the other.
 * DPU_ERR_NONBLOCKING_SYNC_CALLBACK where it is to be nonblocking but not asynchronous. */
dpu_error_t dpu_callback(struct dpu_set_t dpu_set, dpu_error_t (*callback)(struct dpu_set_t, uint32_t, void *),
                         void *args, dpu_callback_flags_t flags);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
