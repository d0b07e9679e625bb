// Runs a program of another instruction set in QEMU's user mode, and hands what it executes to a consumer.
//
// QEMU runs as a child with a plugin of ours (tools/qemu-plugin); standard input passes, the guest's output goes to
// standard error or to a file. One input gives one stream, byte for byte: no environment, no address randomisation, a
// fixed processor and seed, a clock that counts questions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/guest/elf_image.h"
#include "pimento/trace/stream.h"

namespace pimento::guest {

struct GuestOptions {
  std::string program;
  std::vector<std::string> arguments;  ///< without the program's name
  std::string sysroot;                 ///< folder with loader and libraries; empty: what static programs need, nothing
  std::string stdoutFile;              ///< empty: standard error
  bool recordsValues = false;          ///< what every access loads or stores
};

/// How a guest ended.
struct GuestEnd {
  int exitStatus = 0;
  int signal = 0;                 ///< that ended it; 0: none
  std::int64_t instructions = 0;  ///< of the first thread, handed on
  std::int64_t otherThreads = 0, otherProcesses = 0, otherInstructions = 0;
  std::int64_t undecodable = 0;  ///< static instructions
};

/// `image`: of options.program. Diagnostics: "missing-qemu", "missing-plugin", "wrong-qemu" (with the package that has
/// them), "missing-loader" (names --sysroot), "unwritable-file", "guest-failed" (QEMU itself did), those of Recording.
Result<GuestEnd> runGuest(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer);

}  // namespace pimento::guest
