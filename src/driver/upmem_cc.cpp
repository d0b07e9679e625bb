#include "pimento/driver/upmem_cc.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "pimento/backend_dpu/backend.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/archive.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/padded_routines.h"
#include "pimento/dpu/stack_use.h"
#include "pimento/driver/cc_messages.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/response_file.h"
#include "pimento/driver/upmem_cc_arguments.h"
#include "pimento/frontend/dpu_c.h"

namespace pimento::driver {

namespace {

using Stage = CcRequest::Stage;
using Language = CcRequest::Language;

/// As UPMEM's linker has it for programs that do not say.
constexpr std::int64_t kTasklets = 1;

struct Source {
  std::string file, contents;
  enum class Kind { kC, kAssembly, kObject, kArchive } kind = Kind::kC;
};

Result<Source> readSource(const CcRequest::Input &input) {
  const bool isStandardInput = input.file == "-";
  Result<std::string> contents = readFile(isStandardInput ? "/dev/stdin" : input.file);
  if (!contents) return std::move(contents.diagnostics());
  Source source{isStandardInput ? "<stdin>" : input.file, std::move(*contents), Source::Kind::kC};
  const std::string ending = std::filesystem::path(input.file).extension().string();
  const dpu::ElfKind elf = dpu::elfKind(source.contents);
  if (const std::string other = dpu::otherMachine(source.contents); !other.empty())
    return usageError("upmem-cc-kind", source.file, fmt::format("an ELF file for another machine: {}", other),
                      "make objects for DPUs with `pimento upmem-cc -c`");
  if (elf == dpu::ElfKind::kExecutable)
    return usageError("upmem-cc-kind", source.file, "this program is already linked", "pass its sources or objects");
  if (dpu::isArchive(source.contents)) {
    source.kind = Source::Kind::kArchive;
  } else if (elf == dpu::ElfKind::kRelocatable) {
    source.kind = Source::Kind::kObject;
  } else if (input.language != Language::kByName) {
    source.kind = input.language == Language::kC ? Source::Kind::kC : Source::Kind::kAssembly;
  } else if (ending == ".s" || ending == ".S") {
    source.kind = Source::Kind::kAssembly;
  } else if (ending == ".o" || ending == ".a") {
    return usageError("upmem-cc-kind", source.file,
                      ending == ".a" ? "this is not an archive" : "this is not an ELF file for a DPU",
                      "make objects with `pimento upmem-cc -c`, archives with `ar rcs`");
  } else if (isStandardInput) {
    return usageError("upmem-cc-kind", source.file, "the language of standard input is unknown",
                      "write -x c or -x assembler before -");
  }
  return source;
}

/// A number as -D may state it: 16, 0x10, (16), 16u.
std::optional<std::int64_t> numberOf(std::string_view text) {
  text = trim(text);
  while (text.size() > 2 && text.front() == '(' && text.back() == ')') text = trim(text.substr(1, text.size() - 2));
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return parseInteger(text);
}

/// What routines of the vendor's library take: those of the machine's operations. Divisions of integers depend on their
/// values as ours do, and 32-bit products take the same.
std::vector<dpu::RoutineCost> vendorCosts(const machine::Machine &machine) {
  struct Routine {
    const char *name, *operation;
    DType type;
  };
  // A subtraction takes what an addition takes, as in the throughputs that PrIM publishes; the machine's own cost of it
  // is of operands that cancel.
  static constexpr Routine kRoutines[] = {
      {"__muldi3", "mul", DType::kI64}, {"__addsf3", "add", DType::kF32}, {"__subsf3", "add", DType::kF32},
      {"__mulsf3", "mul", DType::kF32}, {"__divsf3", "div", DType::kF32}, {"__adddf3", "add", DType::kF64},
      {"__subdf3", "add", DType::kF64}, {"__muldf3", "mul", DType::kF64}, {"__divdf3", "div", DType::kF64}};
  std::vector<dpu::RoutineCost> costs;
  for (const Routine &r : kRoutines) {
    const machine::Compute::Operation *cost = machine.compute ? machine.compute->costOf(r.operation, r.type) : nullptr;
    if (cost != nullptr) costs.push_back({r.name, static_cast<double>(cost->slots)});
  }
  return costs;
}

class CompilerRun {
 public:
  CompilerRun(const CcRequest &request, const std::vector<std::string> &machinePath)
      : request_(request), machinePath_(machinePath), compiler_(makeDpuCompiler(request.isLikeVendor)) {}

  CcOutcome run() {
    const Status done = request_.stage == Stage::kProgram ? makeProgram() : makeEach();
    if (!done) said_.add(done.diagnostics());
    outcome_.status = done ? 0 : 1;
    outcome_.messages = said_.text();
    return std::move(outcome_);
  }

 private:
  program::DpuSource forClang(const Source &source) {
    if (source.file == "<stdin>") said_.know(source.file, source.contents);
    return {source.file, source.contents, request_.flags};
  }

  Result<Source> read(const CcRequest::Input &input) {
    Result<Source> source = readSource(input);
    if (source && source->kind == Source::Kind::kC && !compiler_) return dpuCompilerAbsent(source->file);
    return source;
  }

  Result<std::shared_ptr<const DpuUnit>> compile(const Source &source) {
    Result<std::shared_ptr<const DpuUnit>> unit = compiler_->compileUnit(forClang(source));
    if (unit) said_.add((*unit)->warnings);
    return unit;
  }

  Result<dpu::Object> objectOf(const Source &source, std::vector<std::string> &dependencies) {
    if (source.kind == Source::Kind::kObject) return dpu::readObject(source.contents, source.file);
    if (source.kind == Source::Kind::kAssembly) return dpu::assemble(source.contents, source.file);
    const Result<std::shared_ptr<const DpuUnit>> unit = compile(source);
    if (!unit) return unit.diagnostics();
    dependencies.insert(dependencies.end(), (*unit)->dependencies.begin(), (*unit)->dependencies.end());
    return dpu::assembleCompiled((*unit)->assembly, source.file);
  }

  /// Writes to a file, or adds to what is printed ("-").
  Status write(const std::string &file, const std::string &contents) {
    if (file != "-") return writeFile(file, contents);
    outcome_.text += contents;
    return okStatus();
  }

  Status makeEach() {
    Diagnostics found;
    for (const CcRequest::Input &input : request_.inputs) {
      const Result<Source> source = read(input);
      const Status done = source ? makeOne(*source) : Status(source.diagnostics());
      if (!done) found.insert(found.end(), done.diagnostics().begin(), done.diagnostics().end());
    }
    return found.empty() ? okStatus() : Status(std::move(found));
  }

  std::string outputOf(const Source &source, const char *ending) const {
    if (!request_.output.empty()) return request_.output;
    return std::filesystem::path(source.file).filename().replace_extension(ending).string();
  }

  Status makeOne(const Source &source) {
    switch (request_.stage) {
      case Stage::kDependencies:
      case Stage::kPreprocessed:
        return preprocess(source);
      case Stage::kAssembly:
      case Stage::kObject:
        break;
      case Stage::kProgram:
        return okStatus();
    }
    if (request_.isLlvm) return makeLlvm(source);
    std::vector<std::string> dependencies;
    if (request_.stage == Stage::kAssembly) {
      if (source.kind != Source::Kind::kC)
        return usageError("upmem-cc-kind", source.file, "-S needs a C file", "remove the file");
      const Result<std::shared_ptr<const DpuUnit>> unit = compile(source);
      if (!unit) return unit.diagnostics();
      const std::string output = outputOf(source, ".s");
      if (const Status s = writeDependencies(output, (*unit)->dependencies); !s) return s;
      return write(output, (*unit)->assembly);
    }
    if (source.kind == Source::Kind::kArchive)
      return usageError("upmem-cc-kind", source.file, "archives can only be linked", "remove the file");
    const Result<dpu::Object> object = objectOf(source, dependencies);
    if (!object) return object.diagnostics();
    const std::string output = outputOf(source, ".o");
    if (const Status s = writeDependencies(output, dependencies); !s) return s;
    return write(output, dpu::writeObject(*object));
  }

  Status preprocess(const Source &source) {
    if (source.kind != Source::Kind::kC)
      return usageError("upmem-cc-kind", source.file, "only C files can be preprocessed", "remove the file");
    const Result<frontend::DpuModule> made = frontend::readDpuC(forClang(source), frontend::DpuOutput::kPreprocessed);
    if (!made) return made.diagnostics();
    said_.add(made->warnings);
    const std::string output = request_.output.empty() ? "-" : request_.output;
    if (request_.stage == Stage::kDependencies)
      return write(output, ruleFor(outputOf(source, ".o"), made->dependencies));
    if (const Status s = writeDependencies(outputOf(source, ".o"), made->dependencies); !s) return s;
    return write(output, made->bytes);
  }

  Status makeLlvm(const Source &source) {
    if (source.kind != Source::Kind::kC)
      return usageError("upmem-cc-kind", source.file, "LLVM IR output needs a C file", "remove the file");
    const Result<frontend::DpuModule> made = frontend::readDpuC(forClang(source));
    if (!made) return made.diagnostics();
    said_.add(made->warnings);
    if (request_.stage == Stage::kObject) return write(outputOf(source, ".bc"), made->bytes);
    const Result<std::string> text = backend_dpu::optimise(made->bytes, {made->level, made->keepsLines});
    if (!text) return text.diagnostics();
    return write(outputOf(source, ".ll"), *text);
  }

  /// A rule of make: targets, then what they are made of.
  std::string ruleFor(const std::string &output, const std::vector<std::string> &files) const {
    auto escaped = [](const std::string &name) {
      std::string text;
      for (const char c : name)
        text += c == ' ' || c == '#' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
      return text;
    };
    std::string rule;
    if (request_.dependencyTargets.empty()) rule = escaped(output);
    for (const std::string &target : request_.dependencyTargets) rule += (rule.empty() ? "" : " ") + escaped(target);
    rule += ":";
    for (const std::string &file : files) rule += " \\\n  " + escaped(file);
    rule += "\n";
    if (request_.hasPhonyTargets)
      for (std::size_t i = 1; i < files.size(); ++i) rule += "\n" + escaped(files[i]) + ":\n";
    return rule;
  }

  Status writeDependencies(const std::string &output, const std::vector<std::string> &files) {
    if (!request_.hasDependencyFile) return okStatus();
    const std::string file = request_.dependencyFile.empty()
                                 ? std::filesystem::path(output).replace_extension(".d").string()
                                 : request_.dependencyFile;
    return write(file, ruleFor(output, files));
  }

  Status number(const std::string &name, std::int64_t least, std::int64_t most, std::int64_t &into) const {
    const auto at = request_.numbers.find(name);
    if (at == request_.numbers.end()) return okStatus();
    const std::optional<std::int64_t> value = numberOf(at->second);
    if (!value || *value < least || *value > most)
      return usageError("upmem-cc-number", "-D" + name, fmt::format("{} is '{}'", name, at->second),
                        fmt::format("use a number from {} to {}", least, most));
    into = *value;
    return okStatus();
  }

  Result<dpu::LinkOptions> linkOptions(const machine::Machine &machine) const {
    constexpr std::int64_t kMostStack = 1 << 20;
    dpu::LinkOptions link;
    link.instructions = machine.dpu->instructions;
    link.wramBytes = machine.dpu->wram.value;
    link.mramBytes = machine.dpu->mram.value;
    link.tasklets = kTasklets;
    link.collects = request_.collects;
    link.keep = request_.keep;
    link.keep.push_back("CLOCKS_PER_SEC");  // hosts read it from every program
    if (const Status s = number("NR_TASKLETS", 1, dpu::kMostTasklets, link.tasklets); !s) return s.diagnostics();
    std::int64_t stack = link.stackBytes;
    if (const Status s = number("STACK_SIZE_DEFAULT", 0, kMostStack, stack); !s) return s.diagnostics();
    link.stackBytes = static_cast<std::uint32_t>(stack);
    for (std::int64_t t = 0; t < link.tasklets; ++t) {
      std::int64_t own = stack;
      if (const Status s = number(fmt::format("STACK_SIZE_TASKLET_{}", t), 0, kMostStack, own); !s)
        return s.diagnostics();
      link.stackBytesOf.push_back(static_cast<std::uint32_t>(own));
    }
    return link;
  }

  /// The archives that -l names, as far as there are any.
  std::vector<CcRequest::Input> libraries() {
    std::vector<CcRequest::Input> files;
    for (const std::string &name : request_.libraries) {
      const std::string base = name.starts_with(':') ? name.substr(1) : "lib" + name + ".a";
      const auto folder =
          std::find_if(request_.libraryFolders.begin(), request_.libraryFolders.end(), [&](const std::string &f) {
            std::error_code problem;
            return std::filesystem::is_regular_file(std::filesystem::path(f) / base, problem);
          });
      // What a C compiler for the host, or UPMEM's, would name is part of the run-time library.
      constexpr std::string_view kOwn[] = {"c", "m", "gcc", "dpu", "dpu_rt", "rt", "clang_rt"};
      if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)) continue;
      if (folder != request_.libraryFolders.end()) {
        files.push_back({(std::filesystem::path(*folder) / base).string()});
        continue;
      }
      Diagnostic d =
          usageError("upmem-cc-library", "", fmt::format("library '{}' is ignored: {} does not exist", name, base),
                     "pass its folder with -L; UPMEM's interface library is linked automatically");
      d.severity = Severity::kWarning;
      said_.add({std::move(d)});
    }
    return files;
  }

  /// Its members, as objects.
  Status addArchive(const Source &archive, std::vector<dpu::Object> &members) {
    const Result<std::vector<dpu::ArchiveMember>> read = dpu::readArchive(archive.contents, archive.file);
    if (!read) return read.diagnostics();
    for (const dpu::ArchiveMember &m : *read) {
      const std::string name = fmt::format("{}({})", archive.file, m.name);
      std::string_view contents = m.contents;
      std::string file;
      if (m.isElsewhere) {
        Result<std::string> text = readFile((std::filesystem::path(archive.file).parent_path() / m.name).string());
        if (!text) return std::move(text.diagnostics());
        contents = file = std::move(*text);
      }
      const std::string other = dpu::otherMachine(contents);
      if (!other.empty() || dpu::elfKind(contents) != dpu::ElfKind::kRelocatable)
        return usageError("upmem-cc-kind", name,
                          other.empty() ? std::string("this member is not a DPU object")
                                        : fmt::format("this member is for another machine: {}", other),
                          "make objects with `pimento upmem-cc -c`");
      Result<dpu::Object> object = dpu::readObject(contents, name);
      if (!object) return std::move(object.diagnostics());
      members.push_back(std::move(*object));
    }
    return okStatus();
  }

  /// Nothing stops a tasklet whose stack grows into its neighbour's.
  void checkStacks(const program::Code &code, const dpu::LinkOptions &options) {
    const dpu::StackUse use = dpu::stackUse(code);
    const auto &sizes = options.stackBytesOf;
    const auto least = std::min_element(sizes.begin(), sizes.end());
    const std::string all = fmt::format("STACK_SIZE_TASKLET_{}", least - sizes.begin()),
                      name = *std::max_element(sizes.begin(), sizes.end()) == *least ? "STACK_SIZE_DEFAULT" : all;
    if (use.bytes > *least) {
      Diagnostic d = error("upmem-cc-stack", {},
                           fmt::format("the stack may overflow: {} is {} bytes, {} too few for {}", name, *least,
                                       use.bytes - *least, use.str()),
                           fmt::format("use -D{}={}, or put less on the stack", name, use.bytes));
      d.severity = Severity::kWarning;
      said_.add({std::move(d)});
    } else if (!use.doubts.empty()) {
      Diagnostic d =
          error("upmem-cc-stack", {}, fmt::format("{} bytes of stack may be too few: {}", *least, use.doubts.front()),
                fmt::format("without that, {} take {}", use.str(), use.bytes));
      d.severity = Severity::kNote;
      said_.add({std::move(d)});
    }
  }

  Status makeProgram() {
    Diagnostics found;
    std::vector<dpu::Object> objects, archives;
    std::vector<std::string> dependencies;
    const auto add = [&](const CcRequest::Input &input) -> Status {
      const Result<Source> source = read(input);
      if (!source) return source.diagnostics();
      if (source->kind == Source::Kind::kArchive) return addArchive(*source, archives);
      Result<dpu::Object> object = objectOf(*source, dependencies);
      if (!object) return std::move(object.diagnostics());
      objects.push_back(std::move(*object));
      return okStatus();
    };
    std::vector<CcRequest::Input> inputs = request_.inputs;
    for (CcRequest::Input &library : libraries()) inputs.push_back(std::move(library));
    for (const CcRequest::Input &input : inputs)
      if (const Status s = add(input); !s) found.insert(found.end(), s.diagnostics().begin(), s.diagnostics().end());
    if (!found.empty()) return found;
    Options target;
    target.machinePath = machinePath_;
    const Result<machine::Machine> machine = loadTarget(target, "upmem");
    if (!machine) return machine.diagnostics();
    Result<dpu::LinkOptions> options = linkOptions(*machine);
    if (!options) return std::move(options.diagnostics());
    if (request_.isLikeVendor) {
      dpu::PaddedRoutines padded = dpu::paddedRoutines(vendorCosts(*machine));
      for (dpu::Object &object : padded.objects) objects.push_back(std::move(object));
      options->wrapped = {padded.names.begin(), padded.names.end()};
    }
    const Result<program::Code> code =
        dpu::linkWithLibrary(std::move(objects), std::move(archives), *options, compiler_.get());
    if (!code) return code.diagnostics();
    checkStacks(*code, *options);
    const std::string output = request_.output.empty() ? "a.out" : request_.output;
    if (const Status s = writeDependencies(output, dependencies); !s) return s;
    return write(output, dpu::writeExecutable(*code));
  }

  const CcRequest &request_;
  const std::vector<std::string> &machinePath_;
  std::unique_ptr<ClangDpuCompiler> compiler_;  ///< null in a build without LLVM
  CcMessages said_;
  CcOutcome outcome_;
};

}  // namespace

CcOutcome upmemCc(const std::vector<std::string> &arguments, const std::vector<std::string> &machinePath) {
  const auto refused = [](const Diagnostics &why) {
    CcMessages said;
    said.add(why);
    return CcOutcome{"", said.text(), 2};
  };
  const Result<std::vector<std::string>> all = expandResponseFiles(arguments);
  if (!all) return refused(all.diagnostics());
  const Result<CcRequest> request = readCcArguments(*all);
  if (!request) return refused(request.diagnostics());
  if (!request->answer.empty()) return {request->answer, "", 0};
  return CompilerRun(*request, machinePath).run();
}

}  // namespace pimento::driver
