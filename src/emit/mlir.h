// A graph as an MLIR module (`compile --emit mlir`): text that mlir-opt 19 and our own importer read back.
//
// A kernel that linalg can say is one linalg.generic on memrefs, others (guards, sequential loops, parts of tensors,
// indices from data, selections, a minimum with its index) are affine loops around loads and stores. Rounds are affine
// loops around kernels, which carry the memrefs that exchange their names. Inputs and results are the function's
// arguments in the order of the graph's tensors, temporaries are memref.alloc. Each kernel's name and mapping stand on
// its op as the attributes `pimento.kernel` and `pimento.mapping`, the machine of the mappings on the function as
// `pimento.target`, and that an input is the same in every run on the argument as `pimento.constant`. Needs no LLVM.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"

namespace pimento::emit {

/// `mappings` has one text per kernel (empty: none) or is empty; so may `target` be. Of kernels in rounds only mappings
/// that fit every round are written. Diagnostics: no-mlir-form for what would not come back: selections by rows, with a
/// limit, in rounds or without a count, and an extreme with its index beside other stores. Unsigned elements are
/// written as signless ones with unsigned ops: they come back as signed elements with the same bits.
Result<std::string> toMlir(const kernel::Graph &graph, const std::vector<std::string> &mappings = {},
                           const std::string &target = {});

}  // namespace pimento::emit
