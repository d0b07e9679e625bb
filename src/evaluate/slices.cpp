#include "pimento/evaluate/slices.h"

#include <fmt/format.h>

#include "pimento/program/portion.h"

namespace pimento::evaluate {

namespace {

class ProgramSlices final : public Slices {
 public:
  using Simulate = std::function<Result<DeviceRun>(const program::Program &)>;
  ProgramSlices(const program::Program &program, Simulate simulate)
      : program_(program), simulate_(std::move(simulate)) {}

  double size(std::int64_t coefficient) const override { return sizeOf(portion(coefficient)); }
  double wholeSize() const override { return sizeOf(program_); }
  Result<DeviceRun> simulate(std::int64_t coefficient) const override { return simulate_(portion(coefficient)); }
  Result<DeviceRun> simulateWhole() const override { return simulate_(program_); }

 private:
  static double sizeOf(const program::Program &program) {
    double size = 0;
    for (const program::Process &p : program.processes) size += static_cast<double>(program::sizeOfLoops(p));
    return size;
  }
  program::Program portion(std::int64_t coefficient) const {
    program::Program piece = program_;
    for (program::Process &p : piece.processes) p = program::portionOf(p, coefficient);
    return piece;
  }

  const program::Program &program_;
  Simulate simulate_;
};

}  // namespace

std::unique_ptr<Slices> programSlices(const program::Program &program,
                                      std::function<Result<DeviceRun>(const program::Program &)> simulate) {
  return std::make_unique<ProgramSlices>(program, std::move(simulate));
}

Diagnostic noSlices(const std::string &what, const std::string &machine) {
  return unsupported(
      "no-slices", {},
      fmt::format("{} on {} has no loop to cut into slices: there is nothing to extrapolate from", what, machine),
      "use --engine fast-forward, which needs no slices and is exact");
}

}  // namespace pimento::evaluate
