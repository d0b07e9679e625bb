// Counts the occurrences of patterns, and finds the first of each. Text is read byte by byte with the sequential reader
// (Knuth, Morris and Pratt), or window by window (Horspool).
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <limits.h>
#include <mram.h>
#include <mram_unaligned.h>
#include <mutex.h>
#include <seqread.h>
#include <string.h>

#include "common.h"

__host struct request request;
__host uint32_t occurrences[NR_PATTERNS];
__host uint32_t firsts[NR_PATTERNS];
__mram_noinit char text[MAX_TEXT];

BARRIER_INIT(my_barrier, NR_TASKLETS);
MUTEX_INIT(result_mutex);

struct found {
  uint32_t count, first;
};

static void add_found(struct found *found, uint32_t at) {
  if (found->count++ == 0) found->first = at;
}

#ifdef METHOD_KMP
static uint8_t failure[NR_PATTERNS][MAX_PATTERN];

static void prepare(uint32_t k) {
  const struct pattern *p = &request.patterns[k];
  failure[k][0] = 0;
  for (uint32_t i = 1, n = 0; i < p->length; ++i) {
    while (n > 0 && p->text[i] != p->text[n]) n = failure[k][n - 1];
    if (p->text[i] == p->text[n]) ++n;
    failure[k][i] = (uint8_t)n;
  }
}

// Occurrences that begin in [begin, end).
static struct found search(uint32_t k, uint32_t begin, uint32_t end, seqreader_buffer_t buffer) {
  const struct pattern *p = &request.patterns[k];
  struct found found = {0, UINT32_MAX};
  seqreader_t reader;
  const char *c = seqread_init(buffer, &text[begin], &reader);
  const uint32_t last = end + p->length - 1 < request.readable ? end + p->length - 1 : request.readable;
  for (uint32_t i = begin, n = 0; i < last; ++i) {
    while (n > 0 && (n == p->length || *c != p->text[n])) n = failure[k][n - 1];
    if (*c == p->text[n]) ++n;
    if (n == p->length) add_found(&found, i + 1 - n);
    c = seqread_get((void *)c, 1, &reader);
  }
  return found;
}
#else
static uint8_t skip[NR_PATTERNS][UCHAR_MAX + 1];

static void prepare(uint32_t k) {
  const struct pattern *p = &request.patterns[k];
  memset(skip[k], (int)p->length, sizeof(skip[k]));
  for (uint32_t i = 0; i + 1 < p->length; ++i) skip[k][(uint8_t)p->text[i]] = (uint8_t)(p->length - 1 - i);
}

static struct found search(uint32_t k, uint32_t begin, uint32_t end, seqreader_buffer_t buffer) {
  const struct pattern *p = &request.patterns[k];
  struct found found = {0, UINT32_MAX};
  uint32_t window_at = begin;
  const char *window = NULL;
  uint32_t readable = 0;  // bytes of the window
  for (uint32_t i = begin; i < end && i + p->length <= request.readable;) {
    if (window == NULL || i + p->length > window_at + readable) {
      window_at = i;
      readable = request.readable - i < 128 ? request.readable - i : 128;
      window = mram_read_unaligned(&text[i], (void *)buffer, readable);
    }
    const char *at = window + (i - window_at);
    if (memcmp(at, p->text, p->length) == 0) add_found(&found, i);
    i += skip[k][(uint8_t)at[p->length - 1]];
  }
  return found;
}
#endif

int main() {
  const uint32_t id = me();
  if (id == 0) mem_reset();
  for (uint32_t k = id; k < NR_PATTERNS; k += NR_TASKLETS) {
    prepare(k);
    occurrences[k] = 0;
    firsts[k] = UINT32_MAX;
  }
  barrier_wait(&my_barrier);
  const seqreader_buffer_t buffer = seqread_alloc();
  const uint32_t begin = request.length * id / NR_TASKLETS, end = request.length * (id + 1) / NR_TASKLETS;
  for (uint32_t k = 0; k < NR_PATTERNS; ++k) {
    const struct found found = search(k, begin, end, buffer);
    mutex_lock(result_mutex);
    occurrences[k] += found.count;
    if (found.first < firsts[k]) firsts[k] = found.first;
    mutex_unlock(result_mutex);
  }
  return 0;
}
