// Loops that have no iteration in some iterations of the loop around them: what starts before them and what ends behind
// them happens all the same, and elements that nothing stores to stay what they were. Every text is C++ too.
#include <gtest/gtest.h>

#include "test/unit/frontend/same_text.h"

namespace pimento::frontend {
namespace {

// clang-format off
SAME_TEXT(sums, void sums(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) { int s = 0; for (int j = 0; j < i; j++) s += x[j]; y[i] = s; }
})
SAME_TEXT(sumsOfTheRest, void sumsOfTheRest(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) { int s = x[0]; for (int j = i + 1; j < kSize; j++) s += x[j]; y[i] = s; }
})
SAME_TEXT(sumsInPlace, void sumsInPlace(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) { y[i] = 0; for (int j = 0; j < kSize - i - 1; j++) y[i] += x[j]; }
})
SAME_TEXT(sumsOfRead, void sumsOfRead(const int *x, int *y, int *z) {
  for (int i = 0; i < kSize; i++) z[i] = y[i];
  for (int i = 0; i < kSize; i++) { y[i] = 0; for (int j = 0; j < i; j++) y[i] += x[j]; }
})
SAME_TEXT(products, void products(const unsigned *x, unsigned *y) {
  for (int i = 0; i < kSize; i++) { unsigned s = 5; for (int j = 2; j < i; j++) s *= x[j]; y[i] = s; }
})
SAME_TEXT(least, void least(const float *x, float *y) {
  for (int i = 0; i < kSize; i++) { float s = x[i]; for (int j = 0; j < i - 1; j++) s = x[j] < s ? x[j] : s; y[i] = s; }
})
SAME_TEXT(largest, void largest(const short *x, short *y) {
  for (int i = 0; i < kSize; i++) { short s = 9; for (int j = 2 * i; j < kSize; j++) if (x[j] > s) s = x[j]; y[i] = s; }
})
SAME_TEXT(both, void both(const unsigned *x, unsigned *y, unsigned *z) {
  for (int i = 0; i < kSize; i++) {
    unsigned s = 0, t = 1;
    for (int j = 0; j < i; j++) { s += x[j]; t *= x[j]; }
    for (int j = i + 2; j < kSize; j++) s += x[j];
    y[i] = s;
    z[i] = s + t;
  }
})
SAME_TEXT(some, void some(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) for (int j = 0; j < i; j++) y[i] += x[j];
})
SAME_TEXT(shifted, void shifted(const int *x, int *y) {
  for (int i = 0; i <= kSize; i++) for (int j = 0; j < i; j++) y[i - 1] += x[j];
})
SAME_TEXT(guarded, void guarded(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) if (i > 2) { int s = 0; for (int j = 4; j < i; j++) s += x[j]; y[i] = s; }
})
SAME_TEXT(fills, void fills(const int *x, int *y) {
  for (int i = 0; i < kSize; i++) {
    int t = 0;
    for (int k = 0; k < i; k++) { y[k] += x[i]; t += x[k]; }
    y[i] = y[i] + t;
  }
})
SAME_TEXT(symm, void symm(const float *x, const float *a, float *y) {
  for (int i = 0; i < kSize; i++)
    for (int j = 0; j < 3; j++) {
      float t = 0;
      for (int k = 0; k < i; k++) {
        y[k * 3 + j] += x[i * 3 + j] * a[i * kSize + k];
        t += x[k * 3 + j] * a[i * kSize + k];
      }
      y[i * 3 + j] = 0.5f * y[i * 3 + j] + x[i * 3 + j] * a[i * kSize + i] + t;
    }
})
// clang-format on

TEST(CEmptyLoops, WhatStartsBeforeThemIsStored) {
  expectSame(sumsText, "xy", sums);
  expectSame(sumsOfTheRestText, "xy", sumsOfTheRest);
  expectSame(sumsInPlaceText, "xy", sumsInPlace);
  expectSame(productsText, "xy", products);
  expectSame(leastText, "xy", least);
  expectSame(largestText, "xy", largest);
  expectSame(bothText, "xyz", both);
  expectSame(guardedText, "xy", guarded);
}

TEST(CEmptyLoops, AnArgumentThatWasReadBeforeStartsAgain) {
  expectSame(sumsOfReadText, "xyz", sumsOfRead);
}

TEST(CEmptyLoops, ElementsThatNothingStoresToStay) {
  expectSame(someText, "xy", some);
  expectSame(shiftedText, "xy", shifted);
}

TEST(CEmptyLoops, AScalarThatStartsBeforeALoopMayBeOneOfTwoThatItFills) {
  expectSame(fillsText, "xy", fills);
  expectSame(symmText, "xay", symm);
}

}  // namespace
}  // namespace pimento::frontend
