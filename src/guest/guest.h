// Runs a program of another instruction set in QEMU's user mode, and hands what it executes to a consumer.
//
// QEMU runs as a child with a plugin of ours (tools/qemu-plugin); standard input passes, the guest's output goes to
// standard error or to a file. One input gives one stream, byte for byte: no environment, no address randomisation, a
// fixed processor and seed, a clock that counts questions.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/guest/elf_image.h"
#include "pimento/trace/stream.h"

namespace pimento::guest {

namespace rv64 {
struct Witness;
}

struct GuestOptions {
  std::string program;
  std::vector<std::string> arguments;  ///< without the program's name
  std::string sysroot;                 ///< folder with loader and libraries; empty: what static programs need, nothing
  std::string stdoutFile;              ///< empty: standard error
  bool recordsValues = false;          ///< what every access loads or stores
  const std::atomic<bool> *isStopped = nullptr;  ///< once set, the guest is killed; may be null
  rv64::Witness *witness = nullptr;              ///< of the interpreter; may be null
};

/// How a guest ended; `instructions` are all of the first thread.
using GuestEnd = trace::ProgramEnd;

/// Whether QEMU for an instruction set is on the PATH.
bool isQemuInstalled(trace::Isa isa);

/// `image`: of options.program. A guest of which the consumer wants no more runs on to its end. Diagnostics:
/// "missing-qemu", "missing-plugin", "wrong-qemu" (with the package that has them), "missing-loader", "missing-library"
/// (name --sysroot), "unwritable-file", "guest-failed" (QEMU itself did), those of Recording.
Result<GuestEnd> runGuest(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer);

}  // namespace pimento::guest
