// pimento: --size n=100
#include <stdint.h>
#include <stdbool.h>
uint32_t checksum(int n, const uint8_t data[restrict n]) {
  uint32_t a = 1, b = 0;
  for (int i = 0; i < n; i++) {
    a = (a + data[i]) % 65521u;
    b = (b + a) % 65521u;
  }
  return b << 16 | a;
}
