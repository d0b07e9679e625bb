// `explain`: a result's numbers back to formulas, counts and constants.
#include "pimento/emit/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/json.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/explain.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

namespace {

struct Explained {
  evaluate::Report report;
  evaluate::Explanation explanation;
  emit::RunText run;
};

/// Evaluates without data, those of programs aside: they change no number of kernels.
Result<Explained> explainRun(const Options &options, const char *verb) {
  const bool isSimulation = std::string_view(verb) == "simulate";
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target, isSimulation);
  if (!loaded) return loaded.diagnostics();
  const Job &job = **loaded;
  evaluate::Request request = job.request(options);
  request.isSimulation = isSimulation;
  Result<evaluate::Evaluation> evaluation = evaluate::evaluateRecorded(request);
  if (!evaluation) return evaluation.diagnostics();
  nameReport(evaluation->report, job.input);
  evaluate::Explanation explanation = evaluate::explain(evaluate::explainInput(request, *evaluation));
  return Explained{std::move(evaluation->report), std::move(explanation), runOf(verb, options, job.machine)};
}

bool isFileName(const std::string &input) {
  return input.find('=') == std::string::npos &&
         (input.ends_with(".mlir") || input.ends_with(".llvcnm") || input.ends_with(".cnm") || input.ends_with(".s"));
}

/// Repeats the run of a saved result, and makes sure that it is still the same.
Result<Explained> explainResult(const Options &options) {
  const Result<std::string> text = readFile(options.input);
  if (!text) return text.diagnostics();
  const Result<ResultFile> saved = parseResult(*text, options.input);
  if (!saved) return saved.diagnostics();
  const emit::RunText &run = saved->run;
  std::error_code ignored;
  for (const std::string &file : {run.input, run.target})
    if ((isFileName(file) || file.ends_with(".yaml")) && !std::filesystem::exists(file, ignored))
      return usageError("input-gone", options.input,
                        fmt::format("the result was made from '{}', which is not there", file),
                        "run it in the folder where it was made, or put the file back");
  Result<Explained> now = explainRun(optionsOf(run, options), run.verb.c_str());
  if (!now) return now.diagnostics();
  const Result<ResultFile> repeated = parseResult(emit::toJson(now->report, &now->run), options.input);
  PIMENTO_CHECK(repeated.ok() && "our own results can be read");
  if (const Status s = compareNumbers(*saved, repeated->numbers, now->run, options.input); !s) return s.diagnostics();
  return now;
}

}  // namespace

Outcome explain(const Options &given) {
  const Options options = withTarget(given);
  const Result<Explained> e =
      options.input.ends_with(".json") ? explainResult(options) : explainRun(options, "estimate");
  if (!e) return failure(e.diagnostics());
  constexpr int kOverview = 2, kNumber = 5, kNumberJson = 32;
  if (options.number.empty()) {
    const int depth = options.depth >= 0 ? options.depth : kOverview;
    return {options.isJson ? emit::overviewJson(e->report, e->explanation, depth)
                           : emit::overviewText(e->report, e->explanation, depth),
            {},
            0};
  }
  const Result<evaluate::DerivationPtr> number = e->explanation.find(options.number);
  if (!number) return failure(number.diagnostics());
  const int depth = options.depth >= 0 ? options.depth : options.isJson ? kNumberJson : kNumber;
  return {options.isJson ? emit::explainJson(e->report, **number, depth) : emit::toText(**number, depth), {}, 0};
}

}  // namespace pimento::driver
