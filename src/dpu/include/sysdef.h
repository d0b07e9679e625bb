// Names of tasklets.
#ifndef PIMENTO_DPU_SYSDEF_H
#define PIMENTO_DPU_SYSDEF_H

#include <stdint.h>

/// A tasklet's number, from 0.
typedef unsigned int sysname_t;
typedef uint8_t thread_id_t;

#define MAX_NR_TASKLETS 24

#endif
