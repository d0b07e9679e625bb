/* Pimento's C interface: given a kernel and machines, it returns time, energy, mapping, where to run it, and why. It
 * asks any verb of the command line, and runs kernels on arrays in memory.
 *
 * A query holds a kernel and options; asking it returns an answer with one row per machine. Options have the names and
 * values of the command line, and the contents of an answer have the names of its JSON (docs/cli.md), so no struct
 * layout is exposed. The library starts no process, prints nothing, and reads no files other than the machine files
 * that come with it; pimento_run reads and writes what its options name, and the store of tuned mappings.
 *
 * Stability: this interface does not change while the library is called libpimento_c.so.1. Functions and options may be
 * added; PIMENTO_API_VERSION counts these additions. A program built with this header runs with every
 * libpimento_c.so.1 whose pimento_api_version() is not less than the program's PIMENTO_API_VERSION.
 *
 * Memory: the caller owns what a create function or pimento_ask returns, and releases it with the matching destroy
 * function. Returned strings belong to the object they came from and live as long as it does; pimento_ask copies what
 * it needs, so the query may be changed or destroyed afterwards. NULL for an object or a string does not crash: the
 * function returns PIMENTO_WRONG_USAGE, NULL or 0, depending on its type.
 *
 * Threads: several threads may call functions at once on different objects, and on the same object if all calls take it
 * as const. While it reads MLIR, the library installs process-wide signal handlers for crashes (SIGSEGV, SIGABRT and
 * the like).
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

#define PIMENTO_API_VERSION 3

/* The status of a call. */
enum {
  PIMENTO_OK = 0,
  PIMENTO_NO_ANSWER = 1,   /* no machine has an estimate: the answer has the reasons */
  PIMENTO_WRONG_USAGE = 2, /* NULL, an unknown key, an invalid value: see pimento_problem() */
  PIMENTO_NOT_FOUND = 3,   /* the answer has no such name, or it is of another kind */
  PIMENTO_NO_MEMORY = 4,
  PIMENTO_INTERNAL = 5 /* a bug in Pimento; the process and other queries can continue */
};

typedef struct pimento_query pimento_query;
typedef struct pimento_answer pimento_answer;
typedef struct pimento_kernel pimento_kernel;

/* --- The library --- */

/* PIMENTO_API_VERSION of the loaded library. */
int pimento_api_version(void);
/* Its version, "0.1.0". */
const char *pimento_version(void);
/* 1 if this build of the library reads kernels in the language ("mlir", "c", "cnm", "nest", "llvcnm"), else 0. */
int pimento_has(const char *language);
/* Why the last failed call of this thread failed, with a hint: never NULL, valid until the next failure. */
const char *pimento_problem(void);
/* All that the failed call found, as JSON: a list of objects with the keys of `diagnostics[]` below. Version 2. */
const char *pimento_problem_json(void);

/* --- Queries --- */

/* A query without a kernel. NULL if out of memory. */
pimento_query *pimento_query_create(void);
/* A query with the same kernel and options. Both share what either reads and compiles, so that copies of one query
 * answer faster than queries of their own. Version 2. */
pimento_query *pimento_query_copy(const pimento_query *query);
/* Asks what runs on the query in another thread to end early, as Ctrl-C does on the command line; if nothing runs, what
 * runs next. tune and explore do, with what they found (`stop` is "interrupted"); other verbs run to their end. May be
 * called in a signal handler. Version 2. */
void pimento_query_stop(const pimento_query *query);
/* NULL is allowed. */
void pimento_query_destroy(pimento_query *query);

/* clang-format off */
/* Sets an option; a list then has this one entry. NULL for `value` restores the default.
 *
 *   kernel    a kernel of the zoo ("gemv"), index notation ("y[i] += A[i,j] * x[j]"), or a file (.mlir, .c, .cnm, ...)
 *   function  function of a file with several
 *   dtype     element type of zoo kernels and notation (default: the machine's native one)
 *   variant   plain (default), tree or measured
 *   offload   best (default): kernels that are faster on the device than on the host, transfers included;
 *             possible: all that the device can run; all: an error if it cannot run one
 *   data      operand values, if they affect the time: random (default), zero, one, const:V, uniform:A,B, none
 *   engine    fast-forward (default; exact), or two-slice (an extrapolation, for comparison)
 *   seed      of random data (default 1)
 *   jobs      threads (default 0: all processors)
 * Lists (pimento_query_add adds entries):
 *   size      extents "m=4096,n=1024"; of MLIR: "d0=4096", "A:1=1024"
 *   target    machines: a name or a .yaml file (default: all those of the library)
 *   set       a number of the machines, "timing.tRP=16"
 *   map       mapping for all kernels, or one for each: auto, reference, or "M1:{...}" (default: that of the file,
 *             else auto)
 *   constant  inputs that are the same in every run
 *   machines  folders with machine files (default: $PIMENTO_MACHINES, else the library's)
 *   files     report: more files with results; store: its files. Version 3
 * For pimento_run, every other option of its verbs, by the name that it has on the command line without the dashes:
 * "emit", "budget", "store", "sweep", "number", ... Flags are "true" or "false". Version 2.
 *
 * pimento_ask checks whether a value is valid for the kernel and the machine. PIMENTO_WRONG_USAGE. */
/* clang-format on */
int pimento_query_set(pimento_query *query, const char *key, const char *value);
/* Adds an entry to a list. PIMENTO_WRONG_USAGE also if the option is not a list. */
int pimento_query_add(pimento_query *query, const char *key, const char *value);
/* A kernel as text in memory, `size` bytes: MLIR ("mlir"), C ("c"), CNM IR ("cnm"), loop nests ("nest", written by
 * the Python package) or a device program ("llvcnm").
 * The source and the files it includes are read for the first question; asking again with other sizes only binds them.
 * Messages use `name`; NULL means "kernel.mlir" and so on. Replaces the option `kernel`.
 * PIMENTO_WRONG_USAGE. */
int pimento_query_text(pimento_query *query, const char *language, const char *text, size_t size, const char *name);

/* --- Answers --- */

/* Estimates the kernel on every machine of the query. Whatever is returned, *answer is NULL or must be destroyed; with
 * PIMENTO_NO_ANSWER it holds the reasons. PIMENTO_WRONG_USAGE if the query has no kernel. */
int pimento_ask(const pimento_query *query, pimento_answer **answer);
/* Asks one verb of the command line: targets, kernels, compile, estimate, simulate, compare, explore, tune, explain,
 * report or, since version 3, store. The answer is what the verb prints, with the verb's defaults: `offload` too. An
 * answer that is not a comparison has one row. Verbs of one machine take the query's only `target`. For report the
 * option `kernel` names the file with results; for store it is "merge" or "show". PIMENTO_WRONG_USAGE if the verb is
 * none of these, has no option that the query has, or needs a kernel; PIMENTO_NO_ANSWER if the input is wrong: see
 * pimento_problem_json(). Version 2. */
int pimento_run(const pimento_query *query, const char *verb, pimento_answer **answer);
/* NULL is allowed. */
void pimento_answer_destroy(pimento_answer *answer);

/* Rows, one per machine, in the order of the query. */
size_t pimento_answer_rows(const pimento_answer *answer);
/* 1 if the row has an estimate, 0 if it has diagnostics instead. */
int pimento_answer_ok(const pimento_answer *answer, size_t row);
/* The row with the smallest number `path`, the first of equal ones; for "time_ns" that is the fastest machine.
 * PIMENTO_NOT_FOUND if no row has such a number. */
int pimento_answer_least(const pimento_answer *answer, const char *path, size_t *row);

/* clang-format off */
/* A number of a row, by its path in the JSON: "time_ns", "breakdown.compute", "stages[0].mapping". In short:
 *
 *   target, time_ns, energy_pj, breakdown.PART (cycles), energy_breakdown.TERM.pj, warnings[]
 *   stages[]       one per kernel: kernel, where ("pim" or "host"), why (it stays on the host), mapping, mapping_why,
 *                  time_ns, energy_pj, host_time_ns (on the host), offloaded_time_ns (on the device; absent if it
 *                  cannot run there), operations, bytes
 *   diagnostics[]  for a row without estimate: severity, kind, code, file, line, column, message, hint, text (all of it)
 *
 * True and false are 1 and 0. PIMENTO_NOT_FOUND leaves *value as it is. */
/* clang-format on */
int pimento_answer_number(const pimento_answer *answer, size_t row, const char *path, double *value);
/* A string; NULL if there is none. */
const char *pimento_answer_text(const pimento_answer *answer, size_t row, const char *path);
/* Entries of a list, or of a group of named values; 0 if there are none. "" is the row itself. */
size_t pimento_answer_count(const pimento_answer *answer, size_t row, const char *path);
/* The name of one entry of a group, "" is the row itself; NULL if there is none. */
const char *pimento_answer_key(const pimento_answer *answer, size_t row, const char *path, size_t index);
/* The whole answer, as printed by `pimento compare --json`, or by the verb; compile and report: the text as a string of
 * JSON. */
const char *pimento_answer_json(const pimento_answer *answer);
/* The same for people, as printed without --json. Version 2. */
const char *pimento_answer_table(const pimento_answer *answer);

/* --- Kernels on arrays (version 2) --- */

/* Compiles the kernel of the query for its machine, with its mapping; the option `map` may also be "tune": the best
 * one, found by the verb tune or kept by it earlier, with that verb's options; or "kept": only what it kept,
 * PIMENTO_NOT_FOUND if it kept none. PIMENTO_NO_ANSWER if it cannot run there: see pimento_problem_json(). Whatever is
 * returned, *kernel is NULL or must be destroyed. Inputs that the option `constant` names are placed once: their
 * placement is not part of a run's time. */
int pimento_kernel_create(const pimento_query *query, pimento_kernel **kernel);
/* NULL is allowed. */
void pimento_kernel_destroy(pimento_kernel *kernel);
/* What it is, as JSON: target, map (as the option takes it; what tune found), tensors[] (name, type, shape, role
 * ("input", "output" or "inout"), constant), parts[] (kernel, where ("pim" or "host"), mapping, why), device_bytes and
 * capacity_bytes. */
const char *pimento_kernel_json(const pimento_kernel *kernel);
/* Runs it. `arrays`: for each of tensors[] the address of its elements, row-major, without gaps, in its type, aligned
 * or not. Inputs are read and outputs written, once, and only if the run succeeds. `mode`:
 *   simulate  the device computes, command by command; the results are compared with the reference interpreter's
 *   estimate  the interpreter computes the same bits; time and energy come from fast-forward
 * The answer is that of the verb simulate: time_ns, energy_pj, breakdown, ... Several threads may run one kernel, and
 * take turns. */
int pimento_kernel_run(const pimento_kernel *kernel, const char *mode, void *const *arrays, size_t count,
                       pimento_answer **answer);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
