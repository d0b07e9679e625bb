#include "pimento/dpu/load.h"

#include <map>
#include <set>
#include <sstream>

#include "pimento/base/text.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/runtime.h"
#include "pimento/dpu/runtime_c.h"

namespace pimento::dpu {

Result<program::Code> loadProgram(std::string_view contents, std::string_view file, const LinkOptions &options) {
  const ElfKind kind = elfKind(contents);
  if (kind == ElfKind::kExecutable) return readExecutable(contents, file, options.tasklets);
  Result<Object> object = kind == ElfKind::kRelocatable ? readObject(contents, file) : assemble(contents, file);
  if (!object) return std::move(object.diagnostics());
  std::vector<Object> objects;
  objects.push_back(std::move(*object));
  return link(std::move(objects), options, &runtimeLibrary());
}

namespace {

/// Where lines of assembly come from, by .file and .loc.
class SourceLines {
 public:
  SourceLines(std::string_view text, std::string_view file) : lines_(split(text, '\n')), file_(file) {}

  Location of(int line) const {
    std::map<std::string, std::string, std::less<>> names;
    Location where{file_, 0, 0};
    for (std::size_t i = 0; i < lines_.size() && i < static_cast<std::size_t>(line); ++i) {
      std::istringstream words{std::string(lines_[i])};
      std::string directive, number, value;
      if (!(words >> directive >> number)) continue;
      if (directive == ".file") {
        names[number] = nameIn(lines_[i]);
      } else if (directive == ".loc" && words >> value) {
        const auto name = names.find(number);
        where = {name == names.end() ? file_ : name->second, static_cast<int>(parseInteger(value).value_or(0)), 0};
      }
    }
    return where;
  }
  std::string text(int line) const {
    const auto n = static_cast<std::size_t>(line);
    return n >= 1 && n <= lines_.size() ? std::string(trim(lines_[n - 1])) : std::string();
  }

 private:
  /// The path of `.file N "FOLDER" "NAME"`.
  static std::string nameIn(std::string_view line) {
    const std::vector<std::string_view> parts = split(line, '"');
    if (parts.size() < 3) return {};
    std::string path(parts[1]);
    if (parts.size() < 5) return path;
    return path == "." || parts[3].starts_with('/') ? std::string(parts[3]) : path + "/" + std::string(parts[3]);
  }

  std::vector<std::string_view> lines_;
  std::string file_;
};

}  // namespace

Result<Object> assembleCompiled(std::string_view text, std::string_view file) {
  Result<Object> object = assemble(text, file);
  if (!object) {
    const SourceLines source(text, file);
    for (Diagnostic &d : object.diagnostics()) {
      if (d.where.line < 1) continue;
      const std::string line = source.text(d.where.line);
      d.where = source.of(d.where.line);
      d.hint = "in '" + line + "': " + d.hint;
    }
    return object;
  }
  // The linker then goes by the lines of C, which sections of code have.
  for (Section &section : object->sections)
    for (Relocation &relocation : section.relocations) relocation.line = 0;
  return object;
}

Result<std::vector<Object>> withCLibrary(std::vector<Object> objects, program::DpuCompiler *compiler,
                                         const std::vector<Object> &library, const LinkOptions &options) {
  std::set<const CRuntimeFile *> compiled;
  for (bool isGrowing = compiler != nullptr; isGrowing;) {
    isGrowing = false;
    for (const CRuntimeFile *file : cRuntimeFilesFor(missingSymbols(objects, &library, options))) {
      if (!compiled.insert(file).second) continue;
      const std::string name = "runtime/" + file->name;
      const Result<std::string> text = compiler->compile({name, file->text, cRuntimeArguments(*file)});
      if (!text) return text.diagnostics();
      Result<Object> object = assembleCompiled(*text, name);
      if (!object) return std::move(object.diagnostics());
      makeWeak(*object);
      objects.push_back(std::move(*object));
      isGrowing = true;
    }
  }
  return objects;
}

Result<program::Code> linkWithLibrary(std::vector<Object> objects, std::vector<Object> archives,
                                      const LinkOptions &options, program::DpuCompiler *compiler) {
  std::vector<Object> joined;
  if (!archives.empty()) {
    joined = std::move(archives);
    joined.insert(joined.end(), runtimeLibrary().begin(), runtimeLibrary().end());
  }
  const std::vector<Object> &library = joined.empty() ? runtimeLibrary() : joined;
  Result<std::vector<Object>> all = withCLibrary(std::move(objects), compiler, library, options);
  if (!all) return std::move(all.diagnostics());
  return link(std::move(*all), options, &library);
}

std::string_view compilerOf(const program::Code &code) {
  const auto *mark = code.symbolNamed(kCompiledHere);
  if (mark == nullptr) return {};
  return mark->address == 0 ? "pimento upmem-cc" : "pimento upmem-cc --like=vendor";
}

}  // namespace pimento::dpu
