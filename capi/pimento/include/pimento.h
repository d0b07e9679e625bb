/* Pimento's C interface: which kernel, on which machines? Then: time, energy, mapping, where to run it, and why.
 *
 * A query holds a kernel and options; asking it gives an answer with one row per machine. Options have the names and
 * values of the command line, numbers and texts of an answer the names of its JSON (docs/cli.md), so that neither is a
 * struct whose layout could change. No process is started, nothing is printed, and no file is needed but the machine
 * files that come with the library.
 *
 * Stability: what stands here stays as it is for as long as the library is called libpimento_c.so.1. Functions and
 * options may be added; PIMENTO_API_VERSION counts these additions. A program made with this header runs with every
 * libpimento_c.so.1 whose pimento_api_version() is not less than its own PIMENTO_API_VERSION.
 *
 * Memory: what a create function or pimento_ask gives belongs to the caller, who hands it to the destroy function of
 * its name. Texts that a function returns belong to the object they came from and live as long as it does; pimento_ask
 * copies what it needs of the query, so that the query may change or go. NULL for an object or a text is no crash but
 * PIMENTO_WRONG_USAGE, or NULL, or 0, as the function's type has it.
 *
 * Threads: functions may be called from several threads at once for different objects, and for the same object as
 * long as all calls take it as const. Reading MLIR installs signal handlers for crashes (SIGSEGV, SIGABRT and the
 * like) while it lasts, which are the process's.
 *
 * C99, and C++. Examples: examples/capi.
 */
#ifndef PIMENTO_H
#define PIMENTO_H

#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define PIMENTO_API_VERSION 1

/* What a call came to. */
enum {
  PIMENTO_OK = 0,
  PIMENTO_NO_ANSWER = 1,   /* no machine has an estimate: the answer says why */
  PIMENTO_WRONG_USAGE = 2, /* NULL, an unknown key, a value that cannot be: pimento_problem() says which */
  PIMENTO_NOT_FOUND = 3,   /* the answer has nothing of that name, or it is of another kind */
  PIMENTO_NO_MEMORY = 4,
  PIMENTO_INTERNAL = 5 /* a bug of Pimento; the process goes on, and so may other queries */
};

typedef struct pimento_query pimento_query;
typedef struct pimento_answer pimento_answer;

/* --- The library --- */

/* PIMENTO_API_VERSION of the library that runs. */
int pimento_api_version(void);
/* Its version, "0.1.0". */
const char *pimento_version(void);
/* 1 where this build of the library reads kernels in "mlir", "c", "cnm", "llvcnm"; else 0. */
int pimento_has(const char *language);
/* Why the last call of this thread that failed did so, with a hint: never NULL, valid until the next failure. */
const char *pimento_problem(void);

/* --- Queries --- */

/* A query without a kernel. NULL where memory ran out. */
pimento_query *pimento_query_create(void);
/* NULL is allowed. */
void pimento_query_destroy(pimento_query *query);

/* clang-format off */
/* Sets an option; a list then has this one entry, and NULL for `value` gives it back its default.
 *
 *   kernel    a kernel of the zoo ("gemv"), index notation ("y[i] += A[i,j] * x[j]"), or a file (.mlir, .c, .cnm, ...)
 *   function  which function of a file that has several
 *   dtype     element type of zoo kernels and notation (default: the machine's native one)
 *   variant   plain (default), tree or measured
 *   offload   best (default): what takes less time on the device than on the host, moving the data included;
 *             possible: all that the device can run; all: one that it cannot run is an error
 *   data      what operands hold where that decides the time: random (default), zero, one, const:V, uniform:A,B, none
 *   engine    fast-forward (default; exact), or two-slice (an extrapolation, for comparison)
 *   seed      of random data (default 1)
 *   jobs      threads (default 0: all processors)
 * Lists (pimento_query_add gives them more):
 *   size      extents "m=4096,n=1024"; of MLIR: "d0=4096", "A:1=1024"
 *   target    machines: a name or a .yaml file (default: all that come with the library)
 *   set       a number of the machines, "timing.tRP=16"
 *   map       mapping for all kernels, or one for each: auto, reference, or "M1:{...}" (default: what the file states,
 *             else auto)
 *   constant  inputs that are the same in every run
 *   machines  folders with machine files (default: $PIMENTO_MACHINES, else the library's)
 *
 * Whether a value makes sense for the kernel and the machine is found out by pimento_ask. PIMENTO_WRONG_USAGE. */
/* clang-format on */
int pimento_query_set(pimento_query *query, const char *key, const char *value);
/* One more entry of a list. PIMENTO_WRONG_USAGE also where the option is no list. */
int pimento_query_add(pimento_query *query, const char *key, const char *value);
/* A kernel as text in memory, `size` bytes: MLIR ("mlir"), C ("c"), CNM IR ("cnm") or a device program ("llvcnm").
 * A text is read for the first question, files that it includes among it; asked again with other sizes, it is only
 * bound to them. `name` is what messages call it, NULL: "kernel.mlir" and so on. Replaces the option `kernel`.
 * PIMENTO_WRONG_USAGE. */
int pimento_query_text(pimento_query *query, const char *language, const char *text, size_t size, const char *name);

/* --- Answers --- */

/* Estimates the kernel on every machine of the query. *answer is NULL or to be destroyed, whatever is returned; with
 * PIMENTO_NO_ANSWER it holds the reasons. PIMENTO_WRONG_USAGE where the query has no kernel. */
int pimento_ask(const pimento_query *query, pimento_answer **answer);
/* NULL is allowed. */
void pimento_answer_destroy(pimento_answer *answer);

/* Rows, one per machine, in the order of the query. */
size_t pimento_answer_rows(const pimento_answer *answer);
/* 1 where the row has an estimate, 0 where it has reasons why not. */
int pimento_answer_ok(const pimento_answer *answer, size_t row);
/* The row whose number `path` is the least, the first of equal ones; of "time_ns" that is the fastest machine.
 * PIMENTO_NOT_FOUND where no row has such a number. */
int pimento_answer_least(const pimento_answer *answer, const char *path, size_t *row);

/* clang-format off */
/* What a row holds, by its path in the JSON: "time_ns", "breakdown.compute", "stages[0].mapping". In short:
 *
 *   target, time_ns, energy_pj, breakdown.PART (cycles), energy_breakdown.TERM.pj, warnings[]
 *   stages[]       one per kernel: kernel, where ("pim" or "host"), why (it stays on the host), mapping, mapping_why,
 *                  time_ns, energy_pj, host_time_ns (were it on the host), offloaded_time_ns (were it on the device;
 *                  not there where it cannot be), operations, bytes
 *   diagnostics[]  of a row without estimate: severity, kind, code, file, line, column, message, hint, text (all of it)
 *
 * A number, or 1 and 0 for true and false. PIMENTO_NOT_FOUND leaves *value as it is. */
/* clang-format on */
int pimento_answer_number(const pimento_answer *answer, size_t row, const char *path, double *value);
/* A text; NULL where there is none. */
const char *pimento_answer_text(const pimento_answer *answer, size_t row, const char *path);
/* Entries of a list, or of a group of named values; 0 where there is none. "" is the row itself. */
size_t pimento_answer_count(const pimento_answer *answer, size_t row, const char *path);
/* The name of one entry of a group, "" is the row itself; NULL where there is none. */
const char *pimento_answer_key(const pimento_answer *answer, size_t row, const char *path, size_t index);
/* Everything: what `pimento compare --json` prints. */
const char *pimento_answer_json(const pimento_answer *answer);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
