#include "pimento/frontend/c/dpu_arguments.h"

#include <algorithm>
#include <optional>

#include "clang/Driver/Options.h"
#include "clang/Frontend/Utils.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "pimento/frontend/c/dpu_target.h"

namespace pimento::frontend {

namespace {

namespace options = clang::driver::options;
using llvm::opt::Arg;

/// What every compilation begins with; flags of users come later and win.
std::vector<const char *> firstArguments() {
  return {"clang", "-target", kDpuTriple, "-O2", "-std=gnu11", "-nostdinc", "-fno-math-errno", "-ffp-contract=off",
          // Clang 12, which UPMEM's compiler is made from, warns of these; programs that rely on it are around.
          "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
          "-Wno-error=incompatible-function-pointer-types", "-Wno-unused-command-line-argument"};
}

/// Why a flag cannot be for a DPU; nothing where it can.
std::optional<std::string> objection(const Arg &arg) {
  const llvm::opt::Option &option = arg.getOption();
  for (const auto &[id, why] : std::initializer_list<std::pair<unsigned, const char *>>{
           {options::OPT_Xclang, "it reaches parts of Clang that do not support DPUs"},
           {options::OPT_mllvm, "it changes LLVM for the whole process"},
           {options::OPT_fopenmp, "a DPU has no OpenMP; use tasklets"},
           {options::OPT_fopenmp_EQ, "a DPU has no OpenMP; use tasklets"},
           {options::OPT_fplugin_EQ, "Clang plug-ins are not loaded"},
           {options::OPT_fmodules, "C has no modules"},
           {options::OPT_fsanitize_EQ, "there are no sanitizer libraries for DPUs"},
           {options::OPT_fprofile_generate, "use `pimento simulate --profile`"},
           {options::OPT_fprofile_instr_generate, "use `pimento simulate --profile`"},
           {options::OPT_coverage, "there is no coverage library for DPUs"},
           {options::OPT_fcoverage_mapping, "there is no coverage library for DPUs"},
           {options::OPT_ftest_coverage, "there is no coverage library for DPUs"},
           {options::OPT_fxray_instrument, "there is no XRay library for DPUs"},
           {options::OPT_pg, "use `pimento simulate --profile`"},
           {options::OPT_emit_ast, "this output does not exist"},
           {options::OPT_analyze, "this output does not exist"},
           {options::OPT_config, "pass flags one by one"}})
    if (option.matches(id)) return why;
  return std::nullopt;
}

/// Flags that say where to and how far a driver goes, or that it prints; `upmem-cc` reads those that it has.
bool isOfDriver(const Arg &arg) {
  const llvm::opt::Option &option = arg.getOption();
  return option.matches(options::OPT_Action_Group) || option.matches(options::OPT_save_temps_EQ) ||
         option.matches(options::OPT_o) || option.matches(options::OPT_M_Group) || option.matches(options::OPT_v) ||
         option.matches(options::OPT_help) || option.matches(options::OPT__version) ||
         option.matches(options::OPT__HASH_HASH_HASH) || option.matches(options::OPT_INPUT) ||
         option.matches(options::OPT_Link_Group) || option.getPrefixedName().starts_with("-print-") ||
         option.getPrefixedName().starts_with("-ccc-") || option.getPrefixedName().starts_with("--print-");
}

class ArgumentReader {
 public:
  ArgumentReader(const std::string &file, const std::vector<std::string> &arguments)
      : file_(file), arguments_(firstArguments()) {
    // As UPMEM's compiler has it: a program for one tasklet unless told.
    const bool saysTasklets = std::any_of(arguments.begin(), arguments.end(), [](const std::string &a) {
      return a.find("NR_TASKLETS") != std::string::npos;
    });
    if (!saysTasklets) arguments_.push_back("-DNR_TASKLETS=1");
    for (const std::string &a : arguments) users_.push_back(a.c_str());
  }

  Result<DpuInvocation> run(const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> &diags) {
    unsigned missingIndex = 0, missingCount = 0;
    const llvm::opt::OptTable &table = clang::driver::getDriverOptTable();
    const llvm::opt::InputArgList parsed =
        table.ParseArgs(users_, missingIndex, missingCount, llvm::opt::Visibility(options::ClangOption));
    if (missingCount > 0)
      refuse(std::string("flag '") + users_[missingIndex] + "' needs a value", "put the value after the flag");
    for (const Arg *arg : parsed) take(*arg, parsed, table);
    if (!found_.empty()) return std::move(found_);
    DpuInvocation read = std::move(read_);
    arguments_.insert(arguments_.end(), {"-c", "-x", "c", file_.c_str()});
    clang::CreateInvocationOptions how;
    how.Diags = diags;
    // The driver would look around for an installed GCC.
    how.VFS = new llvm::vfs::InMemoryFileSystem;
    read.clang = clang::createInvocation(arguments_, how);
    return read;
  }

 private:
  void refuse(std::string message, std::string hint) {
    found_.push_back(error("dpu-c-flag", {file_}, std::move(message), std::move(hint)));
  }

  void take(const Arg &arg, const llvm::opt::InputArgList &parsed, const llvm::opt::OptTable &table) {
    const std::string text = arg.getAsString(parsed);
    const llvm::opt::Option &option = arg.getOption();
    if (option.matches(options::OPT_UNKNOWN)) {
      std::string near;
      const bool isNear = table.findNearest(text, near, llvm::opt::Visibility(options::ClangOption)) <= 2;
      return refuse("unknown flag '" + text + "'",
                    isNear ? "did you mean '" + near + "'?" : "use the flags of Clang's C compiler");
    }
    if (const std::optional<std::string> why = objection(arg))
      return refuse("flag '" + text + "' does not apply to DPUs", *why);
    if (option.matches(options::OPT_x) || option.matches(options::OPT_std_EQ)) return takeLanguage(arg, parsed);
    if (option.matches(options::OPT_target)) {
      const std::string_view asked = arg.getValue();
      if (asked != kDpuTriple && asked != kDpuVendorTriple)
        refuse("flag '" + text + "' selects another target", std::string("the target is ") + kDpuTriple);
      return;
    }
    // Processors of other machines and ours alike: there is one DPU.
    if (option.matches(options::OPT_mcpu_EQ) || option.matches(options::OPT_march_EQ) ||
        option.matches(options::OPT_mtune_EQ))
      return;
    if (isOfDriver(arg))
      return refuse("'" + text + "' is not a flag for compiling one file",
                    "`pimento upmem-cc` handles inputs, outputs and linker flags");
    if (option.matches(options::OPT_O_Group)) takeLevel(arg);
    if (option.matches(options::OPT_g_Group)) {
      // Lines are all that a DPU's file holds.
      read_.keepsLines = !option.matches(options::OPT_g0);
      return;
    }
    forward(arg, parsed);
  }

  void takeLanguage(const Arg &arg, const llvm::opt::InputArgList &parsed) {
    const std::string value = arg.getValue();
    if (value == "none") return;
    if (value.find("++") != std::string::npos || (arg.getOption().matches(options::OPT_x) && value != "c")) {
      found_.push_back(error("dpu-c-language", {file_}, "'" + value + "' is not C", "DPU programs are written in C"));
    } else if (arg.getOption().matches(options::OPT_std_EQ)) {
      forward(arg, parsed);
    }
  }

  void takeLevel(const Arg &arg) {
    if (arg.getOption().matches(options::OPT_O0)) {
      read_.level = 0;
    } else if (arg.getOption().matches(options::OPT_O4) || arg.getOption().matches(options::OPT_Ofast)) {
      read_.level = 3;
    } else {
      const std::string value = arg.getNumValues() > 0 ? arg.getValue() : "";
      read_.level = value.empty() || value == "g" || value == "1" ? 1 : value == "s" || value == "z" ? 2 : 3;
      if (value == "0") read_.level = 0;
      if (value == "2") read_.level = 2;
    }
  }

  void forward(const Arg &arg, const llvm::opt::InputArgList &parsed) {
    llvm::opt::ArgStringList strings;
    arg.render(parsed, strings);
    for (const char *s : strings) arguments_.push_back(kept_.emplace_back(std::make_unique<std::string>(s))->c_str());
  }

  std::string file_;
  std::vector<const char *> arguments_, users_;
  std::vector<std::unique_ptr<std::string>> kept_;
  DpuInvocation read_;
  Diagnostics found_;
};

}  // namespace

Result<DpuInvocation> readDpuArguments(const std::string &file, const std::vector<std::string> &arguments,
                                       const llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> &diags) {
  for (const char *ending : {".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp", ".hh", ".mm", ".m", ".cu", ".cl"})
    if (file.ends_with(ending))
      return error("dpu-c-language", {file}, "'" + file + "' does not have the name of a C file",
                   "DPU programs are written in C; rename the file to end in .c");
  return ArgumentReader(file, arguments).run(diags);
}

}  // namespace pimento::frontend
