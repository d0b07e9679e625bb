#include <stdint.h>
void parity(const uint32_t x[40], uint32_t y[40]) {
  for (int i = 0; i < 40; i++) {
    uint32_t v = x[i];
    v ^= v >> 16;
    v ^= v >> 8;
    v ^= v >> 4;
    y[i] = (0x6996u >> (v & 15u)) & 1u;
  }
}
