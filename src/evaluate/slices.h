// Pieces of what a kernel does on a device, each of which can be simulated: what two_slice.h extrapolates from.
//
// A piece takes the same program through fewer of its iterations. The smallest executes every instruction at least
// once; larger ones are multiples of it, iterations of inner loops first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/run.h"
#include "pimento/program/program.h"

namespace pimento::evaluate {

class Slices {
 public:
  virtual ~Slices() = default;

  /// How large the piece is that has `coefficient` (1 and up) times the iterations of the smallest one; as large as the
  /// whole where there are no more.
  virtual double size(std::int64_t coefficient) const = 0;
  virtual double wholeSize() const = 0;
  /// Every command and every instruction of that piece, on all units of the device alike. Diagnostics: those of
  /// CompiledPart::run.
  virtual Result<DeviceRun> simulate(std::int64_t coefficient) const = 0;
  /// All of it, as CompiledPart::run simulates.
  virtual Result<DeviceRun> simulateWhole() const = 0;
};

/// Of a program of loops: its portions, each run by `simulate`. Both must outlive it.
std::unique_ptr<Slices> programSlices(const program::Program &program,
                                      std::function<Result<DeviceRun>(const program::Program &)> simulate);

/// Why there are none: "no-slices". `what`: "kernel 'gemv'".
Diagnostic noSlices(const std::string &what, const std::string &machine);

}  // namespace pimento::evaluate
