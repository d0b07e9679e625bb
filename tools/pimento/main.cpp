// The command line: reads options, calls one verb of the driver, prints what it answers.
//
// Exit status: 0 done, 1 the input is wrong, 2 wrong usage, 3 a bug of ours. The contract is docs/cli.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/driver/upmem_cc.h"
#include "pimento/driver/verbs.h"

namespace {

using pimento::driver::Options;
using pimento::driver::Outcome;

constexpr const char *kCompilerVerb = "upmem-cc";
constexpr const char *kVersion = "pimento " PIMENTO_VERSION;

/// One verb: what it is called, what it does, which options it takes.
struct Verb {
  const char *name;
  const char *help;
  const char *input;  ///< name of the positional argument, or null
  bool isInputRequired;
  std::function<Outcome(const Options &)> run;
  std::function<void(CLI::App &, Options &)> addOptions;
};

void addTarget(CLI::App &app, Options &o) {
  app.add_option("--target", o.target, "machine: a preset (`pimento targets`) or a .yaml file")
      ->default_str("hbm-pim; upmem for DPU programs");
}

void addMachine(CLI::App &app, Options &o) {
  app.add_option("--set", o.sets, "override a number of the machine: PATH=VALUE; repeatable")
      ->take_all()
      ->allow_extra_args(false);
}

void addKernel(CLI::App &app, Options &o) {
  app.add_option("--size", o.sizes, "extents: m=4096,n=1024; repeatable")->take_all()->allow_extra_args(false);
  app.add_option("--variant", o.variant, "plain, tree or measured, where a kernel has several")->capture_default_str();
  app.add_option("--dtype", o.dtype, "element type (default: the target's native one)");
  app.add_option("--function", o.function, "function of a file that has several");
  app.add_option("--constant", o.constants, "inputs that are the same in every run, placed once: A,B")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
}

void addMapping(CLI::App &app, Options &o) {
  app.add_option("--map", o.maps,
                 "reference, auto, or a mapping such as 'M1:{(64,1),(8,1),(1,16),(8,256)}'; '|' between kernels")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--offload", o.offload,
                 "what of a graph runs on the device: all, possible, or best (default: best for networks, else all)");
  app.add_option("--jobs", o.jobs, "threads (default: all processors)")->check(CLI::Range(0, 1024));
}

void addJson(CLI::App &app, Options &o) {
  app.add_flag("--json", o.isJson, "one JSON object on standard output");
}

void addData(CLI::App &app, Options &o) {
  app.add_option(
      "--data", o.data,
      "none, random (default), zero, one, const:V, uniform:A,B or FILE.npy[,NAME=FILE.npy]; decides the time "
      "on some targets");
}

void addSeed(CLI::App &app, Options &o) {
  app.add_option("--seed", o.seed, "seed of random data")->capture_default_str();
}

void addEvaluation(CLI::App &app, Options &o) {
  addTarget(app, o);
  addMachine(app, o);
  addKernel(app, o);
  addMapping(app, o);
  addData(app, o);
  addJson(app, o);
}

void addDpuProgram(CLI::App &app, Options &o) {
  app.add_option("--in", o.ins, "DPU programs: data before the launch: PLACE=FILE or PLACE=u32:1,2,3; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--launches", o.launches, "DPU programs: launches, one after the other")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--max-instructions", o.maxInstructions, "DPU programs: a launch that issues more is ended")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000'000}))
      ->capture_default_str();
  app.add_flag("--profile", o.isProfile, "DPU programs: functions and lines with what they took");
}

void addEngine(CLI::App &app, Options &o, const char *engines) {
  app.add_option("--engine", o.engine, engines);
  const auto isNumber = [](const std::string &text) {
    return text.find_first_of("nN") == std::string::npos ? std::string()
                                                         : text + " is no number";  // nan is in any range
  };
  app.add_option("--alpha", o.alpha, "two-slice: how far its second piece may be from twice the first (default: 0.05)")
      ->check(CLI::Range(1e-9, 1.0))
      ->check(isNumber, "");
}

void addEstimation(CLI::App &app, Options &o) {
  addEvaluation(app, o);
  addSeed(app, o);
  addDpuProgram(app, o);
}

void addSimulation(CLI::App &app, Options &o) {
  addEstimation(app, o);
  app.add_option("--out", o.outs,
                 "DPU programs: data after the last launch: PLACE:u32[8], PLACE:BYTES=FILE, PLACE:u32[8]=FILE.npy; "
                 "repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--trace", o.trace, "write a timeline for Perfetto");
  app.add_option("--check", o.check,
                 "text (default): hold the answer against the C or MLIR file itself, compiled for this machine; "
                 "interpreter: against what was read from it alone");
}

void addExploration(CLI::App &app, Options &o) {
  app.add_option("--sweep", o.sweeps, "vary a number: tRP=10..20, timing.tRCDRD=10,14, channels=1..64*2; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--store", o.store, "keep results in FILE.db; the same command goes on from there");
  app.add_option("--chunks", o.chunks,
                 "cyclic chunks to try: none, or channel=16,32;block=8 (default: if they matter)");
  app.add_option("--orders", o.orders, "loop orders to try: none or all (default: those that matter)");
  app.add_option("--kernel", o.kernels, "kernels of a graph to explore: NAME,NAME (default: all)")->delimiter(',');
  app.add_option("--limit", o.limit, "most mappings per kernel; of more, every n-th is explored; 0: all")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000'000}))
      ->capture_default_str();
  app.add_flag("--exhaustive", o.isExhaustive, "estimate every mapping, leave none out by proof");
  app.add_option("--space", o.space,
                 "own: the mappings that the target suggests, factors: every split of every dim (default: own)");
  app.add_flag("--no-bounds", o.isUnbounded, "rule no mapping out by its bound: all get their costs");
  app.add_flag("--no-check", o.isUnchecked, "do not run the best mappings on data");
  app.add_option("--seed", o.seed, "seed of the data for checks")->capture_default_str();
}

std::vector<Verb> verbs() {
  namespace d = pimento::driver;
  constexpr const char *kInput = "INPUT";
  return {
      {"targets", "list the machines, or show one with the source of every number", "NAME", false, d::targets,
       [](CLI::App &a, Options &o) {
         addMachine(a, o);
         a.add_flag("--schema", o.isSchema, "the keys of machine files, with kinds and units");
         addJson(a, o);
       }},
      {"kernels", "list the kernels of the zoo, or show one", "NAME", false, d::kernels,
       [](CLI::App &a, Options &o) {
         addKernel(a, o);
         addJson(a, o);
       }},
      {"compile", "print a stage of the compilation", kInput, true, d::compile,
       [](CLI::App &a, Options &o) {
         addTarget(a, o);
         addMachine(a, o);
         addKernel(a, o);
         addMapping(a, o);
         addData(a, o);
         addSeed(a, o);
         a.add_option("--emit", o.emit, "kernel, mapping, cnm, llvcnm, commands, asm, c, host, ir or mlir")
             ->capture_default_str();
       }},
      {"estimate", "time and energy by exact fast-forward", kInput, true, d::estimate,
       [](CLI::App &a, Options &o) {
         addEstimation(a, o);
         addEngine(a, o, "fast-forward (default; exact) or two-slice (extrapolates, as CoMoNM does)");
       }},
      {"simulate", "run every command, on data, and check the answer", kInput, true, d::simulate, addSimulation},
      {"compare", "one kernel on several targets, side by side", kInput, true, d::compare,
       [](CLI::App &a, Options &o) {
         a.add_option("--targets", o.targets, "comma-separated machines, or all")->delimiter(',');
         addMachine(a, o);
         addKernel(a, o);
         addMapping(a, o);
         addData(a, o);
         addSeed(a, o);
         addJson(a, o);
       }},
      {"explore", "all mappings of a kernel, or sweeps of machine numbers and sizes", kInput, true, d::explore,
       [](CLI::App &a, Options &o) {
         addEvaluation(a, o);
         addExploration(a, o);
       }},
      {"explain", "any number of a result back to formulas, counts and sources", "INPUT", true, d::explain,
       [](CLI::App &a, Options &o) {
         addEstimation(a, o);
         a.add_option("--number", o.number, "one number, named as in the JSON: breakdown.merge, counts.activates");
         a.add_option("--depth", o.depth, "levels to show")->check(CLI::Range(0, 64));
       }},
      {"report", "results as one HTML page", nullptr, false, d::report,
       [](CLI::App &a, Options &o) {
         a.add_option("FILE", o.inputs, "what --json or simulate --trace wrote; several make one page")->required();
       }},
      {"calibrate", "times of a machine from micro-benchmark tables, with residuals", "TARGET", true, d::calibrate,
       [](CLI::App &a, Options &o) {
         a.add_option("--points", o.points, "a CSV file or a folder of them");
         a.add_option("--jobs", o.jobs, "threads (default: all processors)")->check(CLI::Range(0, 1024));
         addMachine(a, o);
         addJson(a, o);
       }},
      {"validate", "replay reference points and print our error", "SUITE", true, d::validate,
       [](CLI::App &a, Options &o) {
         a.add_option("--points", o.points, "a CSV file or a folder of them");
         a.add_option("--jobs", o.jobs, "threads (default: all processors)")->check(CLI::Range(0, 1024));
         a.add_option("--target", o.target, "mappings: the machine (default: hbm-pim)");
         a.add_option("--kernels", o.kernels, "mappings: kernels of the zoo (default: those of the CoMoNM paper)")
             ->delimiter(',');
         a.add_option("--count", o.count, "mappings: random mappings of each kernel")
             ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
             ->capture_default_str();
         a.add_option("--seed", o.seed, "seed of random mappings and data")->capture_default_str();
         addEngine(a, o, "simulate, fast-forward or two-slice (default: simulate on upmem, else fast-forward)");
         addMachine(a, o);
         addJson(a, o);
       }},
  };
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

/// A C compiler's arguments are read by the verb itself.
int runCompiler(int argc, char **argv) {
  const pimento::driver::CcOutcome outcome = pimento::driver::upmemCc({argv, argv + argc});
  std::fputs(outcome.messages.c_str(), stderr);
  std::fwrite(outcome.text.data(), 1, outcome.text.size(), stdout);
  return std::fflush(stdout) == 0 ? outcome.status : 1;
}

int run(int argc, char **argv) {
  if (argc > 1 && argv[1] == std::string_view(kCompilerVerb)) return runCompiler(argc - 2, argv + 2);
  CLI::App app{
      "Pimento: compile a kernel for a memory-centric machine, prove the answer, say the time and the energy."};
  app.require_subcommand(1);
  app.set_version_flag("--version", kVersion);
  app.footer(
      "INPUT is a .mlir, .c, .cnm or .llvcnm file, a DPU program (.s, ELF), index notation in quotes "
      "('y[i] += A[i,j] * x[j]'), or a kernel of the zoo.\n"
      "Example: pimento simulate gemv --size m=4096,n=4096");
  Options options;
  options.isStopped = &isStopped;
  const std::vector<Verb> all = verbs();
  std::vector<CLI::App *> subcommands;
  for (const Verb &v : all) {
    CLI::App *sub = app.add_subcommand(v.name, v.help);
    if (v.input != nullptr) {
      CLI::Option *input = sub->add_option(v.input, options.input);
      if (v.isInputRequired) input->required();
    }
    v.addOptions(*sub, options);
    sub->add_option("-o,--output", options.output, "write the result to a file");
    sub->add_flag("--quiet", options.isQuiet, "no warnings, no progress");
    subcommands.push_back(sub);
  }
  // For --help alone.
  app.add_subcommand(kCompilerVerb, "compile a program in UPMEM's C interface; flags like a C compiler");
  std::vector<std::string> names{kCompilerVerb};
  for (const Verb &v : all) names.emplace_back(v.name);
  if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    std::fprintf(stderr, "pimento has no verb '%s': %s\n", argv[1], pimento::suggest(argv[1], names).c_str());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (subcommands[i]->parsed()) {
      if (all[i].name == std::string_view("explore")) std::signal(SIGINT, stop);
      Outcome outcome = all[i].run(options);
      pimento::driver::locate(outcome.diagnostics, options);
      return print(outcome, options.output, options.isQuiet);
    }
  return 2;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr,
                 "error: out of memory [out-of-memory]\n  hint: use smaller sizes, or --data none for timing only\n");
    return 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr,
                 "pimento: internal error: %s\nThis is a bug of Pimento, not of your input; please report it with the "
                 "command you ran.\n",
                 e.what());
    return 3;
  }
}
