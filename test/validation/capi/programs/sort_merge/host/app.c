// Merge sort.
#include "common.h"
#include "sorting.h"

int main(int argc, char **argv) {
  return sort_on_dpus("sort_merge", input_params(argc, argv, 1001), MAX_KEYS, MAX_KEYS, "sorted");
}
