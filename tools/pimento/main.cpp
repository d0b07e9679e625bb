// The command line: reads options, calls one verb of the driver, prints what it answers.
//
// Exit status: 0 done, 1 the input is wrong, 2 wrong usage, 3 a bug of ours. The contract is docs/cli.md.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/cluster/ranks.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/upmem_cc.h"
#include "pimento/driver/verbs.h"

namespace {

using pimento::driver::Options;
using pimento::driver::Outcome;

constexpr const char *kCompilerVerb = "upmem-cc";
constexpr const char *kVersion = "pimento " PIMENTO_VERSION;

using pimento::driver::OptionRow;
using pimento::driver::Verb;

/// A value that an option cannot have.
void check(const pimento::Status &status) {
  if (status) return;
  const pimento::Diagnostic &d = status.diagnostics().front();
  throw CLI::ValidationError(d.message, d.hint);
}

/// One row of the table as an option of a verb.
void addOption(CLI::App &app, const OptionRow &row, Options &options) {
  const std::string help = helpOf(row);
  std::string name = "--" + std::string(row.name);
  if (row.letter != 0) name = std::string("-") + row.letter + "," + name;
  if (const auto *flag = std::get_if<bool Options::*>(&row.field)) {
    app.add_flag(name, options.**flag, help);
    return;
  }
  CLI::Option *option = nullptr;
  if (isList(row)) {
    option = app.add_option_function<std::vector<std::string>>(
        name,
        [&](const std::vector<std::string> &entries) {
          for (const std::string &entry : entries) check(pimento::driver::set(row, entry, options));
        },
        help);
    option->take_all()->allow_extra_args(false);
    if (row.separator != 0) option->delimiter(row.separator);
  } else {
    option = app.add_option_function<std::string>(
        name, [&](const std::string &value) { check(pimento::driver::set(row, value, options)); }, help);
  }
  option->type_name(std::string(row.value));
}

CLI::App *addVerb(CLI::App &app, const Verb &verb, Options &options) {
  CLI::App *sub = app.add_subcommand(std::string(verb.name), std::string(verb.help));
  if (!verb.input.empty()) {
    const std::string input(verb.input);
    CLI::Option *option = verb.areFiles ? sub->add_option(input, options.inputs, std::string(verb.inputHelp))
                                        : sub->add_option(input, options.input);
    if (verb.isInputRequired) option->required();
  }
  if (verb.hasArguments) sub->add_option("ARGS", options.arguments, "arguments of the program, behind --");
  for (const OptionRow &row : pimento::driver::optionTable())
    if (!row.name.empty() && row.verbs.has(verb.id)) addOption(*sub, row, options);
  return sub;
}

/// Asks the running verb to come to an end; a second time ends the process.
std::atomic<bool> isStopped{false};
void stop(int) {
  isStopped = true;
  std::signal(SIGINT, SIG_DFL);
}

int print(const Outcome &outcome, const std::string &outputFile, bool isQuiet) {
  // One cause can have a message for every layer of a network.
  constexpr int kMostMessages = 20;
  int shown = 0, more = 0;
  for (const pimento::Diagnostic &d : outcome.diagnostics) {
    if (isQuiet && d.severity != pimento::Severity::kError) continue;
    if (shown < kMostMessages) {
      std::fprintf(stderr, "%s\n", d.str().c_str());
      ++shown;
    } else {
      ++more;
    }
  }
  if (more > 0) std::fprintf(stderr, "and %d more messages of this kind\n", more);
  // A run that ended early has a result up to there.
  if (outcome.status != 0 && outcome.text.empty()) return outcome.status;
  if (outputFile.empty() || outcome.isOutputWritten) {
    std::fwrite(outcome.text.data(), 1, outcome.text.size(), stdout);
    return std::fflush(stdout) == 0 ? outcome.status : 1;
  }
  const pimento::Status written = pimento::writeFile(outputFile, outcome.text);
  if (written) return outcome.status;
  for (const pimento::Diagnostic &d : written.diagnostics()) std::fprintf(stderr, "%s\n", d.str().c_str());
  return 1;
}

/// Of several ranks the first prints; the others say what is wrong to it.
int conclude(const Outcome &outcome, const Options &options) {
  const bool isFirst = options.ranks == nullptr || options.ranks->isFirst();
  const int status = isFirst ? print(outcome, options.output, options.isQuiet) : 0;
  if (options.ranks != nullptr) options.ranks->leave(outcome.diagnostics);
  return status;
}

/// A C compiler's arguments are read by the verb itself.
int runCompiler(int argc, char **argv) {
  const pimento::driver::CcOutcome outcome = pimento::driver::upmemCc({argv, argv + argc});
  std::fputs(outcome.messages.c_str(), stderr);
  std::fwrite(outcome.text.data(), 1, outcome.text.size(), stdout);
  return std::fflush(stdout) == 0 ? outcome.status : 1;
}

/// The first argument that looks like an option and is none of the verb's; empty: there is none.
std::string unknownOption(const CLI::App &verb, int argc, char **argv) {
  for (int i = 2; i < argc && argv[i] != std::string_view("--"); ++i) {
    const std::string_view argument = argv[i];
    const std::string name(argument.substr(0, argument.find('=')));
    if (name.starts_with("--") && verb.get_option_no_throw(name) == nullptr) return name;
  }
  return {};
}

/// What is wrong with the command line. The verb is known, so the nearest of its options can be named.
int wrongUsage(CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  const auto verbs = app.get_subcommands();
  const std::string name = verbs.empty() ? "" : unknownOption(*verbs.front(), argc, argv);
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || name.empty())
    return app.exit(error) == 0 ? 0 : 2;
  std::vector<std::string> names;
  for (const CLI::Option *option : verbs.front()->get_options())
    for (const std::string &known : option->get_lnames()) names.push_back("--" + known);
  std::fprintf(stderr, "pimento %s has no option '%s': %s\n", verbs.front()->get_name().c_str(), name.c_str(),
               pimento::suggest(name, names).c_str());
  return 2;
}

/// `--pass -NAME` as `--pass=-NAME`: a value that begins with '-' is otherwise taken for an option.
std::vector<std::string> withPasses(int argc, char **argv) {
  std::vector<std::string> out;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") {
      out.insert(out.end(), argv + i, argv + argc);
      break;
    }
    const bool isJoined = argument == "--pass" && i + 1 < argc && argv[i + 1][0] == '-';
    out.push_back(isJoined ? std::string("--pass=") + argv[++i] : std::string(argument));
  }
  return out;
}

int run(int given, char **arguments) {
  if (given > 1 && arguments[1] == std::string_view(kCompilerVerb)) return runCompiler(given - 2, arguments + 2);
  std::vector<std::string> joined = withPasses(given, arguments);
  std::vector<char *> pointers;
  for (std::string &argument : joined) pointers.push_back(argument.data());
  const int argc = static_cast<int>(pointers.size());
  char **argv = pointers.data();
  CLI::App app{
      "Pimento compiles a kernel for a memory-centric machine, verifies its results, and reports its time and energy."};
  app.require_subcommand(1);
  app.set_version_flag("--version", kVersion);
  app.footer(
      "INPUT is a " + pimento::driver::fileEndings() +
      " file, a DPU program (ELF), index notation in quotes ('y[i] += A[i,j] * x[j]'), or the name of a kernel.\n"
      "Example: pimento simulate gemv --size m=4096,n=4096");
  Options options;
  options.isStopped = &isStopped;
  const auto all = pimento::driver::verbs();
  std::vector<CLI::App *> subcommands;
  for (const Verb &v : all) subcommands.push_back(addVerb(app, v, options));
  // For --help alone.
  app.add_subcommand(kCompilerVerb, "Compile a program in UPMEM's C interface; flags like a C compiler");
  std::vector<std::string> names{kCompilerVerb};
  for (const Verb &v : all) names.emplace_back(v.name);
  if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    std::fprintf(stderr, "pimento has no verb '%s': %s\n", argv[1], pimento::suggest(argv[1], names).c_str());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return wrongUsage(app, e, argc, argv);
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (subcommands[i]->parsed()) {
      using pimento::driver::VerbId;
      if (all[i].id == VerbId::kExplore || all[i].id == VerbId::kTune || all[i].id == VerbId::kProfile) {
        std::signal(SIGINT, stop);
        std::signal(SIGTERM, stop);  // a scheduler's, before it kills
      }
      if (const pimento::Status s = pimento::driver::takeRanks(all[i].id, options); !s)
        return print(pimento::driver::failure(s.diagnostics()), {}, false);
      Outcome outcome = all[i].run(options, nullptr);
      pimento::driver::locate(outcome.diagnostics, options);
      return conclude(outcome, options);
    }
  return 2;
}

/// Programs of thousands of mappings come and go: memory that was asked of the system once is kept.
void keepMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

}  // namespace

int main(int argc, char **argv) {
  keepMemory();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr,
                 "error: out of memory [out-of-memory]\n  hint: use smaller sizes, or --data none for timing only\n");
    return 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr,
                 "pimento: internal error: %s\nThis is a bug in Pimento, not in your input; please report it with the "
                 "command you ran.\n",
                 e.what());
    return 3;
  }
}
