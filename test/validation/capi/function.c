// Calls FUNCTION, of double, on every number of `in`.
#include <defs.h>
#include <math.h>
#include <mram.h>

#define COUNT 256

__mram_noinit double in[COUNT], out[COUNT];

int main(void) {
  for (unsigned int i = me(); i < COUNT; i += NR_TASKLETS) out[i] = FUNCTION(in[i]);
  return 0;
}
