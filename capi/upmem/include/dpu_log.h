/* What DPU programs print. */
#ifndef PIMENTO_DPU_LOG_H
#define PIMENTO_DPU_LOG_H

#include <dpu_error.h>
#include <dpu_types.h>
#include <stdio.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Writes to `stream` what the DPUs of `set` have printed since their log was read last, each under a line that names
 * the DPU. DPU_ERR_LOG_BUFFER_TOO_SMALL where some of it did not fit into the log; the rest is written all the same. */
dpu_error_t dpu_log_read(struct dpu_set_t set, FILE *stream);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
