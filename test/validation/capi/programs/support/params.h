// Parameters of a run, from the command line.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct params {
  uint32_t n;     // elements of one DPU; what an element is, the program says
  uint32_t seed;  // of the random data
  uint32_t warmup, reps;
};

static inline void usage(const char *program, uint32_t n) {
  fprintf(stderr,
          "usage: %s [options]\n"
          "  -h        this text\n"
          "  -n N      elements per DPU (default %u)\n"
          "  -s SEED   of the random data (default 1)\n"
          "  -w W      untimed runs (default 0)\n"
          "  -e E      timed runs (default 1)\n",
          program, n);
}

static inline struct params input_params(int argc, char **argv, uint32_t n) {
  struct params p = {n, 1, 0, 1};
  int option;
  while ((option = getopt(argc, argv, "hn:s:w:e:")) >= 0) {
    switch (option) {
      case 'h':
        usage(argv[0], n);
        exit(0);
      case 'n':
        p.n = (uint32_t)strtoul(optarg, NULL, 0);
        break;
      case 's':
        p.seed = (uint32_t)strtoul(optarg, NULL, 0);
        break;
      case 'w':
        p.warmup = (uint32_t)strtoul(optarg, NULL, 0);
        break;
      case 'e':
        p.reps = (uint32_t)strtoul(optarg, NULL, 0);
        break;
      default:
        fprintf(stderr, "\nunknown option\n");
        usage(argv[0], n);
        exit(2);
    }
  }
  return p;
}
