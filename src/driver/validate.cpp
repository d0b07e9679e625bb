// `validate`: replays reference points and compares cycles. What a suite's rows mean is the target's
// (evaluate/suite.h); the contract's table says it in words (docs/cli.md, "validate").
#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/input.h"
#include "pimento/driver/points.h"
#include "pimento/driver/tool_box.h"
#include "pimento/driver/validate_mappings.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/format.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/suite.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

constexpr const char *kMappings = "mappings";

std::vector<evaluate::Suite> suites() {
  std::vector<evaluate::Suite> out;
  for (const evaluate::Target *t : targets::all())
    for (evaluate::Suite &s : t->suites()) out.push_back(std::move(s));
  return out;
}

}  // namespace

Outcome validate(const Options &options) {
  if (options.input == kMappings) {
    if (!options.engine.empty() || !options.points.empty())
      return failure({usageError("not-of-this-suite", options.points.empty() ? "--engine" : "--points",
                                 "random mappings are drawn, not read, and run by all engines",
                                 "--engine and --points are for suites of reference points")});
    const Result<emit::MappingSuite> found = validateMappings(options);
    if (!found) return failure(found.diagnostics());
    return {options.isJson ? emit::toJson(*found) : emit::toTable(*found), {}, 0};
  }
  const std::vector<evaluate::Suite> all = suites();
  const auto suite =
      std::find_if(all.begin(), all.end(), [&](const evaluate::Suite &s) { return s.name == options.input; });
  if (suite == all.end()) {
    std::vector<std::string> names;
    for (const evaluate::Suite &s : all) names.push_back(s.name);
    names.emplace_back(kMappings);
    return failure({usageError("unknown-suite", "", fmt::format("there is no suite '{}'", options.input),
                               suggest(options.input, names))});
  }
  if (!options.target.empty() || !options.kernels.empty())
    return failure({usageError("not-of-this-suite", options.target.empty() ? "--kernels" : "--target",
                               fmt::format("the rows of suite '{}' say what is run on which machine", options.input),
                               "--target, --kernels, --count and --seed are for validate mappings")});
  const Result<Engine> engine = engineOf(options, suite->isSimulated ? Engine::kSimulate : Engine::kFastForward,
                                         {Engine::kSimulate, Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return failure(engine.diagnostics());
  const Result<PointSet> points = readPoints(pointsFolder(options, options.input), suite->rules);
  if (!points) return failure(points.diagnostics());
  const std::shared_ptr<const ToolBox> box = options.tools ? options.tools : makeToolBox();
  evaluate::Replaying how;
  how.machine = [&](const std::string &name, const std::vector<std::string> &sets) {
    Options own = options;
    own.sets.insert(own.sets.end(), sets.begin(), sets.end());
    return loadTarget(own, name);
  };
  how.isSimulation = *engine == Engine::kSimulate;
  how.twoSlice = twoSliceOf(options, *engine);
  how.tools = box->tools();
  how.seed = options.seed;
  std::vector<std::optional<Result<evaluate::Replay>>> replays(points->points.size());
  parallelFor(jobCount(options.jobs), static_cast<std::int64_t>(points->points.size()), [&](std::int64_t i) {
    replays[static_cast<std::size_t>(i)] = suite->replay(how, points->points[static_cast<std::size_t>(i)]);
  });
  emit::SuiteResult result;
  result.suite = options.input;
  result.engine = options.engine;
  result.comparesPrograms = suite->comparesPrograms;
  result.warnings = points->skipped;
  const auto names = kernelNames(points->points);
  for (std::size_t i = 0; i < points->points.size(); ++i) {
    const evaluate::Point &p = points->points[i];
    if (!*replays[i]) {
      result.warnings.push_back("not run: " + p.where.str() + ": " + replays[i]->diagnostics().front().message);
      continue;
    }
    const evaluate::Replay &r = **replays[i];
    result.add(names[i], r.ours, r.theirs,
               fmt::format("{}:{}: ours {:.10g}{}, theirs {:.10g}{}", p.where.file, p.where.line, r.ours, suite->unit,
                           r.theirs, suite->unit));
    result.addWay(names[i], emit::name(r.exact), r.seconds);
    if (r.speedup > 0) result.addSpeedup(names[i], r.speedup);
  }
  return {options.isJson ? emit::toJson(result) : emit::toTable(result), {}, 0};
}

}  // namespace pimento::driver
