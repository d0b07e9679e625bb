// Where operands and results of a measured program lie in a DPU's MRAM, and how the host moves them.
//
// Arrays one after another from the first free byte, as the heads of kernels/upmem/measured/*.s say. A DPU's share is
// a box of rows (of elements, for the streaming shapes) that starts at a multiple of its size; what lies beyond the
// kernel's extents is padding with a value that changes no result: odd for a selection, else 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/lower/operand.h"
#include "pimento/targets/upmem/measured/pattern.h"
#include "pimento/targets/upmem/measured/program.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem::measured {

class Layout final : public HostPlan {
 public:
  /// `extents`: of the kernel's dims.
  Layout(const kernel::Graph &graph, int kernel, const Pattern &pattern, const Work &work, std::int64_t dpus,
         std::int64_t tasklets, const std::vector<std::int64_t> &extents, std::int64_t firstByte);
  /// That of one DPU with less work.
  Layout cut(const Work &work) const {
    return {*scheme_.graph, scheme_.number, pattern_, work, 1, tasklets(), extents(), firstByte()};
  }

  const Pattern &pattern() const { return pattern_; }
  const Work &work() const { return work_; }
  std::int64_t tasklets() const { return scheme_.threads; }
  std::vector<std::int64_t> extents() const;
  /// Rows, or elements, of DPU `dpu` that are the kernel's, not padding.
  std::int64_t rowsOf(std::int64_t dpu) const;
  /// Do all DPUs get one copy?
  bool isSame(const lower::Operand &o) const { return o.isShared() && !o.involves(pattern_.rows); }

  const lower::Scheme &scheme() const override { return scheme_; }
  std::vector<const lower::Operand *> arrays() const override;
  std::int64_t end() const override { return addSaturated(firstByte(), bytes_); }
  evaluate::HostWork hostWork() const override;
  std::vector<Fill> fills(std::int64_t dpu, double value) const override;
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;
  /// Diagnostics: unsupported-data (values of a histogram beyond 12 bits).
  Status check(const kernel::DataSet &data) const override;

 private:
  std::int64_t rowsPerDpu() const { return scheme_.axis(pattern_.rows).perUnit(); }
  lower::Operand viewed(const View &view, const std::vector<int> &dims, lower::Use use);
  void place(lower::Operand o, std::int64_t unit);

  Pattern pattern_;
  Work work_;
  lower::Scheme scheme_;
  std::int64_t bytes_ = 0;
  std::vector<lower::Operand> arrays_;  ///< positions are dims of the kernel; behind a selection its counters
  lower::Operand extra_;                ///< what the host itself adds up: counts, carried sums
};

}  // namespace pimento::targets::upmem::measured
