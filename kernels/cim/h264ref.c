// h264ref: what an H.264 encoder does with a predicted picture (ITU-T H.264): per block of 16 x 16 pixels a full search
// for motion, then half pixels with the six-tap filter of 8.4.2.2.1; the difference through the 4 x 4 integer
// transform, quantised, and back (8.5.12), so that the reconstructed picture results. What 464.h264ref of SPEC 2006
// spends its time with; nothing here is from there.
//
//   h264ref [SEED [WIDTH [HEIGHT [QUANTISER]]]]
#include "bench.h"

enum { kBlock = 16, kRange = 7, kPad = 16, kSpacing = 8, kRegion = 32 };  // kSpacing: in half pixels

/// Pixels with a border of kPad on all sides, which repeats the edges. at(0, 0) is pixels + origin.
typedef struct {
  int32_t width, height, stride, origin;
} Shape;

/// The reference picture and what lies half a pixel to the right, below, and both.
typedef struct {
  Shape shape;
  uint8_t *planes[4];
  int32_t *sums;  // horizontal filter, before rounding
} Reference;

typedef struct {
  int32_t x, y;  // in half pixels
  uint32_t error;
} Motion;

static const int32_t kQuantise[6][3] = {{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554},
                                        {9362, 3647, 5825},  {8192, 3355, 5243},  {7282, 2893, 4559}};
static const int32_t kScale[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16},
                                     {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};

static int32_t clamped(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

static uint8_t pixel(int32_t value) {
  return (uint8_t)clamped(value, 0, 255);
}

/// The six-tap filter between p[0] and p[step].
static int32_t bytesBetween(const uint8_t *p, int32_t step) {
  return p[-2 * step] - 5 * p[-step] + 20 * p[0] + 20 * p[step] - 5 * p[2 * step] + p[3 * step];
}

static int32_t sumsBetween(const int32_t *p, int32_t step) {
  return p[-2 * step] - 5 * p[-step] + 20 * p[0] + 20 * p[step] - 5 * p[2 * step] + p[3 * step];
}

static void interpolate(Reference *reference) {
  Shape shape = reference->shape;
  int32_t margin = kRange + 2;
  for (int32_t y = -margin - 2; y < shape.height + margin + 3; y++)
    for (int32_t x = -margin; x < shape.width + margin; x++) {
      int32_t at = shape.origin + y * shape.stride + x;
      reference->sums[at] = bytesBetween(reference->planes[0] + at, 1);
    }
  for (int32_t y = -margin; y < shape.height + margin; y++)
    for (int32_t x = -margin; x < shape.width + margin; x++) {
      int32_t at = shape.origin + y * shape.stride + x;
      reference->planes[1][at] = pixel((reference->sums[at] + 16) >> 5);
      reference->planes[2][at] = pixel((bytesBetween(reference->planes[0] + at, shape.stride) + 16) >> 5);
      reference->planes[3][at] = pixel((sumsBetween(reference->sums + at, shape.stride) + 512) >> 10);
    }
}

/// Where the pixels for the block at (x, y) with a motion lie.
static const uint8_t *predicted(const Reference *reference, int32_t x, int32_t y, int32_t motionX, int32_t motionY) {
  const uint8_t *plane = reference->planes[(motionX & 1) + 2 * (motionY & 1)];
  return plane + reference->shape.origin + (y + (motionY >> 1)) * reference->shape.stride + x + (motionX >> 1);
}

/// Sum of absolute differences; may stop after any row that exceeds `limit`.
static uint32_t difference(const uint8_t *a, const uint8_t *b, int32_t stride, uint32_t limit) {
  uint32_t sum = 0;
  for (int32_t y = 0; y < kBlock && sum <= limit; y++, a += stride, b += stride)
    for (int32_t x = 0; x < kBlock; x++) sum += (uint32_t)abs(a[x] - b[x]);
  return sum;
}

static void tryMotion(const Reference *reference, const uint8_t *current, int32_t x, int32_t y, int32_t motionX,
                      int32_t motionY, Motion *best) {
  int32_t stride = reference->shape.stride;
  uint32_t error = difference(current + reference->shape.origin + y * stride + x,
                              predicted(reference, x, y, motionX, motionY), stride, best->error);
  if (error < best->error) *best = (Motion){motionX, motionY, error};
}

/// The first best motion of whole pixels, row by row; then the first best one of it and its neighbours.
static Motion searchMotion(const Reference *reference, const uint8_t *current, int32_t x, int32_t y) {
  Motion best = {0, 0, UINT32_MAX};
  for (int32_t dy = -kRange; dy <= kRange; dy++)
    for (int32_t dx = -kRange; dx <= kRange; dx++) tryMotion(reference, current, x, y, 2 * dx, 2 * dy, &best);
  Motion whole = best;
  for (int32_t dy = -1; dy <= 1; dy++)
    for (int32_t dx = -1; dx <= 1; dx++) tryMotion(reference, current, x, y, whole.x + dx, whole.y + dy, &best);
  return best;
}

static void transformLine(int32_t *p, int32_t step) {
  int32_t outer = p[0] + p[3 * step], inner = p[step] + p[2 * step];
  int32_t outerTilt = p[0] - p[3 * step], innerTilt = p[step] - p[2 * step];
  p[0] = outer + inner;
  p[step] = 2 * outerTilt + innerTilt;
  p[2 * step] = outer - inner;
  p[3 * step] = outerTilt - 2 * innerTilt;
}

static void restoreLine(int32_t *p, int32_t step) {
  int32_t even = p[0] + p[2 * step], evenTilt = p[0] - p[2 * step];
  int32_t oddTilt = (p[step] >> 1) - p[3 * step], odd = p[step] + (p[3 * step] >> 1);
  p[0] = even + odd;
  p[step] = evenTilt + oddTilt;
  p[2 * step] = evenTilt - oddTilt;
  p[3 * step] = even - odd;
}

/// Quantises a transformed block, and scales it back. Returns how many coefficients are not zero.
static uint32_t quantise(int32_t block[16], uint32_t quantiser, Checksum *levels) {
  int32_t shift = 15 + (int32_t)quantiser / 6;
  uint32_t used = 0;
  for (int32_t i = 0; i < 16; i++) {
    int32_t kind = ((i & 1) == 0 && (i & 4) == 0) ? 0 : ((i & 1) && (i & 4)) ? 1 : 2;
    int32_t level = (abs(block[i]) * kQuantise[quantiser % 6][kind] + (1 << shift) / 6) >> shift;
    if (block[i] < 0) level = -level;
    addWord(levels, (uint32_t)level);
    used += level != 0;
    block[i] = level * kScale[quantiser % 6][kind] * (1 << quantiser / 6);
  }
  return used;
}

/// One block of 4 x 4 pixels: current against prediction gives `restored`. Returns the number of coefficients.
static uint32_t codeBlock(const uint8_t *current, const uint8_t *prediction, uint8_t *restored, int32_t stride,
                          uint32_t quantiser, Checksum *levels) {
  int32_t block[16];
  for (int32_t i = 0; i < 16; i++) block[i] = current[(i / 4) * stride + i % 4] - prediction[(i / 4) * stride + i % 4];
  for (int32_t i = 0; i < 4; i++) transformLine(block + 4 * i, 1);
  for (int32_t i = 0; i < 4; i++) transformLine(block + i, 4);
  uint32_t used = quantise(block, quantiser, levels);
  for (int32_t i = 0; i < 4; i++) restoreLine(block + 4 * i, 1);
  for (int32_t i = 0; i < 4; i++) restoreLine(block + i, 4);
  for (int32_t i = 0; i < 16; i++)
    restored[(i / 4) * stride + i % 4] = pixel(prediction[(i / 4) * stride + i % 4] + ((block[i] + 32) >> 6));
  return used;
}

/// A smooth random picture, at half pixels: between points of a lattice, linearly.
static int32_t textureAt(const uint8_t *lattice, int32_t latticeWidth, int32_t x, int32_t y) {
  int32_t fx = x % kSpacing, fy = y % kSpacing;
  const uint8_t *p = lattice + (y / kSpacing) * latticeWidth + x / kSpacing;
  int32_t above = p[0] * (kSpacing - fx) + p[1] * fx;
  int32_t below = p[latticeWidth] * (kSpacing - fx) + p[latticeWidth + 1] * fx;
  return (above * (kSpacing - fy) + below * fy) / (kSpacing * kSpacing);
}

/// The reference is the texture; in the current picture each region of it is moved a little, and there is noise.
static void makePictures(Rng *rng, Shape shape, uint8_t *reference, uint8_t *current) {
  int32_t latticeWidth = (2 * shape.width + 64) / kSpacing + 2, latticeHeight = (2 * shape.height + 64) / kSpacing + 2;
  uint8_t *lattice = newArray((size_t)(latticeWidth * latticeHeight), 1);
  for (int32_t i = 0; i < latticeWidth * latticeHeight; i++) lattice[i] = (uint8_t)randomBelow(rng, 256);
  int32_t across = (shape.width + kRegion - 1) / kRegion, down = (shape.height + kRegion - 1) / kRegion;
  int32_t *motions = newArray((size_t)(2 * across * down), sizeof *motions);
  for (int32_t i = 0; i < 2 * across * down; i++) motions[i] = randomBetween(rng, -12, 12);
  for (int32_t y = 0; y < shape.height; y++)
    for (int32_t x = 0; x < shape.width; x++) {
      const int32_t *motion = motions + 2 * ((y / kRegion) * across + x / kRegion);
      int32_t moved = textureAt(lattice, latticeWidth, 32 + 2 * x + motion[0], 32 + 2 * y + motion[1]);
      current[shape.origin + y * shape.stride + x] = pixel(moved + randomBetween(rng, -2, 2));
    }
  for (int32_t y = -kPad; y < shape.height + kPad; y++)
    for (int32_t x = -kPad; x < shape.width + kPad; x++)
      reference[shape.origin + y * shape.stride + x] = (uint8_t)textureAt(
          lattice, latticeWidth, 32 + 2 * clamped(x, 0, shape.width - 1), 32 + 2 * clamped(y, 0, shape.height - 1));
  free(motions);
  free(lattice);
}

int main(int argc, char **argv) {
  Rng rng = seededRng(argc, argv);
  int32_t width = (int32_t)argument(argc, argv, 2, 176, kBlock, 1920) / kBlock * kBlock;
  int32_t height = (int32_t)argument(argc, argv, 3, 144, kBlock, 1088) / kBlock * kBlock;
  uint32_t quantiser = argument(argc, argv, 4, 20, 0, 40);
  Shape shape = {width, height, width + 2 * kPad, kPad * (width + 2 * kPad) + kPad};
  size_t size = (size_t)shape.stride * (size_t)(height + 2 * kPad);
  Reference reference = {shape, {NULL}, newArray(size, sizeof(int32_t))};
  for (int i = 0; i < 4; i++) reference.planes[i] = newArray(size, 1);
  uint8_t *current = newArray(size, 1), *restored = newArray(size, 1);
  makePictures(&rng, shape, reference.planes[0], current);
  Checksum motions = newChecksum(), levels = newChecksum(), pixels = newChecksum();
  uint32_t searchError = 0, coefficients = 0;

  region_begin();
  interpolate(&reference);
  for (int32_t y = 0; y < height; y += kBlock)
    for (int32_t x = 0; x < width; x += kBlock) {
      Motion motion = searchMotion(&reference, current, x, y);
      searchError += motion.error;
      addWord(&motions, (uint32_t)motion.x);
      addWord(&motions, (uint32_t)motion.y);
      const uint8_t *prediction = predicted(&reference, x, y, motion.x, motion.y);
      int32_t at = shape.origin + y * shape.stride + x;
      for (int32_t i = 0; i < kBlock; i++) {
        int32_t part = (i / 4) * 4 * shape.stride + (i % 4) * 4;
        coefficients +=
            codeBlock(current + at + part, prediction + part, restored + at + part, shape.stride, quantiser, &levels);
      }
    }
  region_end();

  uint64_t squares = 0;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      int32_t at = shape.origin + y * shape.stride + x;
      addWord(&pixels, restored[at]);
      squares += (uint64_t)((restored[at] - current[at]) * (restored[at] - current[at]));
    }
  printf("search %" PRIu32 " motions %016" PRIx64 "\n", searchError, motions.value);
  printf("coefficients %" PRIu32 " levels %016" PRIx64 "\n", coefficients, levels.value);
  printf("squares %" PRIu64 " pixels %016" PRIx64 "\n", squares, pixels.value);
  for (int i = 0; i < 4; i++) free(reference.planes[i]);
  free(reference.sums);
  free(restored);
  free(current);
  return 0;
}
