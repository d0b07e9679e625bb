// The passes of the plugin.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace pimento::mlirplugin {

/// pimento-annotate: every linalg op gets time, energy, and whether to offload it, where, how and why.
std::unique_ptr<mlir::Pass> makeAnnotatePass();
/// pimento-offload: ops that are to be offloaded become calls of functions of their own.
std::unique_ptr<mlir::Pass> makeOffloadPass();

}  // namespace pimento::mlirplugin
