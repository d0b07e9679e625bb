// `profile PROG -- ARGS`: a program of a host, what it takes, and what of it caches could compute (Eva-CiM).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/profile.h"
#include "pimento/trace/program.h"

namespace pimento::cluster {
struct Sharing;
}

namespace pimento::driver {

struct Options;
struct Outcome;
struct ProfileLines;

/// Time of a function, callees apart.
struct FunctionCycles {
  std::string name;
  std::int64_t cycles = 0;
};

/// A reshaped program that was executed, and did what the program does.
struct Executed {
  std::int64_t instructions = 0;  ///< of the core
  std::int64_t computed = 0;      ///< by caches
  std::int64_t gone = 0;          ///< instructions of the program that did not run
};

/// One choice of caches, of what they are made of, and of those that compute.
struct ProfileChoice {
  std::string caches, arrays, technology, levels;  ///< as the options have them; empty: the machine's own
  machine::Machine machine;
  evaluate::Profile profile;
  std::optional<Executed> executed;  ///< --check-reshaped
};

struct ProfileAnswer {
  std::string program;
  std::vector<ProfileChoice> choices;  ///< one at least; what follows is of the first one
  trace::ProgramEnd guest;
  std::string engine;  ///< that ran it (ProgramRun)
  bool isSampled = false;
  std::vector<FunctionCycles> functions;      ///< the slowest first
  std::shared_ptr<const ProfileLines> lines;  ///< with --lines; else null
  std::vector<std::string> warnings;
  std::shared_ptr<const cluster::Sharing> sharing;  ///< of several ranks; else null

  const machine::Machine &machine() const { return choices.front().machine; }
  const evaluate::Profile &profile() const { return choices.front().profile; }
};

/// `options.input` is the program, or a saved trace. Diagnostics: those of runProgram(), profileLines(), machines and
/// ReshapedCheck; Target::profiler; "lines-of-sample".
Result<ProfileAnswer> profile(const Options &options);
/// 0 of nothing.
double ratio(std::int64_t a, std::int64_t b);
Outcome show(const ProfileAnswer &answer, const Options &options);

}  // namespace pimento::driver
