// pimento: --data uniform:1,1000
#include <math.h>
void decibel(const float power[48], float db[48], float octave[48]) {
  for (int i = 0; i < 48; i++) {
    db[i] = 10.0f * log10f(power[i]);
    octave[i] = log2f(power[i]);
  }
}
