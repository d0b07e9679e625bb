#include "pimento/evaluate/dpu_program.h"

#include <chrono>
#include <optional>

#include "pimento/evaluate/dpu_actions.h"

namespace pimento::evaluate {

namespace {

/// The sums of all launches.
struct Total {
  DeviceRun run;
  sim::dpu::Counts counts;
  std::vector<std::int64_t> executed, waited;
  std::optional<Diagnostic> fault;

  void add(const sim::dpu::RunResult &r) {
    run.cycles += r.cycles;
    run.cyclesSimulated += r.cyclesSimulated;
    addCounts(counts, r.counts, 1);
    addTo(executed, r.executed);
    addTo(waited, r.waited);
    fault = r.fault;
  }

 private:
  static void addTo(std::vector<std::int64_t> &sum, const std::vector<std::int64_t> &more) {
    if (sum.size() < more.size()) sum.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
  }
};

/// One launch by fast-forward; nothing where its time depends on data that are not known without running it.
std::optional<sim::dpu::RunResult> estimated(const sim::dpu::Dpu &dpu, const sim::dpu::RunOptions &options) {
  sim::dpu::Dpu copy(dpu);  // an estimate leaves memories undefined
  return copy.estimate(options);
}

}  // namespace

lower::HostWork hostWorkOf(const DpuProgramRequest &request, std::int64_t launches) {
  lower::HostWork work;
  work.dpus = request.process->instances;
  work.ranks = 1;
  work.launches = launches;
  work.placed = request.placed;
  work.readBack = request.readBack;
  return work;
}

DpuProgramEvaluation evaluateDpuProgram(sim::dpu::Dpu &dpu, const DpuProgramRequest &request) {
  const auto start = std::chrono::steady_clock::now();
  const machine::Machine &machine = *request.machine;
  sim::dpu::RunOptions options;
  options.observer = request.isSimulation ? request.observer : nullptr;
  options.maxInstructions = request.maxInstructions;
  Total total;
  std::int64_t launched = 0;
  for (; launched < request.launches && !total.fault; ++launched) {
    // A second launch needs the memories that the first one left.
    if (!request.isSimulation && request.launches == 1) {
      if (const auto skipped = estimated(dpu, options)) {
        total.add(*skipped);
        continue;
      }
    }
    total.add(dpu.simulate(options));
    if (request.afterLaunch) request.afterLaunch();
  }
  total.run.unit = "DPU";
  total.run.units = request.process->instances;
  total.run.actions = dpuActions(total.counts, 1, total.run.cycles);
  total.run.counts = dpuCounts(total.counts);
  const lower::HostWork work = hostWorkOf(request, launched);
  Report report = reportProgram(*request.process, total.run, work, machine);
  report.profile = profileOf(*request.process->code, total.executed, total.waited, machine.dpu->issueInterval);
  if (total.fault) {
    report.fault = std::move(total.fault);
    report.fault->message = "DPU 0, " + report.fault->message;
  }
  report.wallUs =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
  DpuProgramEvaluation out{std::move(report), {}};
  out.record.run = std::move(total.run);
  out.record.work = work;
  return out;
}

}  // namespace pimento::evaluate
