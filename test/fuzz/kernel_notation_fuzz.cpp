// Index notation from any bytes: a graph or diagnostics, never a crash; what is accepted prints and, if small, runs.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  if (size == 0) return 0;
  const DType type = allDTypes()[data[0] % allDTypes().size()];
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  const kernel::Sizes sizes{{"i", 3}, {"j", 5}, {"n", 2}, {"x", 4}, {"y", 6}};
  const Result<kernel::Graph> graph = kernel::parseNotation(text, sizes, type);
  if (!graph) {
    const Diagnostic &d = graph.diagnostics().at(0);
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty());
    return 0;
  }
  PIMENTO_CHECK(kernel::verify(*graph).ok());
  PIMENTO_CHECK(!kernel::print(*graph).empty());
  std::int64_t work = 0;
  for (const kernel::Tensor &tensor : graph->tensors) work += tensor.elements();
  for (const kernel::Kernel &kernel : graph->kernels) work += kernel.points();
  if (work > 100000) return 0;
  kernel::DataSet contents = kernel::makeData(*graph, {});
  const Status ran = kernel::interpret(*graph, contents);
  PIMENTO_CHECK(ran.ok() || ran.diagnostics().front().code == "index-out-of-range");  // data may decide of an index
  return 0;
}
