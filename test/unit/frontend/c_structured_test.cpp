// Minima with their index and selections per row: which manners of writing them are one kernel, and which are not.
#include <gtest/gtest.h>

#include "test/unit/frontend/same_text.h"

namespace pimento::frontend {
namespace {

// clang-format off
SAME_TEXT(localIndex, void localIndex(const float *x, int *b, float *m) {
  for (int i = 0; i < kSize; i++) {
    float best = 0.25f; int at = -1;
    for (int j = 0; j < kSize; j++) if (x[i * kSize + j] < best) { best = x[i * kSize + j]; at = j; }
    b[i] = at; m[i] = best;
  }
})
SAME_TEXT(storedInTheLoop, void storedInTheLoop(const int *x, int *b) {
  for (int i = 0; i < kSize; i++) {
    int most = -1000;
    for (int j = 0; j < kSize; j++) {
      int d = x[i * kSize + j] & 15;
      if (j != 2 && most < d) { b[i] = j * 2 + i; most = d; }
    }
  }
})
SAME_TEXT(ofATriangle, void ofATriangle(const short *x, int *b, int *c) {
  for (int i = 0; i < kSize; i++) {
    short least = x[i]; int at = 0; int next = 9;
    for (int j = 0; j < i; j++) if (x[j] < least) { least = x[j]; at = j; next = j + 1; }
    b[i] = at; c[i] = next;
  }
})
SAME_TEXT(inRounds, void inRounds(const int *x, int *m, int *w) {
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < kSize; i++) if (x[t * kSize + i] > m[i]) { m[i] = x[t * kSize + i]; w[i] = t; }
})
SAME_TEXT(lastOfEquals, void lastOfEquals(const signed char *x, int *b) {
  signed char least = 5; int at = 0;
  for (int i = 0; i < 40; i++) if (x[i] <= least) { least = x[i]; at = i; }
  b[0] = at;
})
SAME_TEXT(seenInTheLoop, void seenInTheLoop(const int *x, int *b, int *c) {
  int least = 5000; int at = 0;
  for (int i = 0; i < kSize; i++) { if (x[i] < least) { least = x[i]; at = i; } c[i] = at; }
  b[0] = at;
})
SAME_TEXT(otherIndices, void otherIndices(const int *x, int *b) {
  for (int i = 0; i < kSize; i++) {
    int least = 5000; int at = 3;
    for (int j = 0; j < kSize; j++) if (x[i * kSize + j] < least) { least = x[i * kSize + j]; at = j; }
    b[kSize - 1 - i] = at;
  }
})
SAME_TEXT(again, void again(const int *x, int *b) {
  for (int i = 0; i < kSize; i++) b[i] = b[i] * 2 + x[i];
  for (int i = 0; i < kSize; i++) {
    int most = 1 << 30; int at = 0;
    for (int j = 0; j < kSize; j++) if (x[i * kSize + j] > most) { most = x[i * kSize + j]; at = j; }
    b[i] = at;
  }
})
SAME_TEXT(localCount, void localCount(const int *x, int o[kSize][kSize], int *n) {
  for (int i = 0; i < kSize; i++) {
    int c = 0;
    for (int j = 0; j < kSize; j++) if (x[i * kSize + j] > 0) o[i][c++] = x[i * kSize + j];
    n[i] = c;
  }
})
SAME_TEXT(countedInAnArray, void countedInAnArray(const int *x, int o[kSize][kSize], short *n) {
  for (int i = 0; i < kSize; i++) n[i] = 0;
  for (int j = 0; j < kSize; j++)
    for (int i = 0; i < kSize; i++) if (x[i * kSize + j] > 0) { o[i][n[i]] = j; n[i]++; }
})
SAME_TEXT(atMostThree, void atMostThree(const int *x, int *o, int *n) {
  for (int i = 0; i < kSize; i++) {
    int c = 0;
    for (int j = 0; j < kSize; j++) if (c < 3 && x[i * kSize + j] > 0) { o[i * 3 + c] = j; c += 1; }
    n[i] = c;
  }
})
SAME_TEXT(readBack, void readBack(const int *x, int *o, int *y) {
  for (int i = 0; i < kSize; i++) {
    int c = 0;
    for (int j = 0; j < kSize; j++) o[i * kSize + j] = -1;
    for (int j = 0; j < kSize; j++) if (x[i * kSize + j] > 0) o[i * kSize + c++] = j;
    y[i] = c;
  }
  for (int i = 0; i < kSize; i++) for (int j = 0; j < kSize; j++) y[i] += o[i * kSize + j];
})
// clang-format on

/// Kernels with stores that follow another.
std::size_t extremes(const char *text) {
  std::size_t n = 0;
  for (const kernel::Kernel &k : importGoodC(text).kernels)
    for (const kernel::Store &s : k.stores) n += s.follows >= 0 ? 1 : 0;
  return n;
}

TEST(CStructured, AMinimumWithItsIndexIsOneKernel) {
  expectSame(localIndexText, "xbm", localIndex);
  expectSame(storedInTheLoopText, "xb", storedInTheLoop);
  expectSame(ofATriangleText, "xbc", ofATriangle);
  expectSame(inRoundsText, "xmw", inRounds);
  EXPECT_EQ(extremes(localIndexText), 1U);
  EXPECT_EQ(extremes(storedInTheLoopText), 1U);
  EXPECT_EQ(extremes(ofATriangleText), 2U);
  EXPECT_EQ(extremes(inRoundsText), 1U);
}

TEST(CStructured, NotWhereTheLastOfEqualsWinsOrOthersLookOn) {
  expectSame(lastOfEqualsText, "xb", lastOfEquals);
  expectSame(seenInTheLoopText, "xbc", seenInTheLoop);
  EXPECT_EQ(extremes(lastOfEqualsText), 0U);
  EXPECT_EQ(extremes(seenInTheLoopText), 0U);
}

TEST(CStructured, TheIndexMayGoElsewhereAfterwards) {
  expectSame(otherIndicesText, "xb", otherIndices);
  EXPECT_EQ(extremes(otherIndicesText), 1U);
}

TEST(CStructured, WhatNeverWinsLeavesTheFirstIndex) {
  expectSame(againText, "xb", again);
  EXPECT_EQ(extremes(againText), 1U);
}

TEST(CStructured, InfinityIsANumberToStartFrom) {
  const kernel::Graph g = importGoodC(
      "#include <math.h>\nvoid f(float x[9], int b[1]) { float m = INFINITY; int a = 0;\n"
      "for (int i = 0; i < 9; i++) if (x[i] < m) { m = x[i]; a = i; } b[0] = a; }");
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].stores[1].follows, 0);
}

TEST(CStructured, SelectionsPerRowAreOneKernel) {
  expectSame(localCountText, "xon", localCount);
  expectSame(countedInAnArrayText, "xon", countedInAnArray);
  expectSame(atMostThreeText, "xon", atMostThree);
  for (const char *text : {localCountText, countedInAnArrayText, atMostThreeText}) {
    const kernel::Graph g = importGoodC(text);
    ASSERT_EQ(g.kernels.size(), 1U) << kernel::print(g);
    EXPECT_EQ(g.kernels[0].form, kernel::Form::kSelect);
    EXPECT_EQ(g.kernels[0].limit, text == atMostThreeText ? 3 : -1);
  }
}

TEST(CStructured, WhatListsDoNotFillStaysAsItWas) {
  expectSame(readBackText, "xoy", readBack);
}

}  // namespace
}  // namespace pimento::frontend
