// Radix sort.
#include "common.h"
#include "sorting.h"

int main(int argc, char **argv) {
  return sort_on_dpus("sort_radix", input_params(argc, argv, 333), MAX_KEYS, MAX_KEYS, "sorted");
}
