// A model as a Graph: operator after operator, each as one kernel or a few.
//
// Constants stay constants, with their contents. What only looks at elements in another order (transposes, slices,
// most reshapes) is no kernel: whoever reads them walks the tensor differently. What is known from shapes and small
// constants alone is computed while importing, by the interpreter. An operator that no kernel computes stays on the
// host, if the shapes of what it makes are known: its inputs are results of the graph, and what it makes are inputs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pimento/frontend/model/model.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend::model {

struct ImportedModel {
  kernel::Graph graph;
  std::map<int, std::vector<std::byte>> contents;  ///< of constants, by tensor of the graph
  Diagnostics warnings;                            ///< model-host: operators that stay on the host
};

/// `sizes`: of the dimensions that are names. Diagnostics: model-size (a name without a number, or a number without a
/// name), model-operator (one that is not known), model-attribute, model-shape, model-value (an input that nothing
/// makes), model-type, model-reshape, and those of kernel::verify.
Result<ImportedModel> importModel(const Model &model, const kernel::Sizes &sizes);

/// The operators that are known, sorted.
std::vector<std::string> knownOperators();

}  // namespace pimento::frontend::model
