// pimento: --data uniform:0,255
#include <stdint.h>
void histogram(const uint8_t image[16][16], uint32_t bins[16]) {
  for (int i = 0; i < 16; i++) bins[i] = 0;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++) bins[image[y][x] >> 4]++;
}
