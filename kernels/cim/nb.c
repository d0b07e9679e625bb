// NB: a naive Bayes classifier for features with few values: counts classes and values, turns counts into logarithms in
// fixed point, and gives each test sample the class with the least sum of costs. Counts start at 1 (Laplace).
//
//   nb [SEED [TRAINING [TESTS [FEATURES]]]]
#include "bench.h"

enum { kClasses = 4, kValues = 8, kMostFeatures = 64, kFraction = 12 };

typedef struct {
  uint32_t inClass[kClasses];
  uint32_t ofValue[kClasses][kMostFeatures][kValues];
} Counts;

/// What a class and a value cost: -log2 of their probability, in units of 1/2^kFraction.
typedef struct {
  int32_t ofClass[kClasses];
  int32_t ofValue[kClasses][kMostFeatures][kValues];
} Costs;

/// floor(2^kFraction * log2(n)) for n > 0, bit by bit: squaring a number doubles its logarithm.
static int32_t fixedLog2(uint32_t n) {
  int32_t whole = 31;
  while (n >> whole == 0) whole--;
  uint64_t mantissa = (uint64_t)n << (31 - whole);  // in [2^31, 2^32)
  int32_t result = whole;
  for (int bit = 0; bit < kFraction; bit++) {
    mantissa = (mantissa * mantissa) >> 31;
    int32_t isHigh = (int32_t)(mantissa >> 32);
    mantissa >>= isHigh;
    result = result * 2 + isHigh;
  }
  return result;
}

static void train(const uint8_t *samples, const uint8_t *labels, uint32_t count, uint32_t features, Counts *counts) {
  for (uint32_t c = 0; c < kClasses; c++) {
    counts->inClass[c] = 1;
    for (uint32_t f = 0; f < features; f++)
      for (uint32_t v = 0; v < kValues; v++) counts->ofValue[c][f][v] = 1;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t c = labels[i];
    counts->inClass[c]++;
    for (uint32_t f = 0; f < features; f++) counts->ofValue[c][f][samples[i * features + f]]++;
  }
}

static void priceCounts(const Counts *counts, uint32_t count, uint32_t features, Costs *costs) {
  for (uint32_t c = 0; c < kClasses; c++) {
    costs->ofClass[c] = fixedLog2(count + kClasses) - fixedLog2(counts->inClass[c]);
    int32_t all = fixedLog2(counts->inClass[c] - 1 + kValues);
    for (uint32_t f = 0; f < features; f++)
      for (uint32_t v = 0; v < kValues; v++) costs->ofValue[c][f][v] = all - fixedLog2(counts->ofValue[c][f][v]);
  }
}

/// The cheapest class, the first one of equals; its cost goes to `cost`.
static uint32_t classify(const Costs *costs, const uint8_t *sample, uint32_t features, int32_t *cost) {
  uint32_t best = 0;
  for (uint32_t c = 0; c < kClasses; c++) {
    int32_t sum = costs->ofClass[c];
    for (uint32_t f = 0; f < features; f++) sum += costs->ofValue[c][f][sample[f]];
    if (c > 0 && sum >= *cost) continue;
    best = c;
    *cost = sum;
  }
  return best;
}

/// Each class has a value of its own for each feature, which a sample has in 3 of 8 cases.
static void makeSamples(Rng *rng, uint32_t count, uint32_t features, const uint8_t typical[kClasses][kMostFeatures],
                        uint8_t *samples, uint8_t *labels) {
  for (uint32_t i = 0; i < count; i++) {
    labels[i] = (uint8_t)randomBelow(rng, kClasses);
    for (uint32_t f = 0; f < features; f++) {
      uint32_t draw = randomBelow(rng, 8 * kValues);
      samples[i * features + f] = draw < 3 * kValues ? typical[labels[i]][f] : (uint8_t)(draw % kValues);
    }
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t training = argument(argc, argv, 2, 8192, 1, 60000);
  uint32_t tests = argument(argc, argv, 3, 16384, 1, 1 << 20);
  uint32_t features = argument(argc, argv, 4, 16, 1, kMostFeatures);
  uint8_t typical[kClasses][kMostFeatures] = {{0}};
  for (uint32_t c = 0; c < kClasses; c++)
    for (uint32_t f = 0; f < features; f++) typical[c][f] = (uint8_t)randomBelow(&rng, kValues);
  uint32_t all = training + tests;
  uint8_t *samples = newArray((size_t)all * features, 1);
  uint8_t *labels = newArray(all, 1);
  makeSamples(&rng, all, features, typical, samples, labels);
  uint32_t *found = newArray(tests, sizeof *found);
  Counts *counts = newArray(1, sizeof *counts);
  Costs *costs = newArray(1, sizeof *costs);

  region_begin();
  train(samples, labels, training, features, counts);
  priceCounts(counts, training, features, costs);
  int64_t costOfAll = 0;
  for (uint32_t i = 0; i < tests; i++) {
    int32_t cost = 0;
    found[i] = classify(costs, samples + (size_t)(training + i) * features, features, &cost);
    costOfAll += cost;
  }
  region_end();

  uint32_t right = 0, perClass[kClasses] = {0};
  for (uint32_t i = 0; i < tests; i++) {
    right += found[i] == labels[training + i];
    perClass[found[i]]++;
  }
  printf("right %" PRIu32 " of %" PRIu32 " cost %" PRId64 "\nclasses", right, tests, costOfAll);
  for (uint32_t c = 0; c < kClasses; c++) printf(" %" PRIu32, perClass[c]);
  printf("\nfound %016" PRIx64 "\n", checksumOf(found, tests));
  free(costs);
  free(counts);
  free(found);
  free(labels);
  free(samples);
  return 0;
}
