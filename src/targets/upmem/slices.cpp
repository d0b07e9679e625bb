#include "pimento/targets/upmem/slices.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem {

namespace {

class DpuSlices final : public evaluate::Slices {
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
    return total.run(*share_.machine, share_.ranks, share_.dpus, 1);
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

std::unique_ptr<evaluate::Slices> dpuSlices(ShareSlices share) {
  return std::make_unique<DpuSlices>(std::move(share));
}

}  // namespace pimento::targets::upmem
