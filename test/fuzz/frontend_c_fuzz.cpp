// Any bytes are read as a C file of kernels, after leading "--size NAME=N" lines. What is refused says why; what is
// accepted verifies, prints, and runs in the reference interpreter where it is small.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/frontend/frontend.h"
#include "test/support/imported_graph.h"

using namespace pimento;

/// Where Clang crashes, the importer survives and gives up what Clang held.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t count) {
  std::string_view text(reinterpret_cast<const char *>(bytes), count);
  const kernel::Sizes sizes = test::takeSizes(text);
  // Files of this machine are no part of what is tried.
  if (text.find("include") != std::string_view::npos || text.find("embed") != std::string_view::npos) return 0;
  const Result<frontend::CKernels> file = frontend::importC(text, "fuzz.c", {{}, sizes});
  if (file) {
    test::checkAccepted(file->graph, "index-out-of-range");  // data may decide of an index
    return 0;
  }
  PIMENTO_CHECK(!file.diagnostics().empty());
  for (const Diagnostic &d : file.diagnostics()) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
    PIMENTO_CHECK(d.code != "c-crash");
  }
  return 0;
}
