// Infinity Stream's programs at the paper's sizes: from C to a fat binary, and just-in-time lowering of every region
// instance, complete and without memory of earlier ones, in processor time. The paper, moves alone: 220 us per run on
// the mean, 1,616 us for 63 steps of gauss_elim.
//
// Last, machine data that say this in cycles: an instance takes c0 + c1 x commands, the least squares of relative
// errors of the first 13 programs' runs, and the error of each. The part of c1 that finds the banks of a command is
// timed by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "pimento/driver/data_folder.h"
#include "pimento/driver/emit_tdfg.h"
#include "pimento/driver/kernel_files.h"
#include "pimento/targets/l3_sram/runtime.h"

namespace {

using namespace pimento;

double microseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

/// A program's run: what was lowered, and what that took.
struct Run {
  std::string name;
  double instances = 0, commands = 0, microseconds = 0, toBanks = 0, longest = 0;
};

constexpr int kRepeats = 7;  ///< of a run: the fit takes the shortest

/// What c0 and c1 are in microseconds, neither below 0.
struct Fit {
  double perInstance = 0, perCommand = 0;
  double of(const Run &r) const { return perInstance * r.instances + perCommand * r.commands; }
};

Fit fitted(const std::vector<Run> &runs) {
  // Sums of (perInstance x + perCommand y - 1)^2, x and y by microseconds of the run.
  double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0;
  for (const Run &r : runs) {
    const double x = r.instances / r.microseconds, y = r.commands / r.microseconds;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    x1 += x;
    y1 += y;
  }
  const double det = xx * yy - xy * xy;
  Fit f{(x1 * yy - y1 * xy) / det, (y1 * xx - x1 * xy) / det};
  if (f.perInstance < 0 || det == 0) f = {0, y1 / yy};
  if (f.perCommand < 0) f = {x1 / xx, 0};
  return f;
}

void printFit(const std::vector<Run> &runs, double cyclesPerMicrosecond) {
  const Fit fit = fitted(runs);
  double sum = 0, banks = 0, commands = 0;
  fmt::print("\n{:<15} {:>10} {:>12} {:>12} {:>8}\n", "program", "commands", "run", "fit", "error");
  for (const Run &r : runs) {
    const double error = fit.of(r) / r.microseconds - 1;
    sum += std::abs(error);
    banks += r.toBanks;
    commands += r.commands;
    fmt::print("{:<15} {:>10.0f} {:>9.0f} us {:>9.0f} us {:>+7.1f}%\n", r.name, r.commands, r.microseconds, fit.of(r),
               100 * error);
  }
  const double each = std::min(fit.perCommand, commands > 0 ? banks / commands : 0);
  fmt::print(
      "mean error {:.1f}%; lowering_base {:.0f} cycle, lowering_per_command {:.1f} cycle, lowering_to_banks {:.1f} "
      "cycle\n",
      100 * sum / static_cast<double>(runs.size()), fit.perInstance * cyclesPerMicrosecond,
      (fit.perCommand - each) * cyclesPerMicrosecond, each * cyclesPerMicrosecond);
}

int fail(const Diagnostics &diagnostics) {
  fmt::print(stderr, "{}\n", diagnostics.front().str());
  return 1;
}

Result<Run> timed(const targets::l3_sram::Runtime &runtime, const machine::Sram &sram, const std::string &name) {
  Run run{.name = name};
  double start = microseconds();
  const Status done = runtime.lowerAll([&](const auto &round) {
    const double took = microseconds() - start;
    if (round.instance != nullptr) {
      ++run.instances;
      run.microseconds += took;
      run.longest = std::max(run.longest, took);
      run.commands += static_cast<double>(round.code->commands.list.size());
      const double before = microseconds();
      std::size_t banks = 0;
      for (const program::SramCommand &c : round.code->commands.list)
        banks += program::banksOf(c.tiles, sram.arraysPerBank()).count();
      run.toBanks += banks == 0 ? 0 : microseconds() - before;
    }
    start = microseconds();
    return okStatus();
  });
  if (!done) return done.diagnostics();
  return run;
}

}  // namespace

int main() {
  const auto machine = machine::loadMachine("l3-arrays", driver::machineFolders());
  if (!machine) return fail(machine.diagnostics());
  double sumOfMeans = 0, worst = 0, sumOfRuns = 0;
  int programs = 0;
  std::vector<Run> runs;
  fmt::print("{:<15} {:>8} {:>10} {:>10} {:>12} {:>12}\n", "program", "compile", "instances", "mean", "longest", "run");
  for (const kernel::ZooEntry &entry : driver::kernelFiles()) {
    driver::Options options;
    options.input = entry.name;
    double start = microseconds();
    const auto binary = driver::fatBinaryOf(driver::withTarget(driver::withKernelFileAlone(options)));
    if (!binary) return fail(binary.diagnostics());
    const double compiled = (microseconds() - start) / 1000;
    const auto runtime = targets::l3_sram::Runtime::make(*binary, entry.defaults, *machine);
    if (!runtime) return fail(runtime.diagnostics());
    const Result<Run> lowered = timed(*runtime, *machine->sram, entry.name);
    if (!lowered) return fail(lowered.diagnostics());
    const double mean = lowered->instances == 0 ? 0 : lowered->microseconds / lowered->instances;
    fmt::print("{:<15} {:>5.0f} ms {:>10.0f} {:>7.1f} us {:>9.1f} us {:>9.0f} us\n", entry.name, compiled,
               lowered->instances, mean, lowered->longest, lowered->microseconds);
    if (programs++ >= 13) continue;  // the figures' programs come behind the 13
    sumOfMeans += mean;
    sumOfRuns += lowered->microseconds;
    worst = std::max(worst, lowered->longest);
    if (lowered->instances == 0) continue;
    runs.push_back(*lowered);
    for (int i = 1; i < kRepeats; ++i) {
      const Result<Run> again = timed(*runtime, *machine->sram, entry.name);
      if (!again) return fail(again.diagnostics());
      runs.back().microseconds = std::min(runs.back().microseconds, again->microseconds);
      runs.back().toBanks = std::min(runs.back().toBanks, again->toBanks);
    }
  }
  fmt::print("the first 13: mean {:.1f} us per instance, longest {:.1f} us, mean {:.0f} us per run\n", sumOfMeans / 13,
             worst, sumOfRuns / 13);
  printFit(runs, 1e6 / static_cast<double>(machine->toTime(Cycles(1), "device").value));
  return 0;
}
