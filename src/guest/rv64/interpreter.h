// Runs a static program for RISC-V 64 without QEMU, and hands what it executes to a consumer as guest::runGuest does.
//
// Blocks are the interpreter's own, which end where QEMU's do not; accesses are the same, in the same order.
#pragma once

#include "pimento/base/diagnostics.h"
#include "pimento/guest/elf_image.h"
#include "pimento/guest/guest.h"
#include "pimento/trace/stream.h"

namespace pimento::guest::rv64 {

/// Whether the interpreter runs it: RV64, and no loader is asked for.
bool runs(const ElfImage &image);

/// `image`: of options.program. A consumer that wants no more does not slow the guest down. `isStopped` ends it with
/// signal 9. Diagnostics: those of Machine::make and Machine::step; "unreadable-file", "unwritable-file",
/// "guest-failed" (no instruction ran), those of the decoder.
Result<GuestEnd> run(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer);

}  // namespace pimento::guest::rv64
