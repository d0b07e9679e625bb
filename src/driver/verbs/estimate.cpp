#include "pimento/driver/verbs/estimate.h"

#include "pimento/driver/convert_option.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

Result<Evaluated> estimateOn(VerbId verb, const Options &options, const std::string &target) {
  const Result<std::unique_ptr<Job>> job = loadJob(options, target);
  if (!job) return job.diagnostics();
  Result<evaluate::Evaluation> done = evaluate::evaluateRecorded((*job)->request(options));
  if (!done) return done.diagnostics();
  if (Status s = reportConversion(*done, options, **job, options.data); !s) return s.diagnostics();
  evaluate::Report &report = done->report;
  nameReport(report, (*job)->input);
  Options onTarget = options;
  onTarget.target = target;
  onTarget.targets = {target};
  return Evaluated{std::move(report), runOf(verb, onTarget, (*job)->machine)};
}

Result<Evaluated> estimate(const Options &given) {
  const Options options = withTarget(given);
  return estimateOn(VerbId::kEstimate, options, options.target);
}

Outcome show(const Evaluated &done, const Options &options) {
  const evaluate::Report &report = done.report;
  Outcome out{options.isJson ? emit::toJson(report, &done.run) : emit::toTable(report, options.isProfile), {}, 0};
  if (report.outcome.fault) {
    out.diagnostics.push_back(*report.outcome.fault);
    out.status = 1;
  }
  return out;
}

}  // namespace pimento::driver
