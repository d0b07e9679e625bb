/* What a loaded DPU program consists of, as far as the host may see it. */
#ifndef PIMENTO_DPU_PROGRAM_H
#define PIMENTO_DPU_PROGRAM_H

#include <dpu_error.h>
#include <dpu_types.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The location of a variable of the program. DPU_ERR_UNKNOWN_SYMBOL if there is none of that name. */
dpu_error_t dpu_get_symbol(struct dpu_program_t *program, const char *symbol_name, struct dpu_symbol_t *symbol);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
