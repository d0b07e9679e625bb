// Infinity Stream's programs at the paper's sizes: from C to a fat binary, and just-in-time lowering of every region
// instance, complete and without memory of earlier ones, in processor time. The paper, moves alone: 220 us per run on
// the mean, 1,616 us for 63 steps of gauss_elim.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

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

int fail(const Diagnostics &diagnostics) {
  fmt::print(stderr, "{}\n", diagnostics.front().str());
  return 1;
}

}  // namespace

int main() {
  const auto machine = machine::loadMachine("l3-sram", driver::machineFolders());
  if (!machine) return fail(machine.diagnostics());
  double sumOfMeans = 0, worst = 0, sumOfRuns = 0;
  int programs = 0;
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
    std::int64_t instances = 0;
    double longest = 0, total = 0;
    start = microseconds();
    const Status lowered = runtime->lowerAll([&](const auto &round) {
      const double took = microseconds() - start;
      if (round.instance != nullptr) {
        ++instances;
        total += took;
        longest = std::max(longest, took);
      }
      start = microseconds();
      return okStatus();
    });
    if (!lowered) return fail(lowered.diagnostics());
    const double mean = instances == 0 ? 0 : total / static_cast<double>(instances);
    fmt::print("{:<15} {:>5.0f} ms {:>10} {:>7.1f} us {:>9.1f} us {:>9.0f} us\n", entry.name, compiled, instances, mean,
               longest, total);
    if (programs++ >= 13) continue;  // the figures' programs come behind the 13
    sumOfMeans += mean;
    sumOfRuns += total;
    worst = std::max(worst, longest);
  }
  fmt::print("the first 13: mean {:.1f} us per instance, longest {:.1f} us, mean {:.0f} us per run\n", sumOfMeans / 13,
             worst, sumOfRuns / 13);
  return 0;
}
