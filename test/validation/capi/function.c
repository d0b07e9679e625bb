// Calls FUNCTION, of double, on every number of `in`, and FUNCTIONf on it as a float: second half of `out`.
#include <defs.h>
#include <math.h>
#include <mram.h>

#define COUNT 256

#define PASTE(a, b) a##b
#define FLOAT(name) PASTE(name, f)

__mram_noinit double in[COUNT], out[2 * COUNT];

int main(void) {
  for (unsigned int i = me(); i < COUNT; i += NR_TASKLETS) {
    out[i] = FUNCTION(in[i]);
    out[COUNT + i] = FLOAT(FUNCTION)((float)in[i]);
  }
  return 0;
}
