// The host's part of a compiled program: what it writes into every DPU before the launch, and what it makes of what it
// reads back.
//
// Operands are gathered box by box, results scattered; partial results merge in the mapping's order (kernel/order.h):
// tasklets, then the DPUs of a rank, then ranks, then onto what is there. Arithmetic as the interpreter's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/program/code.h"
#include "pimento/targets/upmem/compiled/scheme.h"
#include "pimento/targets/upmem/compiled/writer.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem::compiled {

class Plan {
 public:
  Plan(Scheme scheme, std::vector<Argument> arguments, std::shared_ptr<const program::Code> code);

  const Scheme &scheme() const { return scheme_; }
  std::int64_t dpus() const { return scheme_.dpus; }
  /// Bytes of MRAM that are taken, from its start.
  std::int64_t end() const { return firstByte_ + scheme_.mramBytes; }
  evaluate::HostWork hostWork() const;

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

  /// What the host places in a DPU's MRAM.
  std::vector<Block> operands(std::int64_t dpu, const kernel::DataSet &data) const;
  /// The same where every element holds `value`.
  std::vector<Fill> fills(double value) const;
  /// The same where arrays lie as `alone` says.
  std::vector<Fill> fillsAlone(double value) const;
  /// What it reads back, empty.
  std::vector<Block> results() const;
  /// Tensors that operands are gathered from.
  std::vector<int> tensors() const;

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
  /// A value in one of the three forms that the interpreter computes in.
  struct Number {
    std::int64_t i = 0;
    double d = 0;  ///< holds a float exactly
    bool isThere = false;
  };
  /// Partial results of one store, by element of its tensor, as far as there are any: of this DPU, this rank, all.
  struct Sums {
    std::vector<Number> dpu, rank, all;
    std::vector<std::int64_t> touchedInDpu, touchedInRank;
  };

  void addWritten(const Operand &o, const Block &block);
  void addPartial(const Operand &o, const Block &block);
  void addSelected(const Operand &o, const Block &block, const Block &counts);
  void addScan(const std::vector<Block> &results);
  void closeDpu(Sums &sums, const kernel::Store &store, DType type);
  void closeRank(Sums &sums, const kernel::Store &store, DType type);
  template <typename Visit>
  void forEach(const Operand &o, std::int64_t tasklet, bool heedsGuards, Visit &&visit) const;
  Number combine(kernel::Combine c, DType type, const Number &a, const Number &b) const;
  static Number read(DType type, const std::byte *from);
  static Number identity(kernel::Combine c, DType type);
  Number load(const kernel::TensorData &t, std::int64_t element) const;
  void save(kernel::TensorData &t, std::int64_t element, const Number &x) const;
  const kernel::Store &storeOf(const Operand &o) const;

  const Plan &plan_;
  const Scheme &scheme_;
  kernel::DataSet &data_;
  std::int64_t dpu_ = 0;
  std::int64_t selected_ = 0;
  std::map<int, Sums> sums_;  ///< by store
  Number carried_;            ///< prefix sums: of all DPUs so far
};

}  // namespace pimento::targets::upmem::compiled
