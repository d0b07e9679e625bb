// Any bytes are read as ONNX; a model becomes a graph that verifies, whatever does not has a diagnostic with a place.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/frontend/model/import.h"
#include "pimento/frontend/onnx/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const auto expectDiagnostics = [](const Diagnostics &diagnostics) {
    for (const Diagnostic &d : diagnostics) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
  };
  const Result<frontend::model::Model> model = frontend::readOnnx(bytes, "fuzz");
  if (!model) {
    expectDiagnostics(model.diagnostics());
    return 0;
  }
  kernel::Sizes sizes;
  for (const frontend::model::Port &port : model->inputs)
    for (const frontend::model::Dimension &d : port.shape)
      if (!d.name.empty()) sizes[d.name] = 3;
  const Result<frontend::model::ImportedModel> imported = frontend::model::importModel(*model, sizes);
  if (imported)
    PIMENTO_CHECK(kernel::verify(imported->graph).ok());
  else
    expectDiagnostics(imported.diagnostics());
  return 0;
}
