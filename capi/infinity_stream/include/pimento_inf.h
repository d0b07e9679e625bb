/* Infinity Stream's runtime in C: runs a fat binary (.inf, `pimento compile FILE --emit inf`) on a simulated machine.
 *
 *   inf_system *system;
 *   inf_program *program;
 *   inf_start(NULL, NULL, 0, &system);
 *   inf_open(system, "vec_add.inf", &program);
 *   inf_array(system, a, "f32", 1, shape, 0);             ... each array, once
 *   inf_cfg(program, sizes, 1, operands, 3);              sizes and pointers
 *   inf_end(program);                                     the arrays hold the results
 *   printf("%.0f ns\n", inf_time_ns(program));
 *
 * The system keeps one configured program at a time, and as many arrays as the machine has regions. Arrays that overlap
 * while one of them is written are a core's work: the answer is that of the source, and there is a warning.
 *
 * Functions return INF_OK or what went wrong, with words in inf_problem(). The library starts no process and prints
 * nothing. Several threads may use different systems at once. Strings belong to the object they came from and live
 * until its next call. NULL for an object does not crash.
 *
 * C99, and C++. Example: examples/infinity-stream/vec_add.c. */
#ifndef PIMENTO_INF_H
#define PIMENTO_INF_H

#include <stddef.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define INF_API_VERSION 1

/* The status of a call. */
enum {
  INF_OK = 0,
  INF_REFUSED = 1,     /* a file, sizes, arrays or data that cannot be used: see inf_problem() */
  INF_WRONG_USAGE = 2, /* NULL, an unknown name, a call out of turn */
  INF_NO_MEMORY = 4,
  INF_INTERNAL = 5 /* a bug in Pimento */
};

typedef struct inf_system inf_system;
typedef struct inf_program inf_program;

typedef struct {
  const char *name; /* "n" */
  long long value;  /* at least 1 */
} inf_size;
typedef struct {
  const char *name; /* of the program's array */
  void *data;       /* an array that inf_array() knows */
} inf_operand;

int inf_api_version(void);
/* Why the last failed call of this thread failed, with place and hint: never NULL, valid until the next failure. */
const char *inf_problem(void);

/* A machine: a name, a .yaml file, or NULL for "l3-arrays"; `settings` are "PATH=VALUE", as of --set. */
int inf_start(const char *machine, const char *const *settings, size_t count, inf_system **system);
/* Closes its programs too. NULL is allowed. */
void inf_stop(inf_system *system);

/* Reads a fat binary. INF_REFUSED: it is cut, altered, or of another version. */
int inf_open(inf_system *system, const char *file, inf_program **program);
/* NULL is allowed. */
void inf_close(inf_program *program);

/* Declares an array: element type ("f32"), shape with the outermost dimension first, and the elements from one row to
 * the next (0: rows lie one behind the other). Rows that are no whole cache lines are never transposed: what uses them
 * runs beside the arrays, and says so. INF_REFUSED: the machine keeps no more arrays. */
int inf_array(inf_system *system, void *data, const char *type, size_t dims, const size_t *shape, size_t pitch);
/* The array is its user's again. INF_WRONG_USAGE: it is none, or a configured program uses it. */
int inf_release(inf_system *system, void *data);

/* Binds sizes and arrays; all of the program's inputs and outputs must be given. INF_REFUSED: missing or unknown sizes,
 * arrays of another type or shape, no room. INF_WRONG_USAGE: another program is configured. */
int inf_cfg(inf_program *program, const inf_size *sizes, size_t size_count, const inf_operand *operands,
            size_t operand_count);
/* Runs what is configured to its end. INF_REFUSED: an index from data leaves its array; arrays are as they were. */
int inf_end(inf_program *program);

/* Of the last run: the time of commands in arrays, and a number of the report ("cycles", "lowered_regions"); -1 where
 * there is none. */
double inf_time_ns(const inf_program *program);
long long inf_count(const inf_program *program, const char *name);
size_t inf_warnings(const inf_program *program);
const char *inf_warning(const inf_program *program, size_t index);
/* All of it as JSON. */
const char *inf_report(const inf_program *program);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
