// pimento: --size n=200
#include <stdio.h>
/* Index of the first element equal to the key, -1 if there is none. */
int find_first(int n, const int a[n], int key[1]) {
  int at = -1;
  for (int i = 0; i < n; i++) {
    if (a[i] == key[0]) {
      at = i;
      break;
    }
  }
  return at;
}
