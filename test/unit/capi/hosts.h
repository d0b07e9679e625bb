/* Host programs in C, as functions. Each gives the number of results that are wrong, or -1 where a call failed. */
#ifndef PIMENTO_TEST_HOSTS_H
#define PIMENTO_TEST_HOSTS_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums words on `dpus` DPUs with examples/upmem/sum.s at `path`. */
int hostOfSum(const char *path, uint32_t dpus);
/* Moves other lengths on each rank there and back. */
int hostOfUnequalRanks(const char *path, uint32_t dpus);
/* Rounds of asynchronous transfers, launches and callbacks on all ranks, with `program` (kIncrement). */
int hostOfAsyncRounds(const char *program, uint32_t dpus, uint32_t rounds);
/* What `program` prints on each of `dpus` DPUs, read one after the other with nothing but dpu.h. */
int hostOfLog(const char *program, uint32_t dpus, FILE *stream);
/* Loads the program embedded in this file and launches it. */
int hostOfEmbeddedProgram(void);

#ifdef __cplusplus
}
#endif
#endif
