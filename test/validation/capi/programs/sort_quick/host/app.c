// Quicksort.
#include "common.h"
#include "sorting.h"

int main(int argc, char **argv) {
  return sort_on_dpus("sort_quick", input_params(argc, argv, 999), MAX_KEYS, MAX_KEYS, "sorted");
}
