// What arrays of a program lie in wordlines from one region to the next, and which of them memory has not seen yet.
//
// Values stay transposed while the regions that follow have the same layout and the same wordlines for them; a region
// with another layout begins with empty arrays. Boxes are brought in when a region first reads them and taken out when
// something else needs them. Not here: what regions compute, and time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/lanes.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/lower/l3_sram/region.h"
#include "pimento/sim/sram/executor.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

/// Bits of one element, and an element of these bits.
std::uint64_t bitsOfElement(DType type, kernel::Scalar x);
kernel::Scalar elementOfBits(DType type, std::uint64_t bits);

/// What has gone in and out so far.
struct ResidencyCounts {
  std::int64_t layouts = 0;                ///< times that arrays began empty
  std::int64_t laidOut = 0, takenOut = 0;  ///< elements transposed on the way in, on the way out
};

class Residency {
 public:
  /// `data` outlives it: what lies there is current for all that is not in wordlines.
  Residency(machine::Sram::Mode mode, int jobs, kernel::DataSet &data) : mode_(mode), jobs_(jobs), data_(data) {}

  /// Arrays of this layout, with what the schedule's residents still have of data. `names[array]` is its number in
  /// `data`.
  void begin(const lower::l3_sram::Layout &layout, const tdfg::Schedule &schedule, const std::vector<int> &names);
  /// The cells of `box` of an array of the schedule are in its wordlines from here on.
  void bringIn(int array, const tdfg::BoundBox &box);
  /// A region has written them there. Others that its wordlines held are gone where `isAlone`.
  void wrote(int array, const tdfg::BoundBox &box, bool isAlone);
  /// Memory has all that wordlines have, of an array in data; of all.
  void takeOut(int data);
  void takeOutAll();
  /// Somebody else is about to write the array in memory.
  void forget(int data);

  kernel::TensorData &data(int number) { return data_[static_cast<std::size_t>(number)]; }
  kernel::DataSet &all() { return data_; }
  sim::sram::Executor &executor() { return *executor_; }
  const ResidencyCounts &counts() const { return counts_; }

  /// Elements of a box, dim 0 fastest, in wordlines from `row` on.
  std::vector<std::uint64_t> load(int row, DType type, const tdfg::BoundBox &box);
  void store(int row, DType type, const tdfg::BoundBox &box, std::span<const std::uint64_t> elements);

 private:
  struct Resident {
    int data = -1, row = -1;
    tdfg::BoundBox valid, newer;  ///< what wordlines have; what of it memory has not. Empty: nothing
    int misses = 0;
  };
  Resident *find(int data);
  void takeOut(Resident &r);
  tdfg::BoundBox whole(int data) const;

  machine::Sram::Mode mode_;
  int jobs_;
  kernel::DataSet &data_;
  std::optional<lower::l3_sram::Layout> layout_;
  int wordlines_ = 0;
  /// By shape: regions take turns. What an array held under another layout is nobody's.
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<sim::sram::Executor>> executors_;
  sim::sram::Executor *executor_ = nullptr;  ///< of the region in hand
  std::vector<Resident> residents_;          ///< at most one per array of data
  std::vector<int> byArray_;                 ///< by array of the schedule: number in data
  std::vector<int> rows_;                    ///< by array of the schedule: its first wordline
  ResidencyCounts counts_;
};

}  // namespace pimento::targets::l3_sram
