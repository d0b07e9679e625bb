// Time for guests that stands still but for a millisecond per question: preloaded into QEMU's process, so that one input
// gives one trace.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static _Atomic long long asked;

// 2020-01-01; a millisecond later with each question.
static void now(struct timespec *t) {
  const long long ms = atomic_fetch_add(&asked, 1);
  t->tv_sec = 1577836800 + ms / 1000;
  t->tv_nsec = (ms % 1000) * 1000000;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  (void)clock;
  now(t);
  return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  struct timespec at;
  now(&at);
  t->tv_sec = at.tv_sec;
  t->tv_usec = at.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *t) {
  struct timespec at;
  now(&at);
  if (t != NULL) *t = at.tv_sec;
  return at.tv_sec;
}
