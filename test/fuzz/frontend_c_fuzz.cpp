// Any bytes are read as a C file of kernels, after leading "--size NAME=N" lines. What is refused says why; what is
// accepted verifies, prints, and runs in the reference interpreter where it is small.
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
  const Status done = kernel::interpret(graph, data);  // data may decide of an index
  PIMENTO_CHECK(done.ok() || done.diagnostics().front().code == "index-out-of-range");
}

}  // namespace

/// Where Clang crashes, the importer survives and gives up what Clang held.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t count) {
  std::string_view text(reinterpret_cast<const char *>(bytes), count);
  const kernel::Sizes sizes = takeSizes(text);
  // Files of this machine are no part of what is tried.
  if (text.find("include") != std::string_view::npos || text.find("embed") != std::string_view::npos) return 0;
  const Result<frontend::CKernels> file = frontend::importC(text, "fuzz.c", {{}, sizes});
  if (file) {
    checkAccepted(file->graph);
    return 0;
  }
  PIMENTO_CHECK(!file.diagnostics().empty());
  for (const Diagnostic &d : file.diagnostics()) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
    PIMENTO_CHECK(d.code != "c-crash");
  }
  return 0;
}
