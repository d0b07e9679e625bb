// Length of the longest common subsequence of two strings of pseudo-random letters, a row at a time.
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 10000 };
static char a[kMost], b[kMost];
static int row[kMost + 1];

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 3000;
  if (n < 1 || n > kMost) return 1;
  unsigned state = 1;
  for (int i = 0; i < 2 * n; ++i) {
    state = state * 1103515245u + 12345u;
    (i < n ? a : b)[i % n] = (char)('a' + (state >> 16) % 4);
  }
  for (int i = 0; i < n; ++i) {
    int corner = 0;
    for (int j = 0; j < n; ++j) {
      const int above = row[j + 1];
      const int left = row[j];
      row[j + 1] = a[i] == b[j] ? corner + 1 : above > left ? above : left;
      corner = above;
    }
  }
  printf("%d\n", row[n]);
  return 0;
}
