// C for DPUs to assembly: Clang (room `frontend`) and the back end (room `backend_dpu`) as one compiler.
//
// What it made it keeps while it lives, so that the same text is compiled once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::driver {

/// One compiled file.
struct DpuUnit {
  std::string assembly;
  Diagnostics warnings;
  std::vector<std::string> dependencies;  ///< files it was made of; headers that are part of Pimento left out
};

/// May be used by several threads at once.
class ClangDpuCompiler final : public program::DpuCompiler {
 public:
  explicit ClangDpuCompiler(bool isLikeVendor = false) : isLikeVendor_(isLikeVendor) {}

  Result<std::string> compile(const program::DpuSource &source) override;
  Result<std::string> optimised(const program::DpuSource &source) override;

  /// compile(), with what else there is to know. Diagnostics: those of frontend::readDpuC and backend_dpu::compile.
  Result<std::shared_ptr<const DpuUnit>> compileUnit(const program::DpuSource &source);

 private:
  std::shared_ptr<const DpuUnit> kept(const std::string &key);
  void keep(std::string key, std::shared_ptr<const DpuUnit> unit);

  const bool isLikeVendor_;  ///< backend_dpu::Options
  std::mutex mutex_;         ///< of what follows
  std::map<std::string, std::shared_ptr<const DpuUnit>> units_;
  std::size_t keptBytes_ = 0;
};

/// Null where Pimento was built without LLVM.
std::unique_ptr<ClangDpuCompiler> makeDpuCompiler(bool isLikeVendor = false);

/// The error that says which packages a build without LLVM lacks.
Diagnostics dpuCompilerAbsent(const std::string &file);

}  // namespace pimento::driver
