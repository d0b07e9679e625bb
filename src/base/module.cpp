#include "pimento/base/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "pimento/base/own_file.h"

namespace pimento {

namespace fs = std::filesystem;

namespace {

/// What a user can do about a module that is not there, or not ours.
constexpr const char *kHint =
    "install Pimento again as a whole: the module belongs in lib/pimento beside the tool's bin, and needs the Debian "
    "packages libllvm19, libclang-cpp19 and libmlir-19; index notation, the zoo and assembly for DPUs need none of "
    "them";

/// Loaded once and kept until the process ends.
struct Module {
  std::string file = libraryFile("PimentoLlvm.so");
  // Local: what the module brings along must not answer for symbols of a program that loads us.
  void *handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  std::string problem = handle == nullptr ? dlerror() : "";
};

const Module &module() {
  static const Module loaded;
  return loaded;
}

}  // namespace

std::string libraryFile(const std::string &name) {
  const fs::path file = fs::path("pimento") / name;
  const fs::path folder = ownFile().parent_path();
  std::error_code ignored;
  if (fs::exists(folder / file, ignored)) return (folder / file).string();
  return (folder.parent_path() / PIMENTO_LIBRARY_FOLDER / file).string();
}

Result<const void *> askModule(const char *entry) {
  static const ModuleHost host{PIMENTO_VERSION, &internalError};
  const Module &llvm = module();
  if (llvm.handle == nullptr)
    return unsupported("llvm-module", {}, "what needs LLVM cannot be loaded: " + llvm.problem, kHint);
  const auto function = reinterpret_cast<ModuleEntry>(dlsym(llvm.handle, entry));
  const void *const functions = function == nullptr ? nullptr : function(host);
  if (functions == nullptr)
    return unsupported("llvm-module", {},
                       "what needs LLVM cannot be used: " + llvm.file + " is not of Pimento " + host.version, kHint);
  return functions;
}

}  // namespace pimento
