#include "pimento/driver/verbs/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/driver/convert_option.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/emit/explain.h"
#include "pimento/emit/json.h"
#include "pimento/emit/run.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/explain.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

namespace {

/// Evaluates without data, those of programs aside: they change no number of kernels.
Result<Explained> explainRun(const Options &options, VerbId verb) {
  const bool isSimulation = verb == VerbId::kSimulate;
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target, isSimulation);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  evaluate::Request request = job.request(options);
  request.isSimulation = isSimulation;
  Result<evaluate::Evaluation> evaluation = evaluate::evaluateRecorded(request);
  if (!evaluation) return evaluation.diagnostics();
  const std::string spec = isSimulation && options.data.empty() ? defaultData(options) : options.data;
  if (const Status s = reportConversion(*evaluation, options, job, spec); !s) return s.diagnostics();
  nameReport(evaluation->report, job.input);
  auto explanation =
      std::make_shared<evaluate::Explanation>(evaluate::explain(evaluate::explainInput(request, *evaluation)));
  return Explained{std::make_shared<evaluate::Report>(std::move(evaluation->report)), std::move(explanation),
                   runOf(verb, options, job.machine), nullptr};
}

/// A saved run has its own options.
Status checkNoRunOptions(const Options &options) {
  for (const OptionRow &row : optionTable())
    if (row.verbs.has(VerbId::kExplain) && !row.runKey.empty() && !isUsual(row, options) && row.name != "target")
      return usageError("result-option", "--" + std::string(row.name), "a saved result already contains its options",
                        "omit it, or explain the input: pimento explain INPUT");
  return okStatus();
}

/// Repeats the run of a saved result, and makes sure that it is still the same.
Result<Explained> explainResult(const Options &options) {
  if (const Status s = checkNoRunOptions(options); !s) return s.diagnostics();
  const Result<std::string> text = readFile(options.input);
  if (!text) return text.diagnostics();
  const Result<ResultFile> saved = parseResult(*text, options.input);
  if (!saved) return saved.diagnostics();
  const Options &run = saved->run;
  std::error_code ignored;
  for (const std::string &file : {run.input, run.target})
    if ((isFileName(file) || file.ends_with(".yaml")) && !std::filesystem::exists(file, ignored))
      return usageError("input-gone", options.input,
                        fmt::format("the result was made from '{}', which does not exist", file),
                        "run it in the folder where it was made, or put the file back");
  Result<Explained> now = explainRun(optionsOf(*saved, options), saved->verb);
  if (!now) return now.diagnostics();
  const Result<ResultFile> repeated = parseResult(emit::toJson(*now->report, &now->run), options.input);
  PIMENTO_CHECK(repeated.ok() && "our own results can be read");
  // A run on data simulates every unit, one without them those that differ.
  ResultFile before = *saved;
  before.numbers.erase(now->report->unit.simulatedKey());
  if (const Status s = compareNumbers(before, repeated->numbers, now->run, options.input); !s) return s.diagnostics();
  return now;
}

}  // namespace

Result<Explained> explain(const Options &given) {
  const Options options = withTarget(given);
  Result<Explained> e =
      options.input.ends_with(".json") ? explainResult(options) : explainRun(options, VerbId::kEstimate);
  if (!e || options.number.empty()) return e;
  const Result<evaluate::DerivationPtr> number = e->explanation->find(options.number);
  if (!number) return number.diagnostics();
  e->number = *number;
  return e;
}

Outcome show(const Explained &e, const Options &options) {
  constexpr int kOverview = 2, kNumber = 5, kNumberJson = 32;
  const auto depthOr = [&](int usual) { return options.depth >= 0 ? options.depth : usual; };
  if (e.number == nullptr) {
    const int depth = depthOr(kOverview);
    return {options.isJson ? emit::overviewJson(*e.report, *e.explanation, depth)
                           : emit::overviewText(*e.report, *e.explanation, depth),
            {},
            0};
  }
  const int depth = depthOr(options.isJson ? kNumberJson : kNumber);
  return {options.isJson ? emit::explainJson(*e.report, *e.number, depth) : emit::toText(*e.number, depth), {}, 0};
}

}  // namespace pimento::driver
