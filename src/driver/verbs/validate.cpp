#include "pimento/driver/verbs/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "pimento/base/progress.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/host_option.h"
#include "pimento/driver/input.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/points.h"
#include "pimento/driver/shared_work.h"
#include "pimento/driver/tool_box.h"
#include "pimento/driver/validate_mappings.h"
#include "pimento/emit/format.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/suite.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/llm/suite.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/problem.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kMappings = "mappings";

std::vector<evaluate::Suite> suites() {
  std::vector<evaluate::Suite> out;
  for (const evaluate::Target *t : targets::all())
    for (evaluate::Suite &s : t->suites()) out.push_back(std::move(s));
  for (evaluate::Suite &s : llm::suites(hostFile(kStudyHost), modelsFile(), targets::near_bank::target()))
    out.push_back(std::move(s));
  return out;
}

/// The figures of a row, each under the name that reports give it.
Result<std::vector<evaluate::NamedReplay>> figuresOf(const evaluate::Suite &suite, const evaluate::Replaying &how,
                                                     const evaluate::Point &p, const std::string &name) {
  if (suite.replayRow) return suite.replayRow(how, p);
  const Result<evaluate::Replay> r = suite.replay(how, p);
  if (!r) return r.diagnostics();
  return std::vector<evaluate::NamedReplay>{{name, p.where, *r}};
}

/// The figures of a row as ranks exchange them, or the message of what is wrong.
std::string textOf(const Result<std::vector<evaluate::NamedReplay>> &figures) {
  if (!figures) return Json(figures.diagnostics().front().message).dump();
  Json out = Json::array();
  for (const evaluate::NamedReplay &f : *figures) {
    const evaluate::Replay &r = f.replay;
    out.push_back({f.kernel, r.ours, r.theirs, r.speedup, static_cast<int>(r.exact), r.seconds, r.differs});
  }
  return out.dump();
}

/// Inverse of textOf, but where the points are.
std::vector<evaluate::NamedReplay> figuresIn(const Json &j) {
  std::vector<evaluate::NamedReplay> out;
  for (const Json &f : j)
    out.push_back(
        {f.at(0).get<std::string>(),
         {},
         {f.at(1).get<double>(), f.at(2).get<double>(), f.at(3).get<double>(),
          static_cast<evaluate::Exactness>(f.at(4).get<int>()), f.at(5).get<double>(), f.at(6).get<std::string>()}});
  return out;
}

/// Every point by our engine, beside what was measured.
Result<emit::SuiteResult> replayed(const Options &options, const evaluate::Suite &suite, Engine engine,
                                   const PointSet &points) {
  const std::shared_ptr<const ToolBox> box = options.tools ? options.tools : makeToolBox();
  evaluate::Replaying how;
  // Rows of a table are of few machines.
  std::mutex mutex;
  std::map<std::pair<std::string, std::vector<std::string>>, Result<machine::Machine>> machines;
  how.machine = [&](const std::string &name, const std::vector<std::string> &sets) {
    const std::lock_guard lock(mutex);
    const auto known = machines.find({name, sets});
    if (known != machines.end()) return known->second;
    Options own = options;
    own.sets.insert(own.sets.end(), sets.begin(), sets.end());
    return machines.emplace(std::pair(name, sets), loadTarget(own, name)).first->second;
  };
  how.isSimulation = engine == Engine::kSimulate;
  how.twoSlice = twoSliceOf(options, engine);
  how.tools = box->tools();
  how.seed = options.seed;
  std::vector<Json> replays(points.points.size());
  const auto names = kernelNames(points.points);
  std::string plan = fmt::format("{} {} {} {}\n", tune::toolIdentity(), options.input, options.engine, options.seed);
  cluster::Tasks tasks;
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    plan += points.points[i].where.str() + '\n';
    tasks.now.push_back(std::to_string(i));
  }
  const auto shared = SharedWork::join(options, plan, [&](const std::string &task) {
    const auto i = static_cast<std::size_t>(parseInteger(task).value_or(0));
    return textOf(figuresOf(suite, how, points.points[i], names[i]));
  });
  if (!shared) return shared.diagnostics();
  if (shared->isDone()) return emit::SuiteResult{};
  Progress progress("validating", static_cast<std::int64_t>(tasks.now.size()), !options.isQuiet);
  const Status done = shared->ranks().compute(tasks, options.isStopped, [&](std::size_t i, const std::string &result) {
    replays[i] = Json::parse(result);
    progress.advance();
  });
  if (!done) return done.diagnostics();
  emit::SuiteResult result;
  result.suite = options.input;
  result.engine = options.engine;
  result.comparesPrograms = suite.comparesPrograms;
  result.comparesCounts = suite.comparesCounts;
  result.warnings = points.skipped;
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    const evaluate::Point &p = points.points[i];
    if (replays[i].is_string()) {
      result.warnings.push_back("not run: " + p.where.str() + ": " + replays[i].get<std::string>());
      continue;
    }
    for (const evaluate::NamedReplay &figure : figuresIn(replays[i])) {
      const evaluate::Replay &r = figure.replay;
      result.add(figure.kernel, r.ours, r.theirs,
                 fmt::format("{}:{}: ours {:.10g}{}, theirs {:.10g}{}", p.where.file, p.where.line, r.ours, suite.unit,
                             r.theirs, suite.unit));
      result.addWay(figure.kernel, emit::name(r.exact), r.seconds);
      if (suite.comparesCounts && r.differs.empty()) result.addSameCounts(figure.kernel);
      if (!r.differs.empty())
        result.warnings.push_back(fmt::format("{}:{}: {}", p.where.file, p.where.line, r.differs));
      if (r.speedup > 0) result.addSpeedup(figure.kernel, r.speedup);
    }
  }
  result.sharing = sharingOf(options);
  return result;
}

/// Points that are no tables.
Result<ValidateAnswer> replayedFolder(const Options &options, const evaluate::Suite &suite, const std::string &folder) {
  if (!options.engine.empty())
    return usageError("not-of-this-suite", "--engine", fmt::format("suite '{}' runs no engine", suite.name),
                      "leave it out");
  const Result<std::vector<evaluate::NamedReplay>> rows = suite.replayFolder(folder);
  if (!rows) return rows.diagnostics();
  emit::SuiteResult result;
  result.suite = options.input;
  for (const evaluate::NamedReplay &row : *rows) {
    const evaluate::Replay &r = row.replay;
    result.add(row.kernel, r.ours, r.theirs,
               fmt::format("{}: {}", row.where.str(), r.differs.empty() ? "equal" : r.differs));
    if (!r.differs.empty()) result.warnings.push_back(fmt::format("{}: {}", row.where.str(), r.differs));
  }
  return ValidateAnswer(std::move(result));
}

}  // namespace

Result<ValidateAnswer> validate(const Options &options) {
  if (options.input == kMappings) {
    if (!options.engine.empty() || !options.points.empty())
      return usageError("not-of-this-suite", options.points.empty() ? "--engine" : "--points",
                        "random mappings are not read from a file, and run with all engines",
                        "--engine and --points apply to suites of reference points");
    Result<emit::MappingSuite> found = validateMappings(options);
    if (!found) return found.diagnostics();
    return ValidateAnswer(std::move(*found));
  }
  const std::vector<evaluate::Suite> all = suites();
  const auto suite =
      std::find_if(all.begin(), all.end(), [&](const evaluate::Suite &s) { return s.name == options.input; });
  if (suite == all.end()) {
    std::vector<std::string> names;
    for (const evaluate::Suite &s : all) names.push_back(s.name);
    names.emplace_back(kMappings);
    return usageError("unknown-suite", "", fmt::format("unknown suite '{}'", options.input),
                      suggest(options.input, names));
  }
  if (!options.target.empty() || !options.kernels.empty())
    return usageError("not-of-this-suite", options.target.empty() ? "--kernels" : "--target",
                      fmt::format("the rows of suite '{}' specify kernel and machine", options.input),
                      "--target, --kernels, --count and --seed apply to validate mappings");
  const std::string folder = pointsFolder(options, suite->rules.folder.empty() ? options.input : suite->rules.folder);
  if (suite->replayFolder) return replayedFolder(options, *suite, folder);
  const Result<Engine> engine = engineOf(options, suite->isSimulated ? Engine::kSimulate : Engine::kFastForward,
                                         {Engine::kSimulate, Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return engine.diagnostics();
  const Result<PointSet> points = readPoints(folder, suite->rules);
  if (!points) return points.diagnostics();
  Result<emit::SuiteResult> result = replayed(options, *suite, *engine, *points);
  if (!result) return result.diagnostics();
  return ValidateAnswer(std::move(*result));
}

Outcome show(const ValidateAnswer &answer, const Options &options) {
  const auto text = [&](const auto &a) { return options.isJson ? emit::toJson(a) : emit::toTable(a); };
  return {std::visit(text, answer), {}, 0};
}

}  // namespace pimento::driver
