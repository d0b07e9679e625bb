// What mlir-opt calls when it loads the plugin.
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "passes.h"

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "pimento", PIMENTO_VERSION, [] {
            mlir::registerPass(pimento::mlirplugin::makeAnnotatePass);
            mlir::registerPass(pimento::mlirplugin::makeOffloadPass);
          }};
}
