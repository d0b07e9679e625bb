// DT: a decision tree (CART, Breiman et al. 1984) over features of one byte: each node takes the feature and the
// threshold with the least Gini impurity, found from histograms, and the tree then classifies test samples. All
// integer: impurities are compared as fractions.
//
//   dt [SEED [TRAINING [TESTS [FEATURES]]]]
#include "bench.h"

enum { kClasses = 4, kLevels = 32, kMostFeatures = 32, kDepth = 8, kLeast = 8, kNodes = 1 << (kDepth + 1) };

/// Samples with a feature of at most `threshold` go to `left`, others to the node after it; left 0: a leaf.
typedef struct {
  uint32_t feature, threshold, left, label;
} Node;

typedef struct {
  uint32_t samples, features;
  const uint8_t *values;  // by sample
  const uint8_t *labels;
  uint32_t *members;  // samples, those of a node together
  Node nodes[kNodes];
  uint32_t nodeCount;
} Tree;

/// How pure a split leaves both sides, as a fraction: the sum of squares of the classes' counts over the side's count.
typedef struct {
  uint64_t above, below;
} Purity;

static bool isPurer(Purity a, Purity b) {
  return a.above * b.below > b.above * a.below;
}

static uint64_t squares(const uint32_t counts[kClasses]) {
  uint64_t sum = 0;
  for (uint32_t c = 0; c < kClasses; c++) sum += (uint64_t)counts[c] * counts[c];
  return sum;
}

/// The best threshold of one feature, if it is purer than *best: then it goes to `node`.
static void tryFeature(const Tree *tree, uint32_t begin, uint32_t end, uint32_t feature, const uint32_t all[kClasses],
                       Purity *best, Node *node) {
  uint32_t histogram[kLevels][kClasses] = {{0}};
  for (uint32_t i = begin; i < end; i++) {
    uint32_t sample = tree->members[i];
    histogram[tree->values[sample * tree->features + feature]][tree->labels[sample]]++;
  }
  uint32_t left[kClasses] = {0}, right[kClasses], leftCount = 0, rightCount = end - begin;
  memcpy(right, all, sizeof right);
  for (uint32_t t = 0; t + 1 < kLevels; t++) {
    for (uint32_t c = 0; c < kClasses; c++) {
      left[c] += histogram[t][c];
      right[c] -= histogram[t][c];
      leftCount += histogram[t][c];
      rightCount -= histogram[t][c];
    }
    if (leftCount == 0 || rightCount == 0) continue;
    Purity purity = {squares(left) * rightCount + squares(right) * leftCount, (uint64_t)leftCount * rightCount};
    if (!isPurer(purity, *best)) continue;
    *best = purity;
    node->feature = feature;
    node->threshold = t;
  }
}

/// Moves the members that go left to the front. Returns where those that go right begin.
static uint32_t divideMembers(Tree *tree, uint32_t begin, uint32_t end, const Node *node) {
  uint32_t middle = begin;
  for (uint32_t i = begin; i < end; i++) {
    uint32_t sample = tree->members[i];
    if (tree->values[sample * tree->features + node->feature] > node->threshold) continue;
    tree->members[i] = tree->members[middle];
    tree->members[middle++] = sample;
  }
  return middle;
}

/// Grows the tree below node `at`, which holds members begin .. end - 1.
static void grow(Tree *tree, uint32_t at, uint32_t begin, uint32_t end, uint32_t depth) {
  Node *node = &tree->nodes[at];
  uint32_t counts[kClasses] = {0};
  for (uint32_t i = begin; i < end; i++) counts[tree->labels[tree->members[i]]]++;
  for (uint32_t c = 1; c < kClasses; c++)
    if (counts[c] > counts[node->label]) node->label = c;
  if (depth == kDepth || end - begin < kLeast) return;
  Purity best = {squares(counts), end - begin};
  bool isSplit = false;
  for (uint32_t f = 0; f < tree->features; f++) {
    Purity before = best;
    tryFeature(tree, begin, end, f, counts, &best, node);
    isSplit |= isPurer(best, before);
  }
  if (!isSplit) return;
  uint32_t middle = divideMembers(tree, begin, end, node);
  uint32_t left = tree->nodeCount;
  tree->nodeCount += 2;
  node->left = left;
  grow(tree, left, begin, middle, depth + 1);
  grow(tree, left + 1, middle, end, depth + 1);
}

static uint32_t classify(const Tree *tree, const uint8_t *sample) {
  const Node *node = tree->nodes;
  while (node->left) node = &tree->nodes[node->left + (sample[node->feature] > node->threshold)];
  return node->label;
}

/// The class follows from which of three features are high; one of eight is wrong.
static void makeSamples(Rng *rng, uint32_t count, uint32_t features, uint8_t *values, uint8_t *labels) {
  for (uint32_t i = 0; i < count; i++) {
    uint8_t *sample = values + (size_t)i * features;
    for (uint32_t f = 0; f < features; f++) sample[f] = (uint8_t)randomBelow(rng, kLevels);
    uint32_t a = sample[0] > 20, b = sample[1 % features] > 11, c = sample[2 % features] + sample[3 % features] > 30;
    bool isWrong = randomBelow(rng, 8) == 0;
    labels[i] = (uint8_t)(isWrong ? randomBelow(rng, kClasses) : (a ? 2 + b : 2 * b + c) % kClasses);
  }
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  uint32_t training = argument(argc, argv, 2, 4096, 1, 8192);  // more would overflow isPurer
  uint32_t tests = argument(argc, argv, 3, 16384, 1, 1 << 20);
  uint32_t features = argument(argc, argv, 4, 12, 1, kMostFeatures);
  uint32_t all = training + tests;
  uint8_t *values = newArray((size_t)all * features, 1);
  uint8_t *labels = newArray(all, 1);
  makeSamples(&rng, all, features, values, labels);
  uint32_t *found = newArray(tests, sizeof *found);
  Tree *tree = newArray(1, sizeof *tree);
  tree->samples = training;
  tree->features = features;
  tree->values = values;
  tree->labels = labels;
  tree->nodeCount = 1;
  tree->members = newArray(training, sizeof *tree->members);
  for (uint32_t i = 0; i < training; i++) tree->members[i] = i;

  region_begin();
  grow(tree, 0, 0, training, 0);
  for (uint32_t i = 0; i < tests; i++) found[i] = classify(tree, values + (size_t)(training + i) * features);
  region_end();

  uint32_t right = 0;
  for (uint32_t i = 0; i < tests; i++) right += found[i] == labels[training + i];
  Checksum shape = newChecksum();
  for (uint32_t n = 0; n < tree->nodeCount; n++) {
    const Node *node = &tree->nodes[n];
    addWord(&shape, node->left ? node->feature * kLevels + node->threshold : kMostFeatures * kLevels + node->label);
  }
  printf("nodes %" PRIu32 " tree %016" PRIx64 "\n", tree->nodeCount, shape.value);
  printf("right %" PRIu32 " of %" PRIu32 " found %016" PRIx64 "\n", right, tests, checksumOf(found, tests));
  free(tree->members);
  free(tree);
  free(found);
  free(labels);
  free(values);
  return 0;
}
