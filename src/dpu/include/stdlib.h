// General utilities of C that make sense on a DPU. Memory: alloc.h.
#ifndef PIMENTO_DPU_STDLIB_H
#define PIMENTO_DPU_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7fffffff

typedef struct {
  int quot, rem;
} div_t;
typedef struct {
  long quot, rem;
} ldiv_t;
typedef struct {
  long long quot, rem;
} lldiv_t;

static inline int abs(int x) {
  return x < 0 ? -x : x;
}
static inline long labs(long x) {
  return x < 0 ? -x : x;
}
static inline long long llabs(long long x) {
  return x < 0 ? -x : x;
}
static inline div_t div(int x, int y) {
  return (div_t){x / y, x % y};
}
static inline ldiv_t ldiv(long x, long y) {
  return (ldiv_t){x / y, x % y};
}
static inline lldiv_t lldiv(long long x, long long y) {
  return (lldiv_t){x / y, x % y};
}

/// Ends the calling tasklet; the others go on.
static inline __attribute__((always_inline, nodebug, noreturn)) void exit(int status) {
  (void)status;
  __asm__ volatile("stop true, ." : : : "memory");
  __builtin_unreachable();
}
/// Ends the run of the whole DPU with an error.
static inline __attribute__((always_inline, nodebug, noreturn)) void abort(void) {
  __asm__ volatile("fault 1" : : : "memory");
  __builtin_unreachable();
}

/// Reads a number in `base` (2 to 36; 0: as its prefix says); `end`, where not null, becomes the first character
/// behind.
long strtol(const char *restrict text, char **restrict end, int base);
unsigned long strtoul(const char *restrict text, char **restrict end, int base);
long long strtoll(const char *restrict text, char **restrict end, int base);
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);
static inline int atoi(const char *text) {
  return (int)strtol(text, NULL, 10);
}
static inline long atol(const char *text) {
  return strtol(text, NULL, 10);
}
static inline long long atoll(const char *text) {
  return strtoll(text, NULL, 10);
}

/// One sequence of numbers from 0 to RAND_MAX for all tasklets.
int rand(void);
void srand(unsigned int seed);

/// Sorts and searches `count` objects of `size` bytes.
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
