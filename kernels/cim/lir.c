// LiR: linear regression by gradient descent in double precision, until the gradient vanishes.
//
//   lir [SEED [SAMPLES [FEATURES]]]
#include "bench.h"

enum { kMostFeatures = 32, kMostSteps = 10000, kUnit = 64 };

/// The gradient of half the mean squared error. Returns the mean squared error itself.
static double gradientAt(const double *weights, const double *samples, const double *targets, uint32_t count,
                         uint32_t features, double *gradient) {
  double squares = 0;
  for (uint32_t f = 0; f < features; f++) gradient[f] = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double *sample = samples + (size_t)i * features;
    double error = -targets[i];
    for (uint32_t f = 0; f < features; f++) error += weights[f] * sample[f];
    for (uint32_t f = 0; f < features; f++) gradient[f] += error * sample[f];
    squares += error * error;
  }
  for (uint32_t f = 0; f < features; f++) gradient[f] /= count;
  return squares / count;
}

static bool isZero(const double *gradient, uint32_t features) {
  for (uint32_t f = 0; f < features; f++)
    if (gradient[f] > 1e-9 || gradient[f] < -1e-9) return false;
  return true;
}

static void descend(const double *samples, const double *targets, uint32_t count, uint32_t features, double *weights,
                    double *error) {
  // The curvature is at most the mean square of a sample, which bounds the step.
  double squares = 0;
  for (uint32_t i = 0; i < count * features; i++) squares += samples[i] * samples[i];
  double step = count / squares;
  double gradient[kMostFeatures + 1];
  for (uint32_t n = 0; n < kMostSteps; n++) {
    *error = gradientAt(weights, samples, targets, count, features, gradient);
    if (isZero(gradient, features)) return;
    for (uint32_t f = 0; f < features; f++) weights[f] -= step * gradient[f];
  }
}

/// In millionths, rounded.
static int64_t millionths(double value) {
  return (int64_t)(value * 1e6 + (value < 0 ? -0.5 : 0.5));
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t count = argument(argc, argv, 2, 1536, 8, 1 << 16);
  uint32_t features = argument(argc, argv, 3, 6, 1, kMostFeatures) + 1;
  double *samples = newArray((size_t)count * features, sizeof *samples);
  double *targets = newArray(count, sizeof *targets);
  // The last feature is the constant 1. A target is a sum with whole factors, and a disturbance.
  int32_t factors[kMostFeatures + 1];
  for (uint32_t f = 0; f < features; f++) factors[f] = randomBetween(&rng, -9, 9);
  for (uint32_t i = 0; i < count; i++) {
    int32_t target = randomBetween(&rng, -kUnit, kUnit);
    for (uint32_t f = 0; f < features; f++) {
      int32_t value = f + 1 == features ? kUnit : randomBetween(&rng, -kUnit, kUnit);
      samples[(size_t)i * features + f] = (double)value / kUnit;
      target += factors[f] * value;
    }
    targets[i] = (double)target / kUnit;
  }
  double weights[kMostFeatures + 1] = {0}, error = 0;

  region_begin();
  descend(samples, targets, count, features, weights, &error);
  region_end();

  printf("error %" PRId64 "\nweights", millionths(error));
  for (uint32_t f = 0; f < features; f++) printf(" %" PRId64, millionths(weights[f]));
  printf("\n");
  free(targets);
  free(samples);
  return 0;
}
