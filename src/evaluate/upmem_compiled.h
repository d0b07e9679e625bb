// A kernel with a program compiled for UPMEM, and its runs: on data, on what is known of the data, or on a sample.
//
// As upmem_kernel.h, for programs that follow any mapping (lower/upmem/compiled). A sample is the same program on
// shares that end earlier along one dim; how long it takes grows with the points it has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/backend.h"
#include "pimento/lower/upmem/compiled/lower.h"

namespace pimento::evaluate {

class UpmemCompiled final : public CompiledKernel {
 public:
  UpmemCompiled(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                lower::upmem::compiled::Lowered lowered);

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override;
  lower::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override;
  Result<DeviceRun> run(const RunMode &mode) const override;
  Result<std::unique_ptr<Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;
  Cycles guess() const override;
  Result<DeviceRun> runOn(kernel::DataSet &data, const Observers &observers, int jobs) const override;
  std::vector<std::string> assembly() const override;
  std::vector<std::string> choices() const override;
  std::string source() const override { return lowered_.text; }

 private:
  /// DPUs that have equally many values of each dim.
  struct Kind {
    std::int64_t first = 0, count = 1;
  };
  std::vector<Kind> kinds() const;
  std::int64_t dpus() const { return lowered_.plan->dpus(); }
  sim::dpu::Dpu loaded(std::int64_t dpu) const;
  bool readsInputsAlone() const;
  /// The value of all operands, where they are made so.
  std::optional<double> constantOf(const RunMode &mode) const;
  /// All operands, where they are known one by one; else null.
  const kernel::DataSet *contentsOf(const RunMode &mode) const;
  /// A bound of all programs, from the elements that are touched.
  DeviceRun boundByElements() const;
  /// Every kind once, on what `fill` puts in its memory; nothing where that does not decide the time.
  template <typename Fill>
  Result<std::optional<DeviceRun>> runKinds(const RunMode &mode, bool mustSimulate, Fill &&fill) const;
  Result<DeviceRun> runMade(const RunMode &mode) const;
  /// On data made as `mode` says: all of it where that is short, else samples.
  Result<DeviceRun> runGenerated(const RunMode &mode) const;
  /// The first DPU, without operands, with the arguments of Plan::shortened.
  sim::dpu::Dpu shortened(const std::vector<std::int64_t> &ranges, const std::vector<std::int64_t> &valid) const;
  /// Fills its operands with the data of sample number `sample`.
  void fillMade(sim::dpu::Dpu &dpu, const kernel::DataSpec &values, const std::string &sample) const;
  /// One DPU whose tasklets have `points` of dim `dim` alone, on the data of sample number `sample`.
  sim::dpu::RunResult runSample(const kernel::DataSpec &values, int dim, std::int64_t points,
                                std::int64_t sample) const;
  /// The dim that samples are cut along, or -1.
  int sampledDim() const;

  const kernel::Graph &graph_;
  int kernel_;
  const machine::Machine &machine_;
  lower::upmem::compiled::Lowered lowered_;
};

}  // namespace pimento::evaluate
