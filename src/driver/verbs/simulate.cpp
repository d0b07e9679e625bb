#include "pimento/driver/verbs/simulate.h"

#include <fstream>

#include "pimento/driver/convert_option.h"
#include "pimento/driver/job.h"
#include "pimento/driver/out_option.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/text_check.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/price.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

namespace {

/// A timeline of the device while it runs; none without `--trace`.
class TimelineFile {
 public:
  /// Empties the file, so last of all that can be refused.
  Status open(const Options &options, const Job &job, const evaluate::CompiledGraph &graph) {
    if (options.trace.empty()) return okStatus();
    if (job.input.graph && !job.input.graph->loops.empty())
      return usageError("trace-graph", "--trace",
                        "a timeline shows one run of a kernel, but these kernels run in a loop",
                        "trace one iteration: a kernel without its loop");
    std::vector<const evaluate::Runnable *> runs;
    if (job.program) runs.push_back(job.program.get());
    for (const evaluate::PlannedPart &p : graph)
      if (p.compiled != nullptr) runs.push_back(p.compiled.get());
    const Result<evaluate::TimelineMaker> make = job.target->timeline(runs, job.machine);
    if (!make) return make.diagnostics();
    file_.open(options.trace);
    if (!file_)
      return usageError("unwritable-file", options.trace, "cannot write the trace file",
                        "choose a folder that exists and is writable");
    // It is written as the run goes on, and what the host does first stands first in it.
    evaluate::Breakdown before;
    for (const evaluate::Runnable *r : runs) before += evaluate::hostCycles(job.machine, r->hostWork(), Cycles(0));
    timeline_ = (*make)(file_, before);
    return okStatus();
  }

  evaluate::Observer *observer() const { return timeline_.get(); }
  Status finish(const evaluate::Report &report) { return timeline_ ? timeline_->finish(report) : okStatus(); }

 private:
  std::ofstream file_;
  std::unique_ptr<evaluate::Timeline> timeline_;
};

}  // namespace

Result<Evaluated> simulateOn(VerbId verb, const Options &given) {
  Options options = given;
  options.engine.clear();  // those of `compare` are an estimate's, but for this one
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target, true);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  if (const Status s = checkCheck(options, job); !s) return s.diagnostics();
  if (const Status s = checkOut(options, job.input); !s) return s.diagnostics();
  evaluate::Request request = job.request(options);
  request.isSimulation = true;
  evaluate::CompiledGraph graph;
  Operands operands;
  if (job.input.graph) {
    Result<evaluate::CompiledGraph> compiled = evaluate::compile(request);
    if (!compiled) return compiled.diagnostics();
    graph = std::move(*compiled);
    Result<Operands> made = operandsOf(options, job.input, *job.graph());
    if (!made) return made.diagnostics();
    operands = std::move(*made);
    request.data = operands.data ? &*operands.data : nullptr;
  }
  TimelineFile timeline;
  if (const Status s = timeline.open(options, job, graph); !s) return s.diagnostics();
  request.observer = timeline.observer();
  // The text is the original's.
  TextCheck text(options, job, job.input.conversion ? operands.original : operands.data);
  Result<evaluate::Evaluation> done = evaluate::evaluateRecorded(request, std::move(graph));
  if (!done) return done.diagnostics();
  evaluate::Report &report = done->report;
  // Behind the tensors of the input are those between parts of kernels.
  if (operands.data) operands.data->resize(job.input.graph->tensors.size());
  if (operands.data)
    if (Status s = writeOut(options, job.input, *operands.data); !s) return s.diagnostics();
  if (Status s = reportConversion(report, job.input, operands); !s) return s.diagnostics();
  if (Status s = text.check(report); !s) return s.diagnostics();
  nameReport(report, job.input);
  if (const Status s = timeline.finish(report); !s) return s.diagnostics();
  return Evaluated{std::move(report), runOf(verb, given, job.machine)};
}

Result<Evaluated> simulate(const Options &given) {
  return simulateOn(VerbId::kSimulate, withTarget(given));
}

}  // namespace pimento::driver
