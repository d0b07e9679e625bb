// The host's part of a compiled program: what it writes into every DPU before the launch, and what it makes of what it
// reads back.
//
// Operands are gathered box by box, results scattered; partial results merge in the mapping's order (kernel/order.h):
// tasklets, then the DPUs of a rank, then ranks, then onto what is there. Arithmetic as the interpreter's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/lower/host_data.h"
#include "pimento/program/code.h"
#include "pimento/targets/upmem/compiled/scheme.h"
#include "pimento/targets/upmem/compiled/writer.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem::compiled {

class Plan final : public HostPlan {
 public:
  Plan(Scheme scheme, std::vector<Argument> arguments, std::shared_ptr<const program::Code> code);

  const Scheme &scheme() const { return scheme_; }
  std::int64_t dpus() const override { return scheme_.dpus; }
  std::int64_t end() const override { return firstByte_ + scheme_.mramBytes; }
  evaluate::HostWork hostWork() const override;

  /// The block of arguments of one DPU.
  program::Code::Segment arguments(std::int64_t dpu) const;
  /// That of a DPU where every tasklet has so many values of each dim, as many as it has or fewer, and all together so
  /// many that are no padding. Partial results are merged as far as they go.
  program::Code::Segment shortened(const std::vector<std::int64_t> &ranges,
                                   const std::vector<std::int64_t> &valid) const;
  /// That of a DPU whose first tasklet has so many values of each dim and whose others have none; each tasklet could
  /// have `ranges` (no fewer), which whole dims have anyway. Arrays lie where they do not depend on the mapping, and
  /// nothing is merged. For counting: an aligned program issues the same wherever they lie.
  program::Code::Segment alone(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &ranges) const;
  /// The operand whose array begins at this byte of MRAM.
  const Operand &operandAt(std::int64_t offset) const;
  /// DPUs with equal numbers do the same, as long as values do not decide.
  std::vector<std::int64_t> kindOf(std::int64_t dpu) const;

  std::vector<Block> operands(std::int64_t dpu, const kernel::DataSet &data) const override;
  std::vector<Fill> fills(std::int64_t /*dpu*/, double value) const override { return fills(value, false); }
  /// `isAlone`: arrays lie as `alone` says.
  std::vector<Fill> fills(double value, bool isAlone) const;
  std::vector<Block> results() const override;
  std::vector<int> tensors() const override;
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;

 private:
  friend class Collector;
  void gather(const Operand &o, const std::vector<std::int64_t> &base, const std::vector<std::int64_t> &sizes,
              const kernel::DataSet &data, std::byte *to) const;
  program::Code::Segment block(const std::vector<Argument> &arguments, std::int64_t dpu) const;
  bool isOnePiece(const Operand &o) const;

  Scheme scheme_;
  std::vector<Argument> arguments_;
  std::shared_ptr<const program::Code> code_;
  std::int64_t firstByte_ = 0;
};

/// Puts the results of all DPUs together, onto what `data` holds, which the caller has made.
class Collector final : public Results {
 public:
  /// Both must outlive it.
  Collector(const Plan &plan, kernel::DataSet &data);

  /// The next DPU, from number 0 on: its Plan::results(), filled.
  void add(const std::vector<Block> &results) override;
  /// After the last one.
  void finish() override;

 private:
  void addWritten(const Operand &o, const Block &block);
  void addPartial(const Operand &o, const Block &block);
  void addSelected(const Operand &o, const Block &block, const Block &counts);
  void addScan(const std::vector<Block> &results);
  template <typename Visit>
  void forEach(const Operand &o, std::int64_t tasklet, Visit &&visit) const;
  kernel::TensorData &tensorOf(const Operand &o) { return data_[static_cast<std::size_t>(o.tensor)]; }
  /// Of the only element that a prefix sum accumulates into.
  std::int64_t carriedElement(const Operand &o) const;

  const Scheme &scheme_;
  std::vector<std::vector<kernel::Affine>> guards_;  ///< by operand, of results
  kernel::DataSet &data_;
  std::int64_t dpu_ = 0;
  std::int64_t selected_ = 0;
  std::map<int, lower::PartialSums> sums_;  ///< by store
  std::optional<kernel::Scalar> carried_;   ///< prefix sums: of all DPUs so far
};

}  // namespace pimento::targets::upmem::compiled
