// Any bytes are read as an MLIR file, after leading "--size NAME=N" lines. What is refused says why and what to do;
// what is accepted verifies, prints, and runs in the reference interpreter where it is small.
//
// MLIR's own parser is part of what is tried: texts it cannot take safely must be refused before it sees them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/frontend/frontend.h"
#include "test/support/imported_graph.h"

using namespace pimento;

/// Where MLIR's parser crashes, the importer survives and gives up what the parser held.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t count) {
  std::string_view text(reinterpret_cast<const char *>(bytes), count);
  const kernel::Sizes sizes = test::takeSizes(text);
  const Result<kernel::Graph> graph = frontend::importMlir(text, "fuzz.mlir", {{}, sizes});
  if (graph) {
    test::checkAccepted(*graph);
    return 0;
  }
  PIMENTO_CHECK(!graph.diagnostics().empty());
  for (const Diagnostic &d : graph.diagnostics()) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && !d.where.file.empty());
  }
  return 0;
}
