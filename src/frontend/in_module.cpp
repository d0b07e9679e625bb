// The room as all others link it: LLVM is loaded at the first call of what needs it.
#include <string>
#include <utility>

#include "pimento/base/module.h"
#include "pimento/frontend/functions.h"

namespace pimento::frontend {

namespace {

/// What `call` makes of the module's functions, or why there are none, said of `file`.
template <typename Call>
auto ask(std::string_view file, Call &&call) -> decltype(call(std::declval<const Functions &>())) {
  Result<const Functions *> functions = moduleFunctions<Functions>(kModuleEntry);
  if (functions) return call(**functions);
  for (Diagnostic &d : functions.diagnostics()) d.where.file = file;
  return std::move(functions.diagnostics());
}

}  // namespace

bool hasMlir() {
  return true;
}

bool hasKernelC() {
  return true;
}

bool hasDpuC() {
  return true;
}

Result<kernel::Graph> importMlir(std::string_view text, std::string_view file, const MlirOptions &options) {
  return ask(file, [&](const Functions &f) { return f.importMlir(text, file, options); });
}

Result<Imported> importMlirFile(std::string_view text, std::string_view file, const MlirOptions &options) {
  return ask(file, [&](const Functions &f) { return f.importMlirFile(text, file, options); });
}

Result<MlirFile> MlirFile::read(std::string_view text, std::string_view file, const std::string &function) {
  return ask(file, [&](const Functions &f) { return f.readMlirFile(text, file, function); });
}

Result<Imported> MlirFile::bind(const kernel::Sizes &sizes) const {
  return ask({}, [&](const Functions &f) { return (this->*f.bindMlirFile)(sizes); });
}

Result<CKernels> importC(std::string_view text, std::string_view file, const CKernelOptions &options) {
  return ask(file, [&](const Functions &f) { return f.importC(text, file, options); });
}

Result<CFile> CFile::read(std::string_view text, std::string_view file, const std::string &function,
                          const CPreprocessing &preprocessing) {
  return ask(file, [&](const Functions &f) { return f.readCFile(text, file, function, preprocessing); });
}

Result<CKernels> CFile::bind(const kernel::Sizes &sizes) const {
  return ask({}, [&](const Functions &f) { return (this->*f.bindCFile)(sizes); });
}

Result<std::vector<std::string>> CFile::sizes() const {
  return ask({}, [&](const Functions &f) { return (this->*f.sizesOfCFile)(); });
}

Result<DpuModule> readDpuC(const program::DpuSource &source, DpuOutput output) {
  return ask(source.file, [&](const Functions &f) { return f.readDpuC(source, output); });
}

Result<std::string> compileHostC(const std::string &text, HostOutput output) {
  return ask({}, [&](const Functions &f) { return f.compileHostC(text, output); });
}

Result<NativeAnswer> runC(std::string_view text, std::string_view file, const CKernelOptions &options,
                          const kernel::Graph &graph, const kernel::DataSet &data, const NativeLimits &limits) {
  return ask(file, [&](const Functions &f) { return f.runC(text, file, options, graph, data, limits); });
}

Result<NativeAnswer> runMlir(std::string_view text, std::string_view file, const MlirOptions &options,
                             const kernel::Graph &graph, const TensorsOfFunction &tensors, const kernel::DataSet &data,
                             const NativeLimits &limits) {
  return ask(file, [&](const Functions &f) { return f.runMlir(text, file, options, graph, tensors, data, limits); });
}

Result<std::vector<trace::Instruction>> decodeInstructions(trace::Isa isa, std::span<const EncodedInstruction> code) {
  return ask({}, [&](const Functions &f) { return f.decodeInstructions(isa, code); });
}

Result<Symbols> readSymbols(std::string_view program, const std::string &file,
                            std::span<const std::uint64_t> addresses) {
  return ask(file, [&](const Functions &f) { return f.readSymbols(program, file, addresses); });
}

}  // namespace pimento::frontend
