#include "pimento/driver/dpu_compiler.h"

#include <utility>

#include "pimento/backend_dpu/backend.h"
#include "pimento/frontend/dpu_c.h"

namespace pimento::driver {

namespace {

/// Then everything is forgotten and begins anew: a search that goes through many texts comes back to few of them.
constexpr std::size_t kMostBytes = 64U << 20;

std::string keyOf(const program::DpuSource &source) {
  std::string key = source.file;
  for (const std::string &a : source.arguments) key += '\0' + a;
  return key + '\0' + '\0' + source.text;
}

}  // namespace

std::shared_ptr<const DpuUnit> ClangDpuCompiler::kept(const std::string &key) {
  const std::lock_guard lock(mutex_);
  const auto at = units_.find(key);
  return at == units_.end() ? nullptr : at->second;
}

void ClangDpuCompiler::keep(std::string key, std::shared_ptr<const DpuUnit> unit) {
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = key.size() + unit->assembly.size();
  if (keptBytes_ + bytes > kMostBytes) {
    units_.clear();
    keptBytes_ = 0;
  }
  if (units_.try_emplace(std::move(key), std::move(unit)).second) keptBytes_ += bytes;
}

Result<std::shared_ptr<const DpuUnit>> ClangDpuCompiler::compileUnit(const program::DpuSource &source) {
  std::string key = keyOf(source);
  if (std::shared_ptr<const DpuUnit> unit = kept(key)) return unit;
  Result<frontend::DpuModule> module = frontend::readDpuC(source);
  if (!module) return std::move(module.diagnostics());
  backend_dpu::Options options;
  options.level = module->level;
  options.keepsLines = module->keepsLines;
  options.isLikeVendor = isLikeVendor_;
  Result<std::string> assembly = backend_dpu::compile(module->bytes, options);
  if (!assembly) {
    Diagnostics found = std::move(assembly.diagnostics());
    for (Diagnostic &d : found)
      if (d.where.file.empty()) d.where.file = source.file;
    for (Diagnostic &w : module->warnings) found.push_back(std::move(w));
    return found;
  }
  // Files that others may change are read again next time.
  const bool isAlone = module->dependencies.size() <= 1;
  std::shared_ptr<const DpuUnit> unit = std::make_shared<DpuUnit>(
      DpuUnit{std::move(*assembly), std::move(module->warnings), std::move(module->dependencies)});
  if (isAlone) keep(std::move(key), unit);
  return unit;
}

Result<std::string> ClangDpuCompiler::compile(const program::DpuSource &source) {
  const Result<std::shared_ptr<const DpuUnit>> unit = compileUnit(source);
  if (!unit) return unit.diagnostics();
  return (*unit)->assembly;
}

Result<std::string> ClangDpuCompiler::optimised(const program::DpuSource &source) {
  const Result<frontend::DpuModule> module = frontend::readDpuC(source);
  if (!module) return module.diagnostics();
  return backend_dpu::optimise(module->bytes, {module->level, module->keepsLines});
}

std::unique_ptr<ClangDpuCompiler> makeDpuCompiler(bool isLikeVendor) {
  return frontend::hasDpuC() ? std::make_unique<ClangDpuCompiler>(isLikeVendor) : nullptr;
}

Diagnostics dpuCompilerAbsent(const std::string &file) {
  Result<frontend::DpuModule> answer = frontend::readDpuC({file, "", {}});
  return answer ? Diagnostics{} : std::move(answer.diagnostics());
}

}  // namespace pimento::driver
