// SVM: a linear support vector machine in fixed point: dual coordinate descent (Hsieh et al., ICML 2008) for
//
//   min 1/2 |w|^2 + C * sum of max(0, 1 - y w.x)
//
// with C = 1 and the constant feature 1 in place of a bias, until no step changes anything; then test samples.
//
//   svm [SEED [TRAINING [TESTS [FEATURES]]]]
#include "bench.h"

// Features are in units of 1/2^5, multipliers of 1/2^20, so weights, which are sums of their products, of 1/2^25 and
// products of weights and features of 1/2^30. Weights are exact: only steps are rounded. As the dual objective never
// falls, |w|^2 is at most twice the number of samples, which bounds that number.
enum { kMostFeatures = 32, kMostSamples = 2000, kUnit = 32, kOne = 1 << 20, kMargin = 1 << 30, kMostPasses = 5000 };
enum { kCoarse = 5 };  // bits that a division does without

typedef struct {
  uint32_t features;  // with the constant one
  const int8_t *samples;
  const int8_t *labels;  // 1 or -1
  int32_t weights[kMostFeatures + 1];
} Machine;

static int64_t product(const Machine *machine, uint32_t i) {
  const int8_t *sample = machine->samples + (size_t)i * machine->features;
  int64_t sum = 0;
  for (uint32_t f = 0; f < machine->features; f++) sum += (int64_t)machine->weights[f] * sample[f];
  return sum;
}

/// One step: sets multiplier i to where the dual objective is best, within 0 and C. Returns whether it changed.
static bool improve(Machine *machine, uint32_t i, int32_t square, int32_t *multiplier) {
  int64_t missing = kMargin - machine->labels[i] * product(machine, i);
  int64_t limit = (int64_t)kOne * square;  // a step of C, before its division
  if (missing > limit) missing = limit;
  if (missing < -limit) missing = -limit;
  int32_t step = (int32_t)(missing / (1 << kCoarse)) / ((square + (1 << kCoarse) - 1) >> kCoarse);
  int32_t wanted = *multiplier + step;
  if (wanted < 0) wanted = 0;
  if (wanted > kOne) wanted = kOne;
  if (wanted == *multiplier) return false;
  step = (wanted - *multiplier) * machine->labels[i];
  *multiplier = wanted;
  const int8_t *sample = machine->samples + (size_t)i * machine->features;
  for (uint32_t f = 0; f < machine->features; f++) machine->weights[f] += step * sample[f];
  return true;
}

static void train(Machine *machine, uint32_t count, const int32_t *squares, int32_t *multipliers) {
  for (uint32_t pass = 0; pass < kMostPasses; pass++) {
    bool isChanged = false;
    for (uint32_t i = 0; i < count; i++) isChanged |= improve(machine, i, squares[i], &multipliers[i]);
    if (!isChanged) return;
  }
}

/// Two clouds that overlap: around a random centre and its mirror image.
static void makeSamples(Rng *rng, uint32_t count, uint32_t features, int8_t *samples, int8_t *labels) {
  int32_t centre[kMostFeatures];
  for (uint32_t f = 0; f + 1 < features; f++) centre[f] = randomBetween(rng, -8, 8);
  for (uint32_t i = 0; i < count; i++) {
    int8_t *sample = samples + (size_t)i * features;
    labels[i] = randomBelow(rng, 2) ? 1 : -1;
    for (uint32_t f = 0; f + 1 < features; f++)
      sample[f] = (int8_t)(labels[i] * centre[f] + randomBetween(rng, -kUnit / 2, kUnit / 2));
    sample[features - 1] = kUnit;
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t training = argument(argc, argv, 2, 256, 2, kMostSamples);
  uint32_t tests = argument(argc, argv, 3, 8192, 1, 1 << 20);
  uint32_t features = argument(argc, argv, 4, 8, 1, kMostFeatures) + 1;
  uint32_t all = training + tests;
  int8_t *samples = newArray((size_t)all * features, 1);
  int8_t *labels = newArray(all, 1);
  makeSamples(&rng, all, features, samples, labels);
  int32_t *squares = newArray(training, sizeof *squares);
  int32_t *multipliers = newArray(training, sizeof *multipliers);
  uint32_t *found = newArray(tests, sizeof *found);
  Machine machine = {features, samples, labels, {0}};

  region_begin();
  for (uint32_t i = 0; i < training; i++)
    for (uint32_t f = 0; f < features; f++) {
      int32_t value = samples[i * features + f];
      squares[i] += value * value;
    }
  train(&machine, training, squares, multipliers);
  for (uint32_t i = 0; i < tests; i++) found[i] = product(&machine, training + i) > 0;
  region_end();

  uint32_t right = 0, vectors = 0;
  for (uint32_t i = 0; i < tests; i++) right += found[i] == (labels[training + i] > 0);
  for (uint32_t i = 0; i < training; i++) vectors += multipliers[i] > 0;
  printf("vectors %" PRIu32 "\nweights", vectors);
  for (uint32_t f = 0; f < features; f++) printf(" %" PRId32, machine.weights[f]);
  printf("\n");
  printf("right %" PRIu32 " of %" PRIu32 " found %016" PRIx64 "\n", right, tests, checksumOf(found, tests));
  free(found);
  free(multipliers);
  free(squares);
  free(labels);
  free(samples);
  return 0;
}
