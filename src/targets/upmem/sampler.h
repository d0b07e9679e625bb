// Samples of a run whose time depends on its data: the run's own program on a part of the run's own data.
//
// A sample is one DPU whose tasklets have fewer points of a dim (or of several). Points come in granules.
// Every tasklet has as many granules of its share as it has stretches of equal length in it, and one granule of each
// stretch, drawn at random (stratified sampling): what changes along the data changes along the sample, and tasklets
// that have more to do than others have more to do in it. Only dims are cut along which points hang on none before
// them, and on no index. Where there are none, DPUs are sampled whole.
//
// What a program does besides its points, and how its indices grow, does not hang on data: runs on zeros, two of which
// are longer than a tile, tell how that goes on, and samples what data add to it.
//
// The longest samples have about kSampleInstructions instructions; more where the interval would be wide. A run that
// costs little more than its samples is not sampled. The same samples at any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/memory.h"
#include "pimento/targets/upmem/picks.h"
#include "pimento/targets/upmem/sample.h"

namespace pimento::targets::upmem {

/// What samples and intervals are made for.
inline constexpr double kLevel = 0.99;
/// Runs of so many instructions, of all DPUs together, are done on the data themselves: some tenths of a second.
inline constexpr double kShortRun = 12e6;
/// Samples are of three lengths, so many of each; the longest begin with about kSampleInstructions instructions. So
/// many more of each of two lengths have tasklets that do the same, and so have two that are longer than a tile.
inline constexpr int kSeeds = 6, kAlike = 3;
inline constexpr double kSampleInstructions = 0.6e6;

/// Which dims a sample has fewer points of: one granule of each of `first`, and some of `dim`. No dim: a whole DPU.
struct Way {
  std::vector<int> first;
  int dim = -1;
};

/// A program that can run on a part of its data.
class Cuttable {
 public:
  virtual ~Cuttable() = default;

  virtual const HostPlan &hostPlan() const = 0;
  /// Coarsest first, whole DPUs apart.
  virtual std::vector<Way> ways() const = 0;
  virtual std::int64_t granule(int dim) const = 0;
  /// Points of a tile; 0: a tasklet has no more than one.
  virtual std::int64_t tile(int /*dim*/) const { return 0; }
  /// Do all DPUs with as much to do take the same time on data of one kind?
  virtual bool areDpusAlike() const = 0;

  /// A DPU without operands, and where these go.
  struct Shortened {
    sim::dpu::Dpu dpu;
    std::shared_ptr<const HostPlan> plan;
  };
  /// DPU number `dpu` where every tasklet has so many points of each dim, and all together so many that are no padding.
  virtual Shortened shortened(std::int64_t dpu, const lower::PerDim &ranges, const lower::PerDim &valid) const = 0;
  /// Cycles that an instruction of such a run takes at least: tasklets wait between two of their own, and for
  /// transfers.
  virtual double leastCycles(const sim::dpu::RunResult &run) const = 0;
  /// May a whole run on constants be fast-forwarded at little cost?
  virtual bool isWholeCheapOnConstants() const { return false; }
};

/// What samples say of a run.
struct Sampling {
  Prediction cycles;        ///< of the slowest DPU
  sim::dpu::Counts counts;  ///< of all DPUs
  Cycles simulated;         ///< of all samples
};

class Sampler {
 public:
  /// `program` must outlive it. `data`: what the run's are made from.
  Sampler(const Cuttable &program, std::shared_ptr<const SampleData> data, int jobs);

  /// Nothing: the run itself costs no more. Diagnostics: of a sample that faults.
  Result<std::optional<Sampling>> run();

 private:
  struct Plan {
    Way way;
    std::int64_t most = 0;         ///< granules of the longest samples
    std::int64_t steady = 0;       ///< ... of the first of two whose tasklets do the same; the second has twice as many
    double perPart = 0, full = 0;  ///< instructions: of a granule, and of the whole run

    double cost() const;  ///< of all samples
  };

  /// Granules of a tasklet: of the way's dim, and of all its dims.
  std::int64_t span(const Way &way) const;
  std::int64_t parts(const Way &way) const;
  /// Points of each dim that a tasklet of a sample has.
  lower::PerDim ranges(const Way &way, std::int64_t parts) const;
  std::int64_t dpuOf(std::int64_t number) const;
  Picks picks(const Way &way, std::int64_t parts, std::int64_t number, bool areAlike) const;
  sim::dpu::RunResult sample(const Way &way, std::int64_t parts, std::int64_t number, bool areAlike = false) const;
  /// All elements 0.
  sim::dpu::RunResult onZeros(const Way &way, std::int64_t parts) const;
  void lengthen(Plan &plan, double granules) const;
  Result<std::optional<Plan>> plan();
  double besidesParts(const Plan &plan) const;
  double workOf(const Way &way, std::int64_t parts) const;
  sim::dpu::Counts countsOf(const std::vector<sim::dpu::RunResult> &runs, const std::vector<sim::dpu::RunResult> &zeros,
                            const std::vector<double> &work, double whole) const;
  Result<Sampling> runParts(const Plan &plan) const;
  Result<std::optional<Sampling>> runWhole() const;

  const Cuttable &program_;
  const HostPlan &plan_;
  const lower::Scheme &scheme_;
  std::shared_ptr<const SampleData> data_;
  std::vector<std::int64_t> full_;  ///< DPUs with as much to do as the first
  double shares_ = 0;               ///< what all DPUs have to do, in what the first has
  int jobs_;
};

}  // namespace pimento::targets::upmem
