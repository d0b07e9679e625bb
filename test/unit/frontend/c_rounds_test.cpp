// Loops whose iterations depend on each other, indices from data, and updates in place: as written.
#include <gtest/gtest.h>

#include "test/unit/frontend/same_text.h"

namespace pimento::frontend {
namespace {

// clang-format off
SAME_TEXT(elimination, void elimination(float *A, float *b) {
  for (int k = 0; k < kSize - 1; k++)
    for (int i = k + 1; i < kSize; i++) {
      float f = A[i * kSize + k] / A[k * kSize + k];
      for (int j = k; j < kSize; j++) A[i * kSize + j] -= f * A[k * kSize + j];
      b[i] -= f * b[k];
    }
})
SAME_TEXT(lu, void lu(float *A) {
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i * kSize + j] -= A[i * kSize + k] * A[k * kSize + j];
      A[i * kSize + j] /= A[j * kSize + j];
    }
    for (int j = i; j < kSize; j++)
      for (int k = 0; k < i; k++) A[i * kSize + j] -= A[i * kSize + k] * A[k * kSize + j];
  }
})
SAME_TEXT(triangularSolve, void triangularSolve(const float *A, const float *b, float *x) {
  for (int i = 0; i < kSize; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= A[i * kSize + j] * x[j];
    x[i] = x[i] / A[i * kSize + i];
  }
})
SAME_TEXT(durbin, void durbin(const double *r, double *y) {
  double z[7]; double alpha = -r[0], beta = 1.0, sum;
  y[0] = -r[0];
  for (int k = 1; k < kSize; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++) y[i] = z[i];
    y[k] = alpha;
  }
})
SAME_TEXT(seidel, void seidel(float *A) {
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < kSize - 1; i++)
      for (int j = 1; j < kSize - 1; j++)
        A[i * kSize + j] = (A[(i - 1) * kSize + j] + A[i * kSize + j - 1] + A[i * kSize + j] + A[i * kSize + j + 1] +
                            A[(i + 1) * kSize + j]) / 5.0f;
})
SAME_TEXT(rounds, void rounds(int *a, int *b) {
  for (int t = 0; t < 4; t++) {
    for (int i = 1; i < kSize - 1; i++) b[i] = a[i - 1] + a[i] + a[i + 1];
    for (int i = 1; i < kSize - 1; i++) a[i] = b[i - 1] - b[i + 1];
  }
})
SAME_TEXT(oddAndEven, void oddAndEven(int *x) {
  for (int i = 0; i < 6; i++) x[2 * i + 1] -= (x[2 * i] + x[2 * i + 2]) >> 1;
  for (int i = 1; i < 6; i++) x[2 * i] += (x[2 * i - 1] + x[2 * i + 1] + 2) >> 2;
})
SAME_TEXT(neighbours, void neighbours(int *a, int *b) {
  for (int i = 1; i < kSize - 1; i++) {
    a[i] = b[i - 1];
    for (int j = 0; j < 2; j++) b[i + j] += a[i];
  }
})
SAME_TEXT(lastOneCounts, void lastOneCounts(const int *x, int *y) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) y[i + j] = x[i];
})
SAME_TEXT(gathered, void gathered(const int *i, const float x[kSize], float *y) {
  for (int k = 0; k < kSize; k++) y[k] = x[i[k]] + x[k * k % kSize];
})
SAME_TEXT(guardedByAChoice, void guardedByAChoice(const int *i, const int x[3], int *y) {
  for (int k = 0; k < kSize; k++) {
    y[k] = i[k] >= 0 && i[k] < 3 ? x[i[k]] + 1 : -1;
    if (i[k] > 0 && i[k] <= 3) y[k] += x[i[k] - 1];
  }
})
SAME_TEXT(scattered, void scattered(const int *i, const float *x, float y[kSize]) {
  for (int k = 0; k < kSize; k++) y[i[k]] = x[k];
})
SAME_TEXT(rowsOfAnIndex, void rowsOfAnIndex(const int *i, const int (*x)[3], int (*y)[3]) {
  for (int k = 0; k < kSize; k++)
    for (int j = 0; j < 3; j++) y[k][j] = x[k][j];
  for (int k = 0; k < kSize; k++) y[k][i[k] & 1] += x[k][2];
})
SAME_TEXT(nearest, void nearest(const int *x, const int *c, int *y) {
  for (int p = 0; p < kSize; p++) {
    int best = 0, d = 1 << 30;
    for (int k = 0; k < 3; k++) {
      int e = (x[p] - c[k]) * (x[p] - c[k]);
      if (e < d) { d = e; best = k; }
    }
    y[p] = best;
  }
})
SAME_TEXT(lastOneCountsAmongRounds, void lastOneCountsAmongRounds(const float *a, float *t, float *y) {
  float s = 3.5f;
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) t[0] += a[j] * s;
    y[0] = a[i];
    s = t[0] < s ? t[0] : s * 0.5f + a[1];
  }
  y[1] += s;
})
SAME_TEXT(chained, void chained(const int *x, int *y, int *z) {
  int s = 3;
  for (int k = 0; k < kSize; k++) y[k] = (s += x[k]);
  for (int k = 0; k < kSize; k++) z[k] = y[k] -= 2;
})
SAME_TEXT(pointerChase, void pointerChase(const int n[kSize], int *y) {
  int at = 0;
  for (int k = 0; k < kSize; k++) { y[k] = at; at = n[at] & 3; }
})
SAME_TEXT(lastLarge, void lastLarge(const float *x, int *b) {
  for (int i = 0; i < kSize; i++) { b[i] = 0; for (int j = 1; j < kSize; j++) if (x[i * kSize + j] > 0.5f) b[i] = j; }
})
SAME_TEXT(largest, void largest(const float *x, float *m, int *b) {
  for (int i = 0; i < kSize; i++) {
    m[i] = x[i * kSize]; b[i] = 0;
    for (int j = 1; j < kSize; j++) if (x[i * kSize + j] > m[i]) { m[i] = x[i * kSize + j]; b[i] = j; }
  }
})
SAME_TEXT(corner, void corner(const long *x, long *y, long *z) {
  for (int i = 0; i < kSize; i++) for (int j = 0; j < kSize; j++) if (j + kSize - 1 <= i) y[i] += x[j];
  for (int i = 0; i < kSize; i++) for (int j = 0; j < kSize; j++) if (j + kSize - 1 <= i) z[i] = x[j];
})
// clang-format on

TEST(CRounds, DependentLoopsRunAsWritten) {
  expectSame(eliminationText, "Ab", elimination);
  expectSame(luText, "A", lu);
  expectSame(triangularSolveText, "Abx", triangularSolve);
  expectSame(durbinText, "ry", durbin);
  expectSame(seidelText, "A", seidel);
  expectSame(roundsText, "ab", rounds);
  expectSame(neighboursText, "ab", neighbours);
  expectSame(lastOneCountsText, "xy", lastOneCounts);
  expectSame(lastOneCountsAmongRoundsText, "aty", lastOneCountsAmongRounds);
}

TEST(CRounds, WhatAnIterationStoredUnderAConditionStays) {
  expectSame(lastLargeText, "xb", lastLarge);
  expectSame(largestText, "xmb", largest);
}

TEST(CRounds, ConditionsMayLeaveALoopOneIteration) {
  expectSame(cornerText, "xyz", corner);
}

TEST(CRounds, AnAssignmentIsTheValueThatWasStored) {
  expectSame(chainedText, "xyz", chained);
}

TEST(CRounds, UpdatesInPlace) {
  expectSame(oddAndEvenText, "x", oddAndEven);
}

TEST(CRounds, IndicesFromData) {
  expectSame(gatheredText, "ixy", gathered);
  expectSame(guardedByAChoiceText, "ixy", guardedByAChoice);
  expectSame(scatteredText, "ixy", scattered);
  expectSame(rowsOfAnIndexText, "ixy", rowsOfAnIndex);
  expectSame(nearestText, "xcy", nearest);
  expectSame(pointerChaseText, "ny", pointerChase);
}

TEST(CRounds, AStencilIsOneGraphWithOneBody) {
  const kernel::Graph g = importGoodC(roundsText);
  ASSERT_EQ(g.loops.size(), 1U);
  EXPECT_EQ(g.kernels.size(), 2U);
  EXPECT_EQ(g.loops[0].extent, 4);
}

TEST(CRounds, WhatIsParallelInARoundIsFound) {
  const kernel::Graph g = importGoodC(luText);
  EXPECT_EQ(g.loops.size(), 2U);
  EXPECT_EQ(g.kernels.back().dims[1].kind, kernel::DimKind::kParallel);
  const kernel::Graph lifted = importGoodC(oddAndEvenText);
  for (const kernel::Kernel &k : lifted.kernels) EXPECT_EQ(k.dims[0].kind, kernel::DimKind::kParallel);
}

}  // namespace
}  // namespace pimento::frontend
