// Loops whose bounds data say: sparse matrices, graphs, ragged rows.
#include <gtest/gtest.h>

#include "test/unit/frontend/same_text.h"

namespace pimento::frontend {
namespace {

// clang-format off
SAME_TEXT(spmv, void spmv(const int p[8], const int c[40], const float v[40], const float x[9], float *y) {
  for (int i = 0; i < kSize; i++) {
    float s = 0;
    for (int e = p[i]; e < p[i + 1]; e++) s += v[e] * x[c[e]];
    y[i] = s;
  }
})
SAME_TEXT(throughLocals, void throughLocals(const int p[8], const int v[40], int *y) {
  for (int i = 0; i < kSize; i++) {
    int s = p[i], t = p[i + 1];
    for (int e = s; e != t; ++e) y[i] += v[e] * e;
  }
})
SAME_TEXT(endIncluded, void endIncluded(const long long p[8], const int v[40], int *y) {
  for (int i = 0; i < kSize; i++)
    for (long long e = p[i] + 1; e <= p[i + 1] - 1; e++) y[i] += v[e];
})
SAME_TEXT(lengths, void lengths(const short n[kSize], const int A[kSize][5], int *y) {
  for (int i = 0; i < kSize; i++)
    for (int k = 0; k < n[i]; k++) y[i] = y[i] * 3 + A[i][k];
})
SAME_TEXT(everyOther, void everyOther(const int n[kSize], const int x[23], int *y) {
  for (int i = 0; i < kSize; i++)
    for (int k = i + 1; n[i] >= k; k += 2) y[i] += x[k];
})
SAME_TEXT(rest, void rest(const int n[kSize], const int x[23], int *y) {
  for (int i = 0; i < kSize; i++)
    for (int k = n[i]; k < 23; k++) y[i] += x[k];
})
SAME_TEXT(bothEnds, void bothEnds(const int p[8], const int v[40], int *y) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1] && e < 31 - i; e++) y[i] += v[e];
})
SAME_TEXT(whileLoop, void whileLoop(const int p[8], const int v[40], int *y) {
  for (int i = 0; i < kSize; i++) {
    int e = p[i];
    while (e < p[i + 1]) { y[i] ^= v[e]; e++; }
  }
})
SAME_TEXT(spmm, void spmm(const int p[8], const int c[40], const float v[40], const float B[9][3], float C[kSize][3]) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1]; e++)
      for (int j = 0; j < 3; j++) C[i][j] += v[e] * B[c[e]][j];
})
SAME_TEXT(sddmm, void sddmm(const int p[8], const int c[40], const float A[kSize][3], const float B[9][3], float y[40]) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1]; e++) {
      float s = 0;
      for (int k = 0; k < 3; k++) s += A[i][k] * B[c[e]][k];
      y[e] = s;
    }
})
SAME_TEXT(transposed, void transposed(const int p[8], const int c[40], const int v[40], const int x[kSize], int y[9]) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1]; e++) y[c[e]] += v[e] * x[i];
})
SAME_TEXT(scaled, void scaled(const int p[8], float v[40], const float *x) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1]; e++) v[e] *= x[i];
})
SAME_TEXT(blocks, void blocks(const int p[8], const int c[20], const float v[80], const float x[9][2], float y[kSize][2]) {
  for (int i = 0; i < kSize; i++)
    for (int b = p[i]; b < p[i + 1]; b++)
      for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++) y[i][r] += v[4 * b + 2 * r + s] * x[c[b]][s];
})
SAME_TEXT(level, void level(const int p[8], const int c[40], const int d[9], int *n) {
  for (int v = 0; v < kSize; v++)
    for (int e = p[v]; e < p[v + 1]; e++)
      if (d[c[e]] % 3 == 1) n[v] = 1;
})
SAME_TEXT(frontier, void frontier(const int f[5], const int p[8], const int w[40], int *y) {
  for (int i = 0; i < 5; i++) {
    int u = f[i];
    for (int e = p[u]; e < p[u + 1]; e++) y[i] += w[e];
  }
})
SAME_TEXT(product, void product(const int p[8], const int c[20], const int v[20], const int q[10], const int d[20],
                                const int w[20], int C[kSize][9]) {
  for (int i = 0; i < kSize; i++)
    for (int e = p[i]; e < p[i + 1]; e++)
      for (int f = q[c[e]]; f < q[c[e] + 1]; f++) C[i][d[f]] += v[e] * w[f];
})
SAME_TEXT(packed, void packed(const int n[kSize], const int x[42], int *y) {
  int at = 0;
  for (int i = 0; i < kSize; i++) {
    for (int k = at; k < at + (n[i] & 3); k++) y[i] += x[k];
    at += n[i] & 3;
  }
})
SAME_TEXT(gaussSeidel, void gaussSeidel(const int p[8], const int c[40], const float v[40], const float *b, float x[kSize]) {
  for (int i = 0; i < kSize; i++) {
    float s = b[i];
    for (int e = p[i]; e < p[i + 1]; e++) s -= v[e] * x[c[e]];
    x[i] = s;
  }
})
SAME_TEXT(inRounds, void inRounds(const int p[8], const int c[40], const float v[40], float x[kSize], float *y) {
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < kSize; i++) {
      float s = 0;
      for (int e = p[i]; e < p[i + 1]; e++) s += v[e] * x[c[e]];
      y[i] = s;
    }
    for (int i = 0; i < kSize; i++) x[i] = x[i] * 0.5f + y[i];
  }
})
// clang-format on

TEST(CDataBounds, RowsOfSparseMatrices) {
  expectSame(spmvText, "pcvxy", spmv);
  expectSame(spmmText, "pcvBC", spmm);
  expectSame(sddmmText, "pcABy", sddmm);
  expectSame(transposedText, "pcvxy", transposed);
  expectSame(scaledText, "pvx", scaled);
  expectSame(blocksText, "pcvxy", blocks);
  expectSame(productText, "pcvqdwC", product);
}

TEST(CDataBounds, GraphsAndTheirFrontiers) {
  expectSame(levelText, "pcdn", level);
  expectSame(frontierText, "fpwy", frontier);
}

TEST(CDataBounds, LoopsAsPeopleWriteThem) {
  expectSame(throughLocalsText, "pvy", throughLocals);
  expectSame(endIncludedText, "pvy", endIncluded);
  expectSame(lengthsText, "nAy", lengths);
  expectSame(everyOtherText, "nxy", everyOther);
  expectSame(restText, "nxy", rest);
  expectSame(bothEndsText, "pvy", bothEnds);
  expectSame(whileLoopText, "pvy", whileLoop);
  expectSame(packedText, "nxy", packed);
}

TEST(CDataBounds, InOrderAndInRounds) {
  expectSame(gaussSeidelText, "pcvbx", gaussSeidel);
  expectSame(inRoundsText, "pcvxy", inRounds);
}

TEST(CDataBounds, OneKernelVisitsTheRowsAlone) {
  const kernel::Graph graph = importGoodC(spmvText);
  const auto bounded =
      std::find_if(graph.kernels.begin(), graph.kernels.end(), [](auto &k) { return !k.bounds.empty(); });
  ASSERT_NE(bounded, graph.kernels.end());
  EXPECT_EQ(bounded->dims[1].extent, 40);
  EXPECT_EQ(bounded->dims[1].kind, kernel::DimKind::kReduction);
  EXPECT_TRUE(bounded->guards.empty());
}

}  // namespace
}  // namespace pimento::frontend
