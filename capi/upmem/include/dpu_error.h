/* What functions of this interface return: names of UPMEM's public documentation.
 *
 * Values are ours. Codes marked (-) exist for programs that name them; this library never returns them, since nothing
 * on a simulated machine breaks down. The message of a failure is in pimento_dpu_reason() (pimento_dpu.h).
 */
#ifndef PIMENTO_DPU_ERROR_H
#define PIMENTO_DPU_ERROR_H

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Enumerations hold any int, as in C: also in the C++ that the library is written in. */
#ifdef __cplusplus
#define PIMENTO_DPU_INT : int
#else
#define PIMENTO_DPU_INT
#endif

#define DPU_ERROR_ASYNC_JOB_TYPE_SHIFT (16)

typedef enum dpu_error_t PIMENTO_DPU_INT {
  DPU_OK = 0,
  DPU_ERR_INTERNAL,                         /* a mistake of this library */
  DPU_ERR_SYSTEM,                           /* no memory, no thread, a file that cannot be written */
  DPU_ERR_DRIVER,                           /* (-) */
  DPU_ERR_ALLOCATION,                       /* more DPUs or ranks than are free, or none */
  DPU_ERR_INVALID_DPU_SET,                  /* a set that is freed, or not of the kind that the function takes */
  DPU_ERR_INVALID_THREAD_ID,                /* (-) */
  DPU_ERR_INVALID_NOTIFY_ID,                /* (-) */
  DPU_ERR_INVALID_WRAM_ACCESS,              /* offset or length is not a multiple of 4, or beyond the end of WRAM */
  DPU_ERR_INVALID_IRAM_ACCESS,              /* the symbol is a function */
  DPU_ERR_INVALID_MRAM_ACCESS,              /* offset or length is not a multiple of 8, or beyond the end of MRAM */
  DPU_ERR_INVALID_SYMBOL_ACCESS,            /* beyond the end of the variable */
  DPU_ERR_MRAM_BUSY,                        /* (-) transfers wait for launches */
  DPU_ERR_TRANSFER_ALREADY_SET,             /* (-) a second dpu_prepare_xfer replaces the first */
  DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER, /* DPU_XFER_PARALLEL with a variable in MRAM */
  DPU_ERR_WRAM_FIFO_FULL,                   /* the program does not take elements out of the queue */
  DPU_ERR_NO_PROGRAM_LOADED,
  DPU_ERR_DIFFERENT_DPU_PROGRAMS,  /* the symbol is not the same in the programs of the set */
  DPU_ERR_CORRUPTED_MEMORY,        /* (-) */
  DPU_ERR_DPU_DISABLED,            /* (-) */
  DPU_ERR_DPU_ALREADY_RUNNING,     /* (-) launches wait for each other */
  DPU_ERR_INVALID_MEMORY_TRANSFER, /* no buffer, or neither to nor from the DPUs */
  DPU_ERR_INVALID_LAUNCH_POLICY,
  DPU_ERR_DPU_FAULT,
  DPU_ERR_ELF_INVALID_FILE, /* not a program, or one that does not fit the machine */
  DPU_ERR_ELF_NO_SUCH_FILE,
  DPU_ERR_ELF_NO_SUCH_SECTION, /* (-) */
  DPU_ERR_TIMEOUT,             /* the program did not end within PIMENTO_MAX_INSTRUCTIONS */
  DPU_ERR_INVALID_PROFILE,
  DPU_ERR_UNKNOWN_SYMBOL,
  DPU_ERR_LOG_FORMAT,           /* (-) */
  DPU_ERR_LOG_CONTEXT_MISSING,  /* (-) a program without a log has printed nothing */
  DPU_ERR_LOG_BUFFER_TOO_SMALL, /* the program printed more than the log holds */
  DPU_ERR_VPD_INVALID_FILE,     /* (-) */
  DPU_ERR_VPD_NO_REPAIR,        /* (-) */
  DPU_ERR_NO_THREAD_PER_RANK,   /* (-) */
  DPU_ERR_INVALID_BUFFER_SIZE,  /* a program in memory without bytes */
  DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
  DPU_ERR_TOO_MANY_TASKLETS,  /* more than the machine has */
  DPU_ERR_SG_TOO_MANY_BLOCKS, /* for one DPU, than the profile's sgXferMaxBlocksPerDpu */
  DPU_ERR_SG_LENGTH_MISMATCH, /* the blocks of a DPU are not `length` together */
  DPU_ERR_SG_NOT_ACTIVATED,   /* the profile does not say sgXferEnable=true */
  DPU_ERR_SG_NOT_MRAM_SYMBOL,
  DPU_ERR_ASYNC_JOBS = (int)(1U << 31) /* (-) dpu_sync gives the code of the job that failed first */
} dpu_error_t;

/* One sentence about `status`; never NULL. */
const char *dpu_error_to_string(dpu_error_t status);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
