// What the host puts into a DPU's MRAM, and reads from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/data.h"
#include "pimento/lower/operand.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/program.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

/// Has the machine DPUs? Diagnostics: unsupported-machine.
Status checkMachine(const machine::Machine &machine);

/// Bytes and where in MRAM they go, or come from.
struct Block {
  std::int64_t offset = 0;
  std::vector<std::byte> bytes;
};

/// `size` bytes from `offset` that repeat an element.
struct Fill {
  std::int64_t offset = 0, size = 0;
  std::vector<std::byte> pattern;
};

/// Puts the results of all DPUs together, onto what the caller has made.
class Results {
 public:
  virtual ~Results() = default;
  /// What the next DPU left, from number 0 on.
  virtual void add(const std::vector<Block> &results) = 0;
  /// After the last one.
  virtual void finish() = 0;
};

/// The plan for the data of one kernel on many DPUs: operands as lower/operand.h places them, from a byte of MRAM on.
class HostPlan {
 public:
  virtual ~HostPlan() = default;

  /// Units are DPUs, threads tasklets.
  virtual const lower::Scheme &scheme() const = 0;
  /// What lies in MRAM, in order.
  virtual std::vector<const lower::Operand *> arrays() const = 0;
  /// Bytes of MRAM that are taken, from its start.
  virtual std::int64_t end() const = 0;
  virtual evaluate::HostWork hostWork() const = 0;
  /// The operands of DPU `dpu` where every element of every one holds `value`.
  virtual std::vector<Fill> fills(std::int64_t dpu, double value) const = 0;
  /// What the host reads back, empty.
  virtual std::vector<Block> results() const;
  /// Puts them together into `data`; both must outlive it. Sets results that no one has given to where their
  /// accumulation starts: operands are gathered from then on.
  virtual std::unique_ptr<Results> collector(kernel::DataSet &data) const = 0;
  /// What the program takes for granted of its data.
  virtual Status check(const kernel::DataSet & /*data*/) const { return okStatus(); }

  std::int64_t dpus() const { return scheme().units; }
  std::int64_t firstByte() const { return firstByte_; }
  /// Tensors that operands are gathered from.
  std::set<int> tensors() const;
  /// The operands of one DPU, and array number `array` of one of them.
  std::vector<Block> operands(std::int64_t dpu, const kernel::DataSet &data) const;
  Block operand(const lower::Operand &o, std::int64_t dpu, std::int64_t array, const kernel::DataSet &data) const;
  /// The first `bytes` of an array, of padding alone.
  Block empty(const lower::Operand &o, std::int64_t array, std::int64_t bytes) const;

 protected:
  explicit HostPlan(std::int64_t firstByte) : firstByte_(firstByte) {}

  std::byte padding_{0};  ///< the first byte of elements that are no tensor's

 private:
  std::int64_t firstByte_;
};

/// A lowered kernel. `Plan`: of its data.
template <typename Plan>
struct LoweredTo {
  program::Program program;  ///< one process, of machine code
  mapping::PlacedMapping placed;
  evaluate::HostWork host;
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const sim::dpu::Image> image;
};

}  // namespace pimento::targets::upmem
