// Random C kernels (random_c_kernels.py) through MLIR: C -> graph -> MLIR text -> graph computes the same bits.
#include <gtest/gtest.h>

#include <map>

#include "pimento/emit/mlir.h"
#include "pimento/frontend/frontend.h"
#include "test/support/random_c_kernels.h"
#include "test/support/same_results.h"

namespace pimento::frontend {
namespace {

/// What the graph is as MLIR reads back as the same function. The code of what MLIR cannot say; empty if it can.
std::string goesThroughMlir(const kernel::Graph &graph) {
  const Result<std::string> text = emit::toMlir(graph);
  if (!text) {
    EXPECT_EQ(text.diagnostics().front().kind, DiagnosticKind::kUnsupported) << text.diagnostics().front().str();
    return text.diagnostics().front().code;
  }
  const Result<kernel::Graph> back = importMlir(*text, "k.mlir", {});
  if (!back) {
    ADD_FAILURE() << back.diagnostics().front().str() << "\n" << kernel::print(graph) << *text;
    return {};
  }
  test::expectSameResults(graph, *back, *text);
  return {};
}

TEST(CRandom, KernelsComeBackFromMlir) {
  int read = 0, said = 0;
  std::map<std::string, int> codes;
  for (const test::RandomCKernel *k = test::randomCKernels(); k->text != nullptr; ++k) {
    SCOPED_TRACE(testing::Message() << k->text);
    const Result<CKernels> file = importC(k->text, "k.c", {});
    if (!file) continue;
    ++read;
    const std::string unsaid = goesThroughMlir(file->graph);
    if (unsaid.empty()) {
      ++said;
    } else {
      ++codes[unsaid];
    }
    if (HasFailure()) return;
  }
  std::printf("  %d kernels, of which %d come back\n", read, said);
  for (const auto &[code, n] : codes) std::printf("  refused as %s: %d\n", code.c_str(), n);
  EXPECT_GE(said, read * 4 / 5);
}

}  // namespace
}  // namespace pimento::frontend
