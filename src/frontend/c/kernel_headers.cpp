#include "pimento/frontend/c/kernel_headers.h"

namespace pimento::frontend {

namespace {

constexpr std::string_view kMath = R"(#pragma once
#define INFINITY (__builtin_inff())
#define HUGE_VALF (__builtin_inff())
#define HUGE_VAL (__builtin_inf())
#define NAN (__builtin_nanf(""))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
#define PIMENTO_1(name) double name(double); float name##f(float); long double name##l(long double);
#define PIMENTO_2(name) \
  double name(double, double); float name##f(float, float); long double name##l(long double, long double);
PIMENTO_1(exp) PIMENTO_1(exp2) PIMENTO_1(expm1) PIMENTO_1(log) PIMENTO_1(log2) PIMENTO_1(log10) PIMENTO_1(log1p)
PIMENTO_1(sqrt) PIMENTO_1(cbrt) PIMENTO_1(fabs) PIMENTO_1(floor) PIMENTO_1(ceil) PIMENTO_1(trunc) PIMENTO_1(round)
PIMENTO_1(rint) PIMENTO_1(nearbyint) PIMENTO_1(sin) PIMENTO_1(cos) PIMENTO_1(tan) PIMENTO_1(asin) PIMENTO_1(acos)
PIMENTO_1(atan) PIMENTO_1(sinh) PIMENTO_1(cosh) PIMENTO_1(tanh) PIMENTO_1(erf) PIMENTO_1(erfc)
PIMENTO_2(fmin) PIMENTO_2(fmax) PIMENTO_2(fmod) PIMENTO_2(pow) PIMENTO_2(hypot) PIMENTO_2(atan2) PIMENTO_2(fdim)
PIMENTO_2(copysign)
double fma(double, double, double); float fmaf(float, float, float);
long lround(double); long lroundf(float); long lrint(double); long lrintf(float);
#undef PIMENTO_1
#undef PIMENTO_2
)";
constexpr std::string_view kStdlib = R"(#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
int abs(int); long labs(long); long long llabs(long long);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *aligned_alloc(size_t, size_t); int posix_memalign(void **, size_t, size_t);
void exit(int) __attribute__((noreturn)); void abort(void) __attribute__((noreturn)); int atexit(void (*)(void));
int atoi(const char *); long atol(const char *); double atof(const char *);
long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int);
double strtod(const char *, char **); float strtof(const char *, char **);
int rand(void); void srand(unsigned); long random(void); void srandom(unsigned); double drand48(void);
char *getenv(const char *); int system(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
)";
constexpr std::string_view kString = R"(#pragma once
#include <stddef.h>
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t);
char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *);
char *strchr(const char *, int); char *strstr(const char *, const char *); char *strdup(const char *);
char *strtok(char *, const char *);
)";
constexpr std::string_view kStdio = R"(#pragma once
#include <stdarg.h>
#include <stddef.h>
#define EOF (-1)
typedef struct pimento_file FILE;
extern FILE *stdin, *stdout, *stderr;
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...); int puts(const char *); int fputs(const char *, FILE *);
int putchar(int); int fputc(int, FILE *); int getchar(void); int fgetc(FILE *); char *fgets(char *, int, FILE *);
int scanf(const char *, ...); int fscanf(FILE *, const char *, ...); int sscanf(const char *, const char *, ...);
FILE *fopen(const char *, const char *); int fclose(FILE *); int fflush(FILE *); int feof(FILE *);
size_t fread(void *, size_t, size_t, FILE *); size_t fwrite(const void *, size_t, size_t, FILE *);
int fseek(FILE *, long, int); long ftell(FILE *); void rewind(FILE *); void perror(const char *);
)";
constexpr std::string_view kAssert = R"(#pragma once
#define assert(condition) ((void)0)
)";
constexpr std::string_view kInttypes = R"(#pragma once
#include <stdint.h>
#define PRId32 "d"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "ld"
#define PRIu64 "lu"
#define PRIx64 "lx"
)";
constexpr std::string_view kTypes = R"(#pragma once
#include <stddef.h>
typedef long ssize_t; typedef long off_t; typedef long time_t; typedef long clock_t; typedef int pid_t;
)";
constexpr std::string_view kTime = R"(#pragma once
#include <sys/types.h>
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
struct timespec { time_t tv_sec; long tv_nsec; };
time_t time(time_t *); clock_t clock(void); double difftime(time_t, time_t);
int clock_gettime(int, struct timespec *); int nanosleep(const struct timespec *, struct timespec *);
)";
constexpr std::string_view kSysTime = R"(#pragma once
#include <sys/types.h>
struct timeval { time_t tv_sec; long tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
int gettimeofday(struct timeval *, void *);
)";
constexpr std::string_view kSysResource = R"(#pragma once
#include <sys/time.h>
#define RUSAGE_SELF 0
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss; };
int getrusage(int, struct rusage *);
)";
constexpr std::string_view kUnistd = R"(#pragma once
#include <sys/types.h>
int close(int); ssize_t read(int, void *, size_t); ssize_t write(int, const void *, size_t); pid_t getpid(void);
unsigned sleep(unsigned); int usleep(unsigned); long sysconf(int); int getopt(int, char *const *, const char *);
extern char *optarg; extern int optind;
)";
constexpr std::string_view kErrno = R"(#pragma once
extern int errno;
)";
constexpr std::string_view kCtype = R"(#pragma once
int isalpha(int); int isdigit(int); int isspace(int); int toupper(int); int tolower(int);
)";
constexpr std::string_view kOmp = R"(#pragma once
int omp_get_num_threads(void); int omp_get_max_threads(void); int omp_get_thread_num(void);
void omp_set_num_threads(int); double omp_get_wtime(void);
)";

}  // namespace

const std::vector<std::pair<std::string_view, std::string_view>> &kernelHeaders() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all = {
      {"assert.h", kAssert},    {"ctype.h", kCtype},     {"errno.h", kErrno},    {"inttypes.h", kInttypes},
      {"malloc.h", kStdlib},    {"math.h", kMath},       {"omp.h", kOmp},        {"stdio.h", kStdio},
      {"stdlib.h", kStdlib},    {"string.h", kString},   {"strings.h", kString}, {"sys/resource.h", kSysResource},
      {"sys/time.h", kSysTime}, {"sys/types.h", kTypes}, {"time.h", kTime},      {"unistd.h", kUnistd},
  };
  return all;
}

}  // namespace pimento::frontend
