// Any bytes are read as an MLIR file, after leading "--size NAME=N" lines. What is refused says why and what to do;
// what is accepted verifies, prints, and runs in the reference interpreter where it is small.
//
// MLIR's own parser is part of what is tried: texts it cannot take safely must be refused before it sees them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pimento/frontend/frontend.h"
#include "pimento/kernel/interpreter.h"

namespace {

using namespace pimento;

/// Cuts "--size NAME=N" lines off the front of `text`.
kernel::Sizes takeSizes(std::string_view &text) {
  constexpr std::string_view kOption = "--size ";
  kernel::Sizes sizes;
  while (text.substr(0, kOption.size()) == kOption) {
    const std::string line(text.substr(kOption.size(), text.find('\n') - kOption.size()));
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos)
      sizes[line.substr(0, equals)] = std::strtoll(line.c_str() + equals + 1, nullptr, 10);
    text.remove_prefix(std::min(text.size(), kOption.size() + line.size() + 1));
  }
  return sizes;
}

void checkAccepted(const kernel::Graph &graph) {
  PIMENTO_CHECK(kernel::verify(graph).ok());
  PIMENTO_CHECK(!kernel::print(graph).empty());
  std::int64_t work = 0;
  for (const kernel::Tensor &t : graph.tensors) work = std::max(work, t.elements());
  for (const kernel::Kernel &k : graph.kernels) work = std::max(work, k.points());
  if (work > 4096) return;
  kernel::DataSet data = kernel::makeData(graph, {});
  PIMENTO_CHECK(kernel::interpret(graph, data).ok());
}

}  // namespace

/// Where MLIR's parser crashes, the importer survives and gives up what the parser held.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t count) {
  std::string_view text(reinterpret_cast<const char *>(bytes), count);
  const kernel::Sizes sizes = takeSizes(text);
  const Result<kernel::Graph> graph = frontend::importMlir(text, "fuzz.mlir", {{}, sizes});
  if (graph) {
    checkAccepted(*graph);
    return 0;
  }
  PIMENTO_CHECK(!graph.diagnostics().empty());
  for (const Diagnostic &d : graph.diagnostics()) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && !d.where.file.empty());
  }
  return 0;
}
