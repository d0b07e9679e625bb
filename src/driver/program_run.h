// What `profile` runs: a program of a host in QEMU or the interpreter, or a saved trace of one; the part of it that is
// asked for; and saving it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/trace/program.h"
#include "pimento/trace/stream.h"

namespace pimento::guest::rv64 {
struct Witness;
}

namespace pimento::driver {

struct ProgramRun {
  trace::Program program;
  trace::ProgramEnd end;  ///< `instructions`: those that were handed on
  std::string engine;     ///< that ran it: "qemu", "interpreter"; "trace" of saved ones
};

/// `witness`: of the interpreter; may be null. Hands on what runs of `options.input`. Diagnostics: those of
/// guest::readElfImage, guest::runGuest, guest::rv64::run and trace::file::Reader; "unknown-engine",
/// "interpreter-program" (another than it runs), "trace-option" (an option that is for running programs), "bad-marker",
/// "unknown-function", "marker-not-reached", "no-instructions" (of the part that was asked for), "unwritable-file".
Result<ProgramRun> runProgram(const Options &options, trace::Consumer &consumer,
                              guest::rv64::Witness *witness = nullptr);

/// Who gives the instructions of `options.input`, as ProgramRun has it. Diagnostics: those of guest::readElfImage,
/// "unknown-engine", "interpreter-program".
Result<std::string> engineOfProgram(const Options &options);

/// Where instructions at addresses of the file come from: of a saved trace what it keeps, of a program what its debug
/// information says. `addresses`: ascending. Nothing where there is none; what cannot be read is said in `warnings`.
trace::SourceMap sourcesOf(const Options &options, const trace::Program &program,
                           std::span<const std::uint64_t> addresses, std::vector<std::string> &warnings);

/// Whether the file is a saved trace, by its ending or its first bytes.
bool isSavedTrace(const std::string &file);

}  // namespace pimento::driver
