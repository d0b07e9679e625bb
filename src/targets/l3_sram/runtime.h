// Infinity Stream's runtime: a fat binary on arrays that its user has, in the simulated machine.
//
// Sizes come when it runs. Every region gets the layout that the published heuristic finds for its hints (a layout per
// phase); regions whose layout is the last one's find their arrays where they are. What does not fit the arrays is left
// to streams, which say why. Of the versions of a program the one runs whose commands take least at these sizes.
// Infinity Stream, section 4. Not here: the interface in C (capi/infinity_stream).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/l3_sram/run_counts.h"
#include "pimento/tdfg/fat_binary.h"

namespace pimento::targets::l3_sram {

struct RuntimeOptions {
  /// By array: its rows are no whole lines of the cache, so it is not transposed. Empty: none.
  std::vector<bool> isForeign;
  /// The core runs it all, in the order of the source.
  bool isOnCore = false;
  int jobs = 1;
  bool hasMemo = true;
};

struct RuntimeReport {
  RunCounts counts;
  ResidencyCounts residency;
  std::vector<std::string> left;  ///< "region: why", of regions that streams run
};

/// A fat binary at sizes, on a machine; the machine outlives it.
class Runtime {
 public:
  /// Diagnostics: those of bindSizes(), inf-array-size (no schedules for the machine's arrays), too-many-arrays (more
  /// than the machine keeps at a time).
  static Result<Runtime> make(const tdfg::FatBinary &binary, const std::map<std::string, std::int64_t> &sizes,
                              const machine::Machine &machine, const RuntimeOptions &options = {});

  const tdfg::Program &program() const { return program_; }
  const tdfg::Values &values() const { return values_; }
  /// Number of the version that runs: 0 is the first.
  std::size_t version() const { return version_; }
  /// Runs it on `data`, by array, as tdfg::prepare() leaves them. Diagnostics: index-out-of-range.
  Result<RuntimeReport> run(kernel::DataSet &data) const;
  /// Lowers every region instance and calls `see`, without data and without memory of earlier ones.
  Status lowerAll(const RoundVisitor &see) const;

 private:
  Runtime() = default;
  static Result<Runtime> makeOne(const tdfg::FatBinary &binary, const std::map<std::string, std::int64_t> &sizes,
                                 const machine::Machine &machine, const RuntimeOptions &options);
  RegionProgram regions() const;
  /// What its commands take.
  Result<std::int64_t> cycles() const;

  tdfg::Program program_;
  std::vector<tdfg::Schedule> schedules_;
  tdfg::Values values_;
  std::vector<std::string> left_;
  const machine::Machine *machine_ = nullptr;
  RuntimeOptions options_;
  int elementBytes_ = 8;
  std::size_t version_ = 0;
};

}  // namespace pimento::targets::l3_sram
