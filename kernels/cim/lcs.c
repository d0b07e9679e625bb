// LCS: lengths of the longest common subsequences of pairs of random strings, by rows of the dynamic program (Wagner
// and Fischer, JACM 1974).
//
//   lcs [SEED [LENGTH [PAIRS]]]
#include "bench.h"

enum { kLetters = 4 };

/// row[j] becomes the length for the first i letters of `a` and the first j of `b`, for i from 1 to the end.
static uint32_t commonLength(const uint8_t *a, uint32_t lengthA, const uint8_t *b, uint32_t lengthB, uint32_t *row) {
  memset(row, 0, (lengthB + 1) * sizeof *row);
  for (uint32_t i = 0; i < lengthA; i++) {
    uint32_t diagonal = 0;  // what row[j] was for i - 1
    uint32_t left = 0;
    for (uint32_t j = 1; j <= lengthB; j++) {
      uint32_t above = row[j];
      uint32_t best = above > left ? above : left;
      if (a[i] == b[j - 1]) best = diagonal + 1;
      diagonal = above;
      row[j] = left = best;
    }
  }
  return row[lengthB];
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t length = argument(argc, argv, 2, 350, 1, 1 << 14);
  uint32_t pairs = argument(argc, argv, 3, 20, 1, 1000);
  uint8_t *letters = newArray((size_t)pairs * 2 * length, 1);
  for (uint32_t i = 0; i < pairs * 2 * length; i++) letters[i] = (uint8_t)randomBelow(&rng, kLetters);
  uint32_t *lengths = newArray(pairs, sizeof *lengths);
  uint32_t *row = newArray(length + 1, sizeof *row);

  region_begin();
  for (uint32_t p = 0; p < pairs; p++) {
    const uint8_t *a = letters + (size_t)p * 2 * length;
    lengths[p] = commonLength(a, length, a + length, length, row);
  }
  region_end();

  uint32_t sum = 0;
  printf("lengths");
  for (uint32_t p = 0; p < pairs; p++) {
    printf(" %" PRIu32, lengths[p]);
    sum += lengths[p];
  }
  printf("\nsum %" PRIu32 "\n", sum);
  free(row);
  free(lengths);
  free(letters);
  return 0;
}
