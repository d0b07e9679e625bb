// What a DPU program printed: the log that the run-time routines log_text, log_integer, log_hex (src/dpu/runtime/log.s)
// and printf (printf.s) fill.
//
// A program has a log if it defines `__log_buffer`, a variable in MRAM, and `__log_used`, a word in WRAM that counts
// the bytes written so far. Its first `__log_used` bytes are the log, which dpu/log_text.h reads; a count beyond its
// size says how much did not fit. Whoever reads the log sets the count back to 0, so that every launch starts an empty
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pimento/program/code.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

class DpuLog {
 public:
  /// Nothing to read where the program has no log.
  explicit DpuLog(const program::Code &code);

  /// Takes what `dpu` has printed since the last call.
  void take(sim::dpu::Dpu &dpu);

  const std::string &text() const { return text_; }
  /// Bytes of the log that were read.
  std::int64_t taken() const { return taken_; }
  /// Bytes that did not fit.
  std::int64_t lost() const { return lost_; }
  std::int64_t size() const { return size_; }

 private:
  std::uint32_t buffer_ = 0, used_ = 0;
  std::int64_t size_ = 0, taken_ = 0, lost_ = 0;  // size 0: no log
  std::string text_;
};

}  // namespace pimento::targets::upmem
