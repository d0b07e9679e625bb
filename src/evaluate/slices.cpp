#include "pimento/evaluate/slices.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/evaluate/run_program.h"
#include "pimento/evaluate/upmem_total.h"
#include "pimento/program/portion.h"

namespace pimento::evaluate {

namespace {

class ProgramSlices final : public Slices {
 public:
  ProgramSlices(const program::Program &program, const machine::Machine &machine, std::int64_t ranks)
      : program_(program), machine_(machine), ranks_(ranks) {}

  double size(std::int64_t coefficient) const override {
    return static_cast<double>(program::sizeOfLoops(portion(coefficient)));
  }
  double wholeSize() const override { return static_cast<double>(program::sizeOfLoops(program_.processes.front())); }
  Result<DeviceRun> simulate(std::int64_t coefficient) const override {
    program::Program piece = program_;
    piece.processes.front() = portion(coefficient);
    return runProgram(piece, machine_, {}, ranks_);
  }
  Result<DeviceRun> simulateWhole() const override { return runProgram(program_, machine_, {}, ranks_); }

 private:
  program::Process portion(std::int64_t coefficient) const {
    return program::portionOf(program_.processes.front(), coefficient);
  }

  const program::Program &program_;
  const machine::Machine &machine_;
  std::int64_t ranks_;
};

class DpuSlices final : public Slices {
 public:
  explicit DpuSlices(ShareSlices share) : share_(std::move(share)) {}

  double size(std::int64_t coefficient) const override {
    double size = 1;
    for (const std::int64_t p : points(coefficient)) size *= static_cast<double>(p);
    return size;
  }
  double wholeSize() const override {
    double size = 1;
    for (const ShareLoop &l : share_.loops) size *= static_cast<double>(l.range);
    return size;
  }
  Result<DeviceRun> simulate(std::int64_t coefficient) const override {
    Result<sim::dpu::Dpu> dpu = share_.load(points(coefficient));
    if (!dpu) return dpu.diagnostics();
    const sim::dpu::RunResult run = dpu->simulate();
    if (run.fault) return faultOf(*run.fault, 0);
    DpuTotal total;
    total.add(run, share_.fullDpus);
    return total.run(share_.ranks, share_.dpus, 1);
  }
  Result<DeviceRun> simulateWhole() const override { return share_.whole(); }

 private:
  std::vector<std::int64_t> points(std::int64_t coefficient) const {
    std::vector<std::int64_t> out;
    for (const ShareLoop &l : share_.loops) {
      const std::int64_t steps = std::min(coefficient, ceilDiv(l.range, l.step));
      out.push_back(std::min(l.range, steps * l.step));
      coefficient = ceilDiv(coefficient, steps);
    }
    return out;
  }

  ShareSlices share_;
};

}  // namespace

std::unique_ptr<Slices> programSlices(const program::Program &program, const machine::Machine &machine,
                                      std::int64_t ranks) {
  return std::make_unique<ProgramSlices>(program, machine, ranks);
}

std::unique_ptr<Slices> dpuSlices(ShareSlices share) {
  return std::make_unique<DpuSlices>(std::move(share));
}

Diagnostics noSlices(const std::string &what, const std::string &machine) {
  return {error("no-slices", {},
                fmt::format("{} on {} has no loops whose iterations can be cut: there is nothing to extrapolate from",
                            what, machine),
                "take --engine fast-forward, which needs none and is exact")};
}

Result<std::unique_ptr<Slices>> CompiledKernel::slices(const RunMode & /*mode*/) const {
  return noSlices("this kernel", "this target");
}

}  // namespace pimento::evaluate
