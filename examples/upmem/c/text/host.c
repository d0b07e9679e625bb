// Statistics of a text, host half: every DPU has its own text, and what it prints is what the host finds.
//   host [DPUS [BYTES [DPU_BINARY]]]
#include <ctype.h>
#include <dpu.h>
#include <dpu_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#ifndef DPU_BINARY
#define DPU_BINARY "./dpu"
#endif

static void compose(char *text, uint32_t bytes, uint32_t seed) {
  static const char *const kWords[] = {"time",      "memory",  "A",   "transfer", "pipeline", "of",
                                       "Bandwidth", "tasklet", "and", "bank",     "in",       "processing"};
  uint32_t at = 0, state = seed * 2654435761u + 1;
  while (at < bytes) {
    state = state * 1664525u + 1013904223u;
    const char *const word = kWords[(state >> 20) % 12];
    const char *const end = (state >> 16) % 9 == 0 ? ".\n" : " ";
    for (const char *c = word; *c != 0 && at < bytes; ++c) text[at++] = *c;
    for (const char *c = end; *c != 0 && at < bytes; ++c) text[at++] = *c;
  }
}

static void describe(char *line, size_t size, const char *text, uint32_t bytes, uint32_t number) {
  uint32_t words = 0, lines = 0, letters[26] = {0}, length = 0;
  uint64_t all = 0;
  char word[LONGEST + 1] = "", longest[LONGEST + 1] = "";
  for (uint32_t i = 0; i <= bytes; ++i) {
    const char c = i < bytes ? text[i] : ' ';
    lines += i < bytes && c == '\n';
    if (isalpha((unsigned char)c)) {
      words += length == 0;
      if (length < LONGEST) word[length++] = (char)tolower(c);
      ++letters[tolower(c) - 'a'];
      ++all;
    } else if (length > 0) {
      word[length] = 0;
      const size_t best = strlen(longest);
      if (length > best || (length == best && strcmp(word, longest) < 0)) strcpy(longest, word);
      length = 0;
    }
  }
  int most = 0;
  for (int i = 0; i < 26; ++i)
    if (letters[i] > letters[most]) most = i;
  snprintf(line, size, "DPU %u: %u words, %u lines, longest '%s', %llu letters, %5.2f%% of them %c\n", number, words,
           lines, longest, (unsigned long long)all, all == 0 ? 0.0 : 100.0 * letters[most] / (double)all, 'a' + most);
}

int main(int argc, char **argv) {
  const uint32_t dpus = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
  const uint32_t bytes = argc > 2 ? (uint32_t)atoi(argv[2]) : 1237, capacity = (bytes + 7) / 8 * 8;

  struct dpu_set_t set, dpu;
  DPU_ASSERT(dpu_alloc(dpus, NULL, &set));
  DPU_ASSERT(dpu_load(set, argc > 3 ? argv[3] : DPU_BINARY, NULL));
  char *const texts = calloc(dpus, capacity);
  struct arguments *const arguments = malloc(dpus * sizeof(*arguments));
  uint32_t i;
  DPU_FOREACH(set, dpu, i) {
    compose(texts + (size_t)i * capacity, bytes - i % 5, i);
    arguments[i] = (struct arguments){bytes - i % 5, i};
    DPU_ASSERT(dpu_prepare_xfer(dpu, texts + (size_t)i * capacity));
  }
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, 0, capacity, DPU_XFER_DEFAULT));
  DPU_FOREACH(set, dpu, i) DPU_ASSERT(dpu_prepare_xfer(dpu, &arguments[i]));
  DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, "arguments", 0, sizeof(*arguments), DPU_XFER_DEFAULT));
  DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));

  uint32_t wrong = 0;
  DPU_FOREACH(set, dpu, i) {
    FILE *const log = tmpfile();
    DPU_ASSERT(dpu_log_read(dpu, log));
    rewind(log);
    char expected[256], line[256];
    describe(expected, sizeof(expected), texts + (size_t)i * capacity, arguments[i].bytes, i);
    int isThere = 0;
    while (fgets(line, sizeof(line), log) != NULL) isThere |= strstr(line, expected) != NULL;
    if (!isThere) printf("text: expected %s", expected);
    wrong += !isThere;
    fclose(log);
  }
  DPU_ASSERT(dpu_free(set));
  printf("text: %u DPUs, %u wrong\n", dpus, wrong);
  free(texts), free(arguments);
  return wrong != 0;
}
