// Statistics of a text: every tasklet reads its part through a sequential reader, and one prints what all found.
#include <assert.h>
#include <barrier.h>
#include <ctype.h>
#include <defs.h>
#include <mutex.h>

#include "common.h"
#define SEQREAD_CACHE_SIZE 64
#include <seqread.h>
#include <stdio.h>
#include <string.h>

__host struct arguments arguments;

static uint32_t words, lines, letters[26];
static char longest[LONGEST + 1];

BARRIER_INIT(everybody, NR_TASKLETS);
MUTEX_INIT(totals);

// The longest word is the one that comes first in the alphabet among those of its length.
static int isBetter(const char *word, const char *other) {
  const size_t a = strlen(word), b = strlen(other);
  return a > b || (a == b && strcmp(word, other) < 0);
}

static void readPart(uint32_t first, uint32_t last) {
  __mram_ptr char *const text = DPU_MRAM_HEAP_POINTER;
  seqreader_t reader;
  char *at = seqread_init(seqread_alloc(), text + first, &reader);
  // A word belongs to the part in which it begins.
  int isInside = first > 0 && isalpha(text[first - 1]);
  int isMine = 0;
  uint32_t myWords = 0, myLines = 0, myLetters[26] = {0}, length = 0;
  char word[LONGEST + 1] = "", best[LONGEST + 1] = "";
  for (uint32_t i = first; i < arguments.bytes && (i < last || isMine); ++i) {
    assert(seqread_tell(at, &reader) == text + i);
    const char c = *at;
    if (isalpha(c)) {
      if (!isInside) {
        isInside = isMine = 1;
        length = 0;
        ++myWords;
      }
      if (isMine && length < LONGEST) word[length++] = (char)tolower(c);
    } else if (isInside) {
      word[length] = 0;
      if (isMine && isBetter(word, best)) strcpy(best, word);
      isInside = isMine = 0;
    }
    if (i < last) {
      myLines += c == '\n';
      if (isalpha(c)) ++myLetters[tolower(c) - 'a'];
    }
    at = seqread_get(at, 1, &reader);
  }
  if (isMine) {
    word[length] = 0;
    if (isBetter(word, best)) strcpy(best, word);
  }
  mutex_lock(totals);
  words += myWords;
  lines += myLines;
  for (int i = 0; i < 26; ++i) letters[i] += myLetters[i];
  if (isBetter(best, longest)) strcpy(longest, best);
  mutex_unlock(totals);
}

int main(void) {
  const unsigned int tasklet = me();
  if (tasklet == 0) {
    mem_reset();
    words = lines = 0;
    memset(letters, 0, sizeof(letters));
    longest[0] = 0;
  }
  barrier_wait(&everybody);
  const uint32_t part = (arguments.bytes + NR_TASKLETS - 1) / NR_TASKLETS;
  const uint32_t first = tasklet * part < arguments.bytes ? tasklet * part : arguments.bytes;
  const uint32_t last = first + part < arguments.bytes ? first + part : arguments.bytes;
  if (first < last) readPart(first, last);
  barrier_wait(&everybody);
  if (tasklet == 0) {
    int most = 0;
    uint64_t all = 0;
    for (int i = 0; i < 26; ++i) {
      all += letters[i];
      if (letters[i] > letters[most]) most = i;
    }
    printf("DPU %u: %u words, %u lines, longest '%s'", arguments.number, words, lines, longest);
    printf(", %llu letters, %5.2f%% of them %c\n", (unsigned long long)all,
           all == 0 ? 0.0 : 100.0 * letters[most] / (double)all, 'a' + most);
  }
  return 0;
}
