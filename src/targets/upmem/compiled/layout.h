// The host's part of a compiled program: what it writes into every DPU before the launch, and what it makes of what it
// reads back.
//
// lower/host_data.h says how.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/program/code.h"
#include "pimento/targets/upmem/compiled/scheme.h"
#include "pimento/targets/upmem/compiled/writer.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem::compiled {

class Plan final : public HostPlan {
 public:
  Plan(Scheme scheme, std::vector<Argument> arguments, std::shared_ptr<const program::Code> code);

  const Scheme &scheme() const override { return scheme_; }
  std::vector<const lower::Operand *> arrays() const override;
  std::int64_t end() const override { return firstByte() + scheme_.mramBytes; }
  evaluate::HostWork hostWork() const override;

  /// The block of arguments of one DPU.
  program::Code::Segment arguments(std::int64_t dpu) const;
  /// That of one where every tasklet has so many values of each dim, as many as it has or fewer, and all together so
  /// many that are no padding. Partial results are merged as far as they go.
  program::Code::Segment shortened(std::int64_t dpu, const std::vector<std::int64_t> &ranges,
                                   const std::vector<std::int64_t> &valid) const;
  /// That of a DPU whose first tasklet has so many values of each dim and whose others have none; each tasklet could
  /// have `ranges` (no fewer), which whole dims have anyway. Arrays lie where they do not depend on the mapping, and
  /// nothing is merged. For counting: an aligned program issues the same wherever they lie.
  program::Code::Segment alone(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &ranges) const;
  /// DPUs with equal numbers do the same, as long as values do not decide.
  std::vector<std::int64_t> kindOf(std::int64_t dpu) const;
  bool areAlike() const;  ///< all of them

  std::vector<Fill> fills(std::int64_t /*dpu*/, double value) const override { return fills(value, false); }
  /// `isAlone`: arrays lie as `alone` says.
  std::vector<Fill> fills(double value, bool isAlone) const;
  std::vector<Block> results() const override;
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;

 private:
  program::Code::Segment block(const std::vector<Argument> &arguments, std::int64_t dpu) const;
  bool isOnePiece(const Operand &o) const;

  Scheme scheme_;
  std::vector<Argument> arguments_;
  std::shared_ptr<const program::Code> code_;
};

}  // namespace pimento::targets::upmem::compiled
