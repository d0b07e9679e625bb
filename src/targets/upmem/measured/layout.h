// Where operands and results of a measured program lie in a DPU's MRAM, and how the host moves them.
//
// Arrays one after another from the first free byte, as the heads of kernels/upmem/measured/*.s say. A DPU's share is
// a box of rows (of elements, for the streaming shapes) that starts at a multiple of its size; what lies beyond the
// kernel's extents is padding with a value that changes no result: odd for a selection, else 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/targets/upmem/measured/pattern.h"
#include "pimento/targets/upmem/measured/program.h"
#include "pimento/targets/upmem/memory.h"

namespace pimento::targets::upmem::measured {

/// An array in every DPU's MRAM.
struct Array {
  enum class Part : std::uint8_t {
    kA,
    kB,
    kOut,      ///< results, or what is selected
    kPartial,  ///< sums, 16 bytes per tasklet
    kKept,     ///< counters, 16 bytes per round
  };
  Part part = Part::kA;
  std::int64_t offset = 0, bytes = 0;
  bool isInput = false;
  bool isSame = false;  ///< all DPUs get one copy
};

class Layout final : public HostPlan {
 public:
  struct Shares {
    std::int64_t dpus = 1, tasklets = 1;
    std::vector<std::int64_t> extents;  ///< of the kernel's dims
  };
  Layout(Pattern pattern, Work work, Shares shares, std::int64_t firstByte);

  const Pattern &pattern() const { return pattern_; }
  const Work &work() const { return work_; }
  std::int64_t dpus() const override { return shares_.dpus; }
  const std::vector<Array> &arrays() const { return arrays_; }
  const Shares &shares() const { return shares_; }
  std::int64_t firstByte() const { return firstByte_; }
  std::int64_t end() const override;
  evaluate::HostWork hostWork() const override;

  /// Rows, or elements, of DPU `dpu` that are the kernel's, not padding.
  std::int64_t rowsOf(std::int64_t dpu) const;

  /// One operand of one DPU.
  Block operand(const Array &array, std::int64_t dpu, const kernel::DataSet &data) const;
  std::vector<int> tensors() const override;
  std::vector<Block> operands(std::int64_t dpu, const kernel::DataSet &data) const override;
  std::vector<Fill> fills(std::int64_t dpu, double value) const override;
  std::vector<Block> results() const override;
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;
  /// Diagnostics: unsupported-data (values of a histogram beyond 12 bits).
  Status check(const kernel::DataSet &data) const override;

 private:
  friend class Merger;

  std::int64_t elementBytes() const { return sizeOf(pattern_.type).value; }
  std::int64_t rowsPerDpu() const;
  void add(Array::Part part, std::int64_t bytes, bool isInput, bool isSame = false);
  /// Elements of an operand in one DPU, the kernel's alone: calls row(index in the array, first element of the tensor,
  /// stride in the tensor, count) for runs of neighbours.
  template <typename Row>
  void forEachRow(Array::Part part, std::int64_t dpu, Row &&row) const;

  Pattern pattern_;
  Work work_;
  Shares shares_;
  std::int64_t firstByte_;
  std::vector<Array> arrays_;
};

/// Puts the results of all DPUs together: adds partial sums and histograms, closes the gaps of selections, shifts
/// prefix sums by what came before. Onto what `data` holds, which the caller has made.
class Merger final : public Results {
 public:
  /// Both must outlive it.
  Merger(const Layout &layout, kernel::DataSet &data) : layout_(layout), data_(data) {}

  /// The next DPU, from number 0 on: its Layout::results(), filled.
  void add(const std::vector<Block> &results) override;
  /// After the last one.
  void finish() override;

 private:
  void addVa(const Block &out);
  void addRed(const Block &partial);
  void addSel(const Block &out, const Block &kept);
  void addScan(const Block &out);
  void addHst(const Block &partial);
  void addProduct(const Block &out);
  kernel::TensorData &tensor(const View &v) { return data_[static_cast<std::size_t>(v.tensor)]; }
  void accumulate(const View &v, std::int64_t element, std::int64_t x);

  const Layout &layout_;
  kernel::DataSet &data_;
  std::int64_t dpu_ = 0;
  std::int64_t count_ = 0;    ///< selected so far
  std::int64_t carried_ = 0;  ///< sum of all DPUs so far
};

}  // namespace pimento::targets::upmem::measured
