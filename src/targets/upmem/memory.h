// What the host puts into a DPU's MRAM, and reads from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/data.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/program.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

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

/// The plan for the data of one kernel on many DPUs.
class HostPlan {
 public:
  virtual ~HostPlan() = default;

  virtual std::int64_t dpus() const = 0;
  /// Bytes of MRAM that are taken, from its start.
  virtual std::int64_t end() const = 0;
  virtual evaluate::HostWork hostWork() const = 0;
  /// Tensors that operands are gathered from.
  virtual std::vector<int> tensors() const = 0;
  /// The operands of one DPU.
  virtual std::vector<Block> operands(std::int64_t dpu, const kernel::DataSet &data) const = 0;
  /// The same where every element of every operand holds `value`.
  virtual std::vector<Fill> fills(std::int64_t dpu, double value) const = 0;
  /// What the host reads back, empty.
  virtual std::vector<Block> results() const = 0;
  /// Puts them together into `data`; both must outlive it.
  virtual std::unique_ptr<Results> collector(kernel::DataSet &data) const = 0;
  /// What the program takes for granted of its data.
  virtual Status check(const kernel::DataSet & /*data*/) const { return okStatus(); }
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
