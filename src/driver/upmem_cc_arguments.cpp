#include "pimento/driver/upmem_cc_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "pimento/base/text.h"

namespace pimento::driver {

namespace {

constexpr std::string_view kHelp =
    R"(usage: pimento upmem-cc [flags] FILE...

Compiles and links a program in UPMEM's C interface (the DPU's half) to an ELF file for a DPU.
FILE is C (.c), assembly (.s), a relocatable ELF file or a static archive (.a); "-" with -x c is standard input.
@FILE stands for the arguments in FILE.

  -o FILE                     the output (default: a.out; FILE.o with -c, FILE.s with -S)
  -c, -S, -E                  stop after an object, assembly, the preprocessed text
  -emit-llvm                  with -S: LLVM IR after optimisation; with -c: bitcode before it
  -DNR_TASKLETS=N             tasklets (1 to 24; default 1)
  -DSTACK_SIZE_DEFAULT=N      bytes of stack per tasklet (default 1024)
  -DSTACK_SIZE_TASKLET_n=N    bytes of stack of tasklet n
  -O0 ... -O3, -Os            optimisation (default -O2)
  -D -U -I -isystem -include -std= -W... -w -f... -g
                              as Clang takes them
  -M -MM -MD -MMD -MF -MT -MQ -MP
                              dependencies for make
  --like=vendor               for times as of UPMEM's compiler: its loops, and its library's published costs
  -x c|assembler|none         what the files that follow are
  -lNAME, -LFOLDER            libNAME.a of such a folder; what belongs to the interface need not be named
  -Wl,--defsym=NAME=N         the numbers above for the linker alone
  -Wl,--no-gc-sections        keep functions and data that nobody needs; -u NAME keeps one
                              (other -Wl flags are passed over)
)";

/// Flags for Clang that take the next argument where nothing is joined to them.
constexpr std::array kWithValue = {"-D",       "-U",           "-I",
                                   "-isystem", "-include",     "-imacros",
                                   "-iquote",  "-idirafter",   "-isysroot",
                                   "-iprefix", "-target",      "-Xclang",
                                   "-mllvm",   "-iwithprefix", "-iwithprefixbefore",
                                   "--param",  "-Xassembler",  "-Xpreprocessor"};

/// What a linker may be told without effect here.
constexpr std::array kPassedOver = {
    "-pipe", "-static", "-nostdlib", "-nostartfiles",      "-nodefaultlibs",         "-no-pie",    "-pie", "-rdynamic",
    "-s",    "-v",      "-nolibc",   "-Qunused-arguments", "-no-canonical-prefixes", "-save-temps"};

class ArgumentReader {
 public:
  explicit ArgumentReader(const std::vector<std::string> &arguments) : arguments_(arguments) {}

  Result<CcRequest> run() {
    while (at_ < arguments_.size() && found_.empty()) take(arguments_[at_++]);
    if (found_.empty()) check();
    if (!found_.empty()) return std::move(found_);
    return std::move(request_);
  }

 private:
  using Stage = CcRequest::Stage;

  void refuse(std::string message, std::string hint) {
    found_.push_back(usageError("upmem-cc-usage", "", std::move(message), std::move(hint)));
  }

  /// The value of a flag: joined to it, or the next argument.
  std::string value(const std::string &argument, std::size_t flagLength) {
    if (argument.size() > flagLength) return argument.substr(flagLength);
    if (at_ < arguments_.size()) return arguments_[at_++];
    refuse(fmt::format("flag '{}' needs a value", argument), "put the value after the flag");
    return {};
  }

  void take(const std::string &a) {
    if (a.size() < 2 || a[0] != '-') {
      request_.inputs.push_back({a, language_});
    } else if (takeStage(a) || takeDependencies(a) || takeLinker(a) || takeAnswer(a)) {
      return;
    } else if (a.starts_with("--like=")) {
      request_.isLikeVendor = a == "--like=vendor";
      if (!request_.isLikeVendor) refuse(fmt::format("'{}' is unknown", a), "--like=vendor");
    } else if (a.starts_with("-o") && !a.starts_with("-objc")) {
      request_.output = value(a, 2);
    } else if (a.starts_with("-x")) {
      takeLanguage(value(a, 2));
    } else if (a.starts_with("-D")) {
      const std::string definition = value(a, 2);
      takeNumber(definition, "1");
      request_.flags.push_back("-D" + definition);
    } else {
      request_.flags.push_back(a);
      if (std::find(kWithValue.begin(), kWithValue.end(), a) != kWithValue.end())
        request_.flags.push_back(value(a, a.size()));
    }
  }

  /// Of several the earliest, as with other compilers.
  void stopAt(Stage stage) { request_.stage = std::min(request_.stage, stage); }

  bool takeStage(const std::string &a) {
    if (a == "-c") {
      stopAt(Stage::kObject);
    } else if (a == "-S") {
      stopAt(Stage::kAssembly);
    } else if (a == "-E") {
      stopAt(Stage::kPreprocessed);
    } else if (a == "-emit-llvm") {
      request_.isLlvm = true;
    } else {
      return false;
    }
    return true;
  }

  bool takeDependencies(const std::string &a) {
    if (a == "-M" || a == "-MM") {
      request_.stage = Stage::kDependencies;
    } else if (a == "-MD" || a == "-MMD") {
      request_.hasDependencyFile = true;
    } else if (a == "-MP") {
      request_.hasPhonyTargets = true;
    } else if (a.starts_with("-MF")) {
      request_.dependencyFile = value(a, 3);
    } else if (a.starts_with("-MT") || a.starts_with("-MQ")) {
      request_.dependencyTargets.push_back(value(a, 3));
    } else {
      return a == "-MG";
    }
    return true;
  }

  bool takeLinker(const std::string &a) {
    if (a.starts_with("-Wl,")) {
      const std::vector<std::string_view> parts = split(std::string_view(a).substr(4), ',');
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == "--defsym" && i + 1 < parts.size())
          takeNumber(std::string(parts[++i]), "");
        else if (parts[i].starts_with("--defsym="))
          takeNumber(std::string(parts[i].substr(9)), "");
        else if (parts[i] == "--gc-sections" || parts[i] == "--no-gc-sections")
          request_.collects = parts[i] == "--gc-sections";
        else if ((parts[i] == "-u" || parts[i] == "--undefined") && i + 1 < parts.size())
          request_.keep.emplace_back(parts[++i]);
        else if (parts[i].starts_with("--undefined="))
          request_.keep.emplace_back(parts[i].substr(12));
      }
    } else if (a == "-u") {
      request_.keep.push_back(value(a, a.size()));
    } else if (a == "-Xlinker" || a == "-T" || a == "-z") {
      value(a, a.size());
    } else if (a.starts_with("-L")) {
      request_.libraryFolders.push_back(value(a, 2));
    } else if (a.starts_with("-l")) {
      request_.libraries.push_back(value(a, 2));
    } else {
      return a.starts_with("-T") || a.starts_with("-fuse-ld=") || a.starts_with("-Wa,") ||
             std::find(kPassedOver.begin(), kPassedOver.end(), a) != kPassedOver.end();
    }
    return true;
  }

  bool takeAnswer(const std::string &a) {
    if (a == "--help" || a == "-help") {
      request_.answer = kHelp;
    } else if (a == "--version") {
      request_.answer = "pimento upmem-cc " PIMENTO_VERSION "\nTarget: dpu-upmem-dpurt\n";
    } else if (a == "-dumpmachine" || a == "-print-target-triple") {
      request_.answer = "dpu-upmem-dpurt\n";
    } else if (a == "-dumpversion") {
      request_.answer = PIMENTO_VERSION "\n";
    } else {
      return false;
    }
    return true;
  }

  void takeLanguage(const std::string &name) {
    if (name == "c") {
      language_ = CcRequest::Language::kC;
    } else if (name == "assembler") {
      language_ = CcRequest::Language::kAssembly;
    } else if (name == "none") {
      language_ = CcRequest::Language::kByName;
    } else if (found_.empty()) {
      refuse(fmt::format("unknown language '{}'", name), "-x takes c, assembler or none");
    }
  }

  void takeNumber(const std::string &definition, const char *otherwise) {
    const std::size_t equals = definition.find('=');
    const std::string name = definition.substr(0, equals);
    if (name != "NR_TASKLETS" && !name.starts_with("STACK_SIZE_")) return;
    request_.numbers[name] = equals == std::string::npos ? otherwise : definition.substr(equals + 1);
  }

  void check() {
    if (!request_.answer.empty()) return;
    const bool isOneOutput = request_.stage == Stage::kAssembly || request_.stage == Stage::kObject;
    if (request_.inputs.empty()) {
      refuse("no input files", "pimento upmem-cc -O2 -DNR_TASKLETS=16 -o program program.c");
    } else if (isOneOutput && !request_.output.empty() && request_.inputs.size() > 1) {
      refuse(fmt::format("cannot write {1} files to one output, '{0}'", request_.output, request_.inputs.size()),
             "omit -o: every file then gets its own output");
    } else if (request_.isLlvm && !isOneOutput) {
      refuse("-emit-llvm needs -S or -c", "add -S for LLVM IR as text, -c for bitcode");
    }
  }

  const std::vector<std::string> &arguments_;
  std::size_t at_ = 0;
  CcRequest::Language language_ = CcRequest::Language::kByName;
  CcRequest request_;
  Diagnostics found_;
};

}  // namespace

Result<CcRequest> readCcArguments(const std::vector<std::string> &arguments) {
  return ArgumentReader(arguments).run();
}

}  // namespace pimento::driver
