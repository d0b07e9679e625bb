// A kernel as a program of DPUs, measured or compiled, and its runs: on data, or on what is known of the data.
//
// DPUs run apart from one another; a launch lasts as long as the slowest. Where data do not decide the time, DPUs that
// do the same are run once. Where they do, a run needs them: real ones (runOn), constants (every DPU's memory is
// filled), or a way to make them, in which case long runs are extrapolated from samples (sampler.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/evaluate/target.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/counts.h"
#include "pimento/targets/upmem/memory.h"
#include "pimento/targets/upmem/sampler.h"
#include "pimento/targets/upmem/slices.h"

namespace pimento::targets::upmem {

using evaluate::DeviceRun;
using evaluate::GraphPart;
using evaluate::RunMode;
using sim::dpu::Dpu;
using sim::dpu::RunResult;

/// `dpu`'s fault with its number.
Diagnostic faultOf(Diagnostic d, std::int64_t dpu);

/// Says where transfers were not aligned.
void warn(DeviceRun &run, const std::vector<sim::dpu::Misaligned> &misaligned, const program::Code &code,
          const machine::Dpu &machine);

/// Adds up DPUs: the slowest decides the time, counts are those of all.
class DpuTotal {
 public:
  void add(const RunResult &r, std::int64_t times);
  DeviceRun run(const machine::Machine &machine, std::int64_t ranks, std::int64_t units, std::int64_t simulated) const;
  const std::vector<sim::dpu::Misaligned> &misaligned() const { return misaligned_; }

 private:
  Cycles cycles_{}, simulated_{};
  std::int64_t instructions_ = 0;
  sim::dpu::Counts counts_;
  std::vector<sim::dpu::Misaligned> misaligned_;
};

/// What follows from machine code of DPUs.
class DpuCode : public virtual evaluate::Runnable {
 public:
  evaluate::DerivationPtr explainCycles(const std::string &name, const DeviceRun &run,
                                        evaluate::MachineNumbers &numbers, std::int64_t mostCommands) const override;
  /// "asm": the listing.
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override;
};

class DpuKernel : public evaluate::CompiledPart, public DpuCode, protected Cuttable {
 public:
  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, placed().mapping);
  }
  Bytes footprint() const override;
  Result<DeviceRun> run(const RunMode &mode) const override;
  Result<DeviceRun> runOn(kernel::DataSet &data, const RunMode &mode) const override;
  /// "llvcnm": the same kernel and mapping in virtual instructions, which is what CoMoNM estimates.
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override;

 protected:
  DpuKernel(const GraphPart &part, const machine::Machine &machine, LoweredTo<HostPlan> lowered)
      : part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  /// DPUs that do the same.
  struct Kind {
    std::int64_t first = 0, count = 0;
  };

  /// `isFilled`: memories hold constants.
  virtual std::vector<Kind> kinds(bool isFilled) const = 0;
  /// A DPU with program and arguments in it, and no operands.
  virtual Dpu loaded(std::int64_t dpu) const = 0;

  const HostPlan &hostPlan() const override { return *lowered_.plan; }
  double leastCycles(const RunResult &run) const override;
  std::int64_t dpus() const { return lowered_.plan->dpus(); }
  const kernel::Kernel &kernel() const { return part_.kernel(); }
  bool readsInputsAlone() const;
  /// Do the mode's values say what all operands hold?
  bool isDescribed(const RunMode &mode) const;
  /// What samples read; of all runs that have RunMode::shared in common one.
  std::shared_ptr<const SampleData> samplesOf(const RunMode &mode) const;
  /// All operands, where they are known one by one; else null.
  const kernel::DataSet *contentsOf(const RunMode &mode) const;
  /// What all operands hold, where that is known.
  std::optional<double> constantOf(const RunMode &mode) const;
  /// Makes a DPU of pieces ready (slices.h) whose tasklets have so many points of each dim, the first ones.
  Result<Dpu> piece(const RunMode &mode, const SampleData &data, const lower::PerDim &ranges) const;
  Diagnostic dataDecideTime() const;
  /// What all pieces of a run have in common (slices.h); the loops and how to load a piece are left to fill in.
  ShareSlices sharesOf(const RunMode &mode) const;

  GraphPart part_;
  const machine::Machine &machine_;
  LoweredTo<HostPlan> lowered_;

 private:
  /// A run on data made as `mode` says: samples, or all DPUs.
  Result<DeviceRun> runGenerated(const RunMode &mode) const;
  Result<DeviceRun> runMade(const RunMode &mode) const;
  DeviceRun finished(const DpuTotal &total, std::int64_t simulated) const;
};

/// A DPU with a program and its arguments.
Dpu dpuWith(const std::shared_ptr<const sim::dpu::Image> &image, const program::Code::Segment &arguments,
            const machine::Machine &machine);

void write(Dpu &dpu, const std::vector<Block> &blocks);
void fill(Dpu &dpu, const std::vector<Fill> &fills);

}  // namespace pimento::targets::upmem
