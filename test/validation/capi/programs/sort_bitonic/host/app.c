// Bitonic sort.
#include "common.h"
#include "sorting.h"

int main(int argc, char **argv) {
  return sort_on_dpus("sort_bitonic", input_params(argc, argv, MAX_KEYS - 5), MAX_KEYS, MAX_KEYS, "keys");
}
