// What fuzz targets of models expect of any: it becomes a graph that verifies, or has diagnostics.
#pragma once

#include "pimento/frontend/model/import.h"

namespace pimento::test {

inline void expectDiagnostics(const Diagnostics &diagnostics) {
  for (const Diagnostic &d : diagnostics) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
}

/// Dimensions that are names have three elements.
inline void expectImported(const Result<frontend::model::Model> &model) {
  if (!model) return expectDiagnostics(model.diagnostics());
  kernel::Sizes sizes;
  for (const frontend::model::Port &port : model->inputs)
    for (const frontend::model::Dimension &d : port.shape)
      if (!d.name.empty()) sizes[d.name] = 3;
  const Result<frontend::model::ImportedModel> imported = frontend::model::importModel(*model, sizes);
  if (!imported) return expectDiagnostics(imported.diagnostics());
  PIMENTO_CHECK(kernel::verify(imported->graph).ok());
}

}  // namespace pimento::test
