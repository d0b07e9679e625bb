// The DPU's neurons of one layer. Weights of all layers stay in MRAM.
#include <defs.h>
#include <mram.h>

#include "common.h"

__host struct arguments arguments;
__host int8_t inputs[WIDTH];
__host int8_t outputs[MAX_NEURONS];
__mram_noinit int8_t weights[LAYERS][MAX_NEURONS][WIDTH];
__mram int32_t biases[LAYERS] = {40, -25, 7};

__dma_aligned static int8_t row[NR_TASKLETS][WIDTH];

int main() {
  const uint32_t id = me();
  const int32_t bias = biases[arguments.layer];
  for (uint32_t neuron = id; neuron < arguments.neurons; neuron += NR_TASKLETS) {
    mram_read(weights[arguments.layer][neuron], row[id], WIDTH);
    int32_t sum = bias;
    for (int i = 0; i < WIDTH; ++i) sum += row[id][i] * inputs[i];
    outputs[neuron] = activate(sum);
  }
  return 0;
}
