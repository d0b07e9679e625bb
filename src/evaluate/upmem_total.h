// Runs of several DPUs as one of the device: the slowest decides the time, counts are those of all.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pimento/evaluate/backend.h"
#include "pimento/evaluate/dpu_actions.h"
#include "pimento/evaluate/upmem_sample.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::evaluate {

/// `dpu`'s fault with its number.
inline Diagnostic faultOf(Diagnostic d, std::int64_t dpu) {
  d.message = fmt::format("DPU {}: {}", dpu, d.message);
  return d;
}

/// A run would need values that are not there.
inline Diagnostic dataDecideTime(const kernel::Kernel &kernel, const machine::Machine &machine) {
  return error("data-decide-time", kernel.where,
               fmt::format("the time of kernel '{}' on {} depends on the values of its operands, which are not known",
                           kernel.name, machine.name),
               "say what they are with --data (random, uniform:A,B, const:V, FILE.npy), or simulate it on data");
}

/// Adds up DPUs.
class DpuTotal {
 public:
  void add(const sim::dpu::RunResult &r, std::int64_t times) {
    if (cycles_ < r.cycles || instructions_ == 0) {
      cycles_ = std::max(cycles_, r.cycles);
      simulated_ = r.cyclesSimulated;
    }
    instructions_ += r.counts.instructions;
    addCounts(counts_, r.counts, times);
  }

  DeviceRun run(std::int64_t ranks, std::int64_t units, std::int64_t simulated) const {
    DeviceRun out;
    out.cycles = cycles_;
    out.cyclesSimulated = simulated_;
    out.actions = dpuActions(counts_, ranks, cycles_);
    out.counts = dpuCounts(counts_);
    out.unit = "DPU";
    out.units = units;
    out.unitsSimulated = simulated;
    return out;
  }

 private:
  Cycles cycles_{}, simulated_{};
  std::int64_t instructions_ = 0;
  sim::dpu::Counts counts_;
};

/// Counts grow by the same with every part.
inline sim::dpu::Counts extrapolated(const std::vector<sim::dpu::RunResult> &runs,
                                     const std::vector<SampledRun> &samples, std::int64_t parts, int seeds) {
  sim::dpu::Counts out;
  const std::int64_t few = samples.front().rounds, many = samples.back().rounds;
  for (const DpuCount &c : dpuCountTable()) {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto n = static_cast<double>(runs[i].counts.*c.member) / seeds;
      if (samples[i].rounds == few) low += n;
      if (samples[i].rounds == many) high += n;
    }
    const double perPart = (high - low) / static_cast<double>(many - few);
    out.*c.member = std::max<std::int64_t>(0, std::llround(high + perPart * static_cast<double>(parts - many)));
  }
  return out;
}

}  // namespace pimento::evaluate
