// Programs that arrays cannot run, or only in part: what stays a stream says so, where and why.
#include <gtest/gtest.h>

#include "pimento/frontend/frontend.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {
namespace {

struct Case {
  const char *parameters;
  const char *body;
  const char *why;  ///< a part of a reason, or of a diagnostic
};

constexpr Case kCases[] = {
    // No graph at all.
    {"int n, const float a[restrict n], float b[restrict n]",
     "for (int i = 0; i < n; i++) b[i] = __builtin_expf(a[i]);", "'exp', which arrays do not compute"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = expf(a[i]);",
     "'exp', which arrays do not compute"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = sqrtf(a[i]);",
     "'sqrt', which arrays do not compute"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = logf(a[i]) + 1;",
     "'log', which arrays do not compute"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = tanhf(a[i]);",
     "'tanh', which arrays do not compute"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = fmodf(a[i], 3);",
     "a floating-point remainder"},
    {"int n, const int x[restrict n], int h[restrict 64]", "for (int i = 0; i < n; i++) h[x[i]] += 1;",
     "where a value goes comes from data"},
    {"int n, const int x[restrict n], const float a[restrict n], float y[restrict n]",
     "for (int i = 0; i < n; i++) y[x[i]] = a[i];", "where a value goes comes from data"},
    {"int n, float a[restrict n]", "for (int i = 1; i < n; i++) a[i] += a[i - 1];",
     "carries values from one point to the next"},
    {"int n, float a[restrict n], const float b[restrict n]", "for (int i = 1; i < n; i++) a[i] = a[i - 1] * b[i];",
     "carries values from one point to the next"},
    {"int n, const int x[restrict n], int y[restrict n]",
     "int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) y[k++] = x[i];", "elements are kept by a condition on data"},
    {"int n, int e, const int row[restrict n + 1], const float v[restrict e], float y[restrict n]",
     "for (int i = 0; i < n; i++) { y[i] = 0; for (int k = row[i]; k < row[i + 1]; k++) y[i] += v[k]; }",
     "runs as far as data say"},
    {"float a[restrict 4]", "a[2] = a[1] + 1;", "a single element"},
    {"const float a[restrict 60], float b[restrict 6]",
     "for (int i = 0; i < 6; i++) for (int j = 0; j < 10; j++) b[i] += a[i * 10 + j];", "graph"},
    // A graph with streams.
    {"int n, int m, const float a[restrict n][m], float b[restrict m][n]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j] + 1;", "it lies across the lattice"},
    {"int n, int m, const float a[restrict n][m], const float b[restrict n], float c[restrict n][m]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i][j] = a[i][j] * b[i];", "it lies across the lattice"},
    {"int n, int m, const float a[restrict n][m], float s[restrict n]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[i] += a[i][j];", "it lies across the lattice"},
    {"int n, const int x[restrict n], const float t[restrict 64], float y[restrict n]",
     "for (int i = 0; i < n; i++) y[i] = t[x[i]];", "an index comes from data"},
    {"int n, int m, const int x[restrict n], const float t[restrict 64][m], float y[restrict n][m]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i][j] = t[x[i]][j];", "an index comes from data"},
    {"int n, const float a[restrict 2 * n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = a[2 * i];",
     "its steps are not those of the lattice"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];",
     "its steps are not those of the lattice"},
    {"int n, const float a[restrict n][n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = a[i][i] * 2;",
     "it lies across the lattice"},
    {"int n, const float a[restrict 4 * n], float b[restrict n]",
     "for (int i = 0; i < n; i++) b[i] = a[4 * i + 3] * 2;", "its steps are not those of the lattice"},
    {"int n, int b[restrict n]", "for (int i = 0; i < n; i++) b[i] = i;", "a loop's value"},
    {"int n, int b[restrict n][n]", "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = 3 * i + j;",
     "a loop's value"},
    {"int n, float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = 1;", "a literal where a tensor is needed"},
    {"int n, const float a[restrict n], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = a[0];",
     "one value where a tensor is needed"},
    {"const float a[restrict 4][4][4][4], float b[restrict 4][4][4]",
     "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) b[i][j][k] = a[i][j][k][k] + "
     "1;",
     "more than three dims"},
    {"const float a[restrict 4][4][4][4], float b[restrict 4][4][4][4]",
     "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) for (int l = 0; l < 4; l++) "
     "b[i][j][k][l] = a[i][j][k][l] + 1;",
     "no array lies along the loops"},
    {"int n, const float a[restrict n], const float w[restrict 3], float b[restrict n][3]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) b[i][j] = a[i] * w[j];", "it lies across the lattice"},
    {"int n, int m, const float a[restrict n + m], float b[restrict n][m]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i][j] = a[i + j];", "an index moves with two loops"},
    {"int n, const float a[restrict n], const int k[restrict n], float b[restrict n]",
     "for (int i = 0; i < n; i++) b[i] += a[k[i]];", "an index comes from data"},
    {"int n, int m, const float a[restrict n][m], float s[restrict m][n]",
     "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[j][i] += a[i][j];", "it lies across the lattice"},
    {"int n, const double a[restrict n], double b[restrict n]", "for (int i = 0; i < n; i++) b[i] = sqrt(a[i]);",
     "'sqrt'"},
    {"int n, int m, const float a[restrict n * m], float b[restrict n * m]",
     "for (int i = 0; i < n * m; i++) b[i] = a[i];", "no sum of its sizes"},
    {"int n, int m, const float a[restrict n * m], float b[restrict n]", "for (int i = 0; i < n; i++) b[i] = a[i * m];",
     "tdfg-sizes"},
    {"int n, float a[restrict n]", "for (int i = 0; i < n; i++) a[i] *= 1.0f / n;", "tdfg-sizes"},
    {"int n, const float a[restrict n], float b[restrict 1]",
     "b[0] = 3e38f; for (int i = 0; i < n; i++) if (a[i] < b[0]) b[0] = a[i];", "what a sum starts from"},
    {"int n, const float a[restrict n], float b[restrict 1], int at[restrict 1]",
     "b[0] = 3e38f; for (int i = 0; i < n; i++) if (a[i] < b[0]) { b[0] = a[i]; at[0] = i; }",
     "no loop moves along a dim of an array alone"},
    {"int n, float a[restrict n][n]",
     "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] += a[i - 1][j - 1];", "graph"},
};

std::string reasonsOf(const Case &c) {
  const std::string text = std::string("#include <math.h>\nvoid f(") + c.parameters + ") {\n" + c.body + "\n}\n";
  const auto read = frontend::CFile::read(text, "f.c");
  if (!read) return read.diagnostics().front().str();
  const auto sizes = read->sizes();
  if (!sizes) return sizes.diagnostics().front().str();
  auto program = fitStreams(*sizes, [&](const kernel::Sizes &at) {
    auto bound = read->bind(at);
    return bound ? Result<kernel::Graph>(std::move(bound->graph)) : Result<kernel::Graph>(bound.diagnostics());
  });
  if (!program) return program.diagnostics().front().str();
  extract(*program);
  EXPECT_TRUE(verify(*program).ok());
  std::string reasons;
  for (const Region &region : program->regions) {
    EXPECT_EQ(region.source.substr(0, 4), "f.c:") << region.source;
    EXPECT_EQ(region.reason.empty(), !region.nodes.empty());
    reasons += region.reason + "\n";
    for (const Node &node : region.nodes) reasons += node.reason + "\n";
    for (const Output &output : region.outputs) reasons += output.reason + "\n";
    if (!region.nodes.empty()) reasons += "graph\n";
  }
  return reasons;
}

TEST(TdfgOffload, WhatStaysAStreamSaysWhy) {
  for (const Case &c : kCases) EXPECT_NE(reasonsOf(c).find(c.why), std::string::npos) << c.body << "\n" << reasonsOf(c);
}

}  // namespace
}  // namespace pimento::tdfg
