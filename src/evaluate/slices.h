// Pieces of what a kernel does on a device, each of which can be simulated: what two_slice.h extrapolates from.
//
// A piece takes the same program through fewer of its iterations. The smallest executes every instruction at least
// once; larger ones are multiples of it, iterations of inner loops first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "pimento/evaluate/backend.h"

namespace pimento::evaluate {

class Slices {
 public:
  virtual ~Slices() = default;

  /// How large the piece is that has `coefficient` (1 and up) times the iterations of the smallest one; as large as the
  /// whole where there are no more.
  virtual double size(std::int64_t coefficient) const = 0;
  virtual double wholeSize() const = 0;
  /// Every command and every instruction of that piece, on all units of the device alike. Diagnostics: those of
  /// CompiledKernel::run.
  virtual Result<DeviceRun> simulate(std::int64_t coefficient) const = 0;
  /// All of it, as CompiledKernel::run simulates.
  virtual Result<DeviceRun> simulateWhole() const = 0;
};

/// Of a program of loops; all must outlive it. `ranks`: as runProgram.
std::unique_ptr<Slices> programSlices(const program::Program &program, const machine::Machine &machine,
                                      std::int64_t ranks = 0);

/// One loop over the share of a tasklet: how far a step goes, and how far all of them go.
struct ShareLoop {
  std::int64_t step = 1, range = 1;
};

/// Of a program for DPUs: the tasklets of the first one go through fewer steps of these loops. The others do the same.
/// `loops`: innermost first. `load` makes a DPU that is ready to run with so many points of each loop.
struct ShareSlices {
  std::vector<ShareLoop> loops;
  std::function<Result<sim::dpu::Dpu>(const std::vector<std::int64_t> &points)> load;
  std::function<Result<DeviceRun>()> whole;
  std::int64_t dpus = 1, ranks = 1;
  std::int64_t fullDpus = 1;  ///< DPUs with as much to do as the first that do what all do
};
std::unique_ptr<Slices> dpuSlices(ShareSlices share);

/// Why there are none: "no-slices". `what`: "kernel 'gemv'".
Diagnostics noSlices(const std::string &what, const std::string &machine);

}  // namespace pimento::evaluate
