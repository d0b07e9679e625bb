// `validate`: replays reference points and compares cycles. Which file is run how is the contract's table
// (docs/cli.md, "validate").
#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/input.h"
#include "pimento/driver/points.h"
#include "pimento/driver/validate_mappings.h"
#include "pimento/driver/validate_upmem.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/format.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/lower/hbm_pim/host_stream.h"

namespace pimento::driver {

namespace {

constexpr const char *kMappings = "mappings";

/// Our figure for one point.
struct Replay {
  double ours = 0, theirs = 0;
  double speedup = 0;  ///< of our compiled program over the reference program; 0: there is none
  evaluate::Exactness exact = evaluate::Exactness::kSimulated;
  double seconds = 0;  ///< that finding it took
  Diagnostics diagnostics;
};

/// A suite: its points, and how one of them is run.
struct Suite {
  std::string name;
  const PointRules &(*rules)();
  Replay (*replay)(const Options &, const Point &, Engine);
  Engine usual = Engine::kFastForward;
  bool comparesPrograms = false;
  const char *unit = "";  ///< of the figures
};

Result<machine::Machine> machineFor(const Options &options, const Point &p) {
  Options own = options;
  for (const char *column : {"channels", "ranks"})
    if (p.has(column)) own.sets.push_back(fmt::format("{}={}", column, p.text(column)));
  return loadTarget(own, "hbm-pim");
}

Result<evaluate::Report> replayHostStream(const Options &options, const machine::Machine &machine, const Point &p,
                                          Engine engine) {
  const auto program = lower::hbm_pim::hostStream(machine, Bytes(p.number("bytes")), p.kernel == "hostwr");
  if (!program) return program.diagnostics();
  return evaluate::evaluateProgram(*program, machine, engine == Engine::kSimulate, {}, nullptr,
                                   twoSliceOf(options, engine));
}

/// add, mul, relu, and the element-wise rows of network files: operand regions and truncation as the reference does.
Result<evaluate::Report> replayKernel(const Options &options, const machine::Machine &machine, const Point &p,
                                      Engine engine) {
  kernel::Sizes sizes;
  evaluate::Request r;
  mapping::MapSpec spec;
  const bool isGemv = p.kernel.rfind("gemv", 0) == 0;
  if (isGemv) {
    sizes = {{"m", p.number(p.has("output_dim") ? "output_dim" : "output_dim_or_elements")},
             {"n", p.number("input_dim")},
             {"batch", p.has("batch") ? p.number("batch") : 1}};
    if (p.kernel == "gemvtree") r.variant = "tree";
  } else {
    sizes = {{"n", p.number(p.has("elements") ? "elements" : "output_dim_or_elements")}};
    spec.mapping.tail = mapping::Tail::kTruncate;
  }
  const Result<kernel::Graph> graph = kernel::makeZooKernel(isGemv ? "gemv" : p.kernel, sizes, machine.nativeType);
  if (!graph) return graph.diagnostics();
  r.graph = &*graph;
  r.machine = &machine;
  r.maps = {spec};
  r.isSimulation = engine == Engine::kSimulate;
  r.twoSlice = twoSliceOf(options, engine);
  return evaluate::evaluate(r);
}

constexpr double kUsPerSecond = 1e6;

Replay replay(const Options &options, const Point &p, Engine engine) {
  Replay out;
  out.theirs = static_cast<double>(p.number("cycles"));
  const Result<machine::Machine> machine = machineFor(options, p);
  if (!machine) {
    out.diagnostics = machine.diagnostics();
    return out;
  }
  const bool isHost = p.kernel == "hostrd" || p.kernel == "hostwr";
  const Result<evaluate::Report> report =
      isHost ? replayHostStream(options, *machine, p, engine) : replayKernel(options, *machine, p, engine);
  if (!report) {
    out.diagnostics = report.diagnostics();
    return out;
  }
  out.ours = static_cast<double>(report->cycles.value);
  out.exact = report->exact;
  out.seconds = static_cast<double>(report->wallUs) / kUsPerSecond;
  return out;
}

Replay replayMeasured(const Options &options, const Point &p, Engine engine) {
  Replay out;
  out.theirs = p.real("latency_ms");
  const Result<UpmemReplay> replayed = replayUpmem(options, p, engine);
  if (replayed) {
    out.ours = replayed->ms;
    out.speedup = replayed->speedup;
    out.exact = replayed->exact;
    out.seconds = replayed->seconds;
  } else {
    out.diagnostics = replayed.diagnostics();
  }
  return out;
}

const std::vector<Suite> &suites() {
  static const std::vector<Suite> kSuites = {{"hbm-pim", hbmPimPoints, replay},
                                             {"upmem", upmemPoints, replayMeasured, Engine::kSimulate, true, " ms"}};
  return kSuites;
}

}  // namespace

Outcome validate(const Options &options) {
  if (options.input == kMappings) {
    if (!options.engine.empty() || !options.points.empty())
      return failure({error("not-of-this-suite", {options.points.empty() ? "--engine" : "--points", 0, 0},
                            "random mappings are drawn, not read, and run by all engines",
                            "--engine and --points are for suites of reference points")});
    const Result<emit::MappingSuite> found = validateMappings(options);
    if (!found) return failure(found.diagnostics());
    return {options.isJson ? emit::toJson(*found) : emit::toTable(*found), {}, 0};
  }
  const auto suite =
      std::find_if(suites().begin(), suites().end(), [&](const Suite &s) { return s.name == options.input; });
  if (suite == suites().end()) {
    std::vector<std::string> names;
    for (const Suite &s : suites()) names.push_back(s.name);
    names.emplace_back(kMappings);
    return failure({error("unknown-suite", {}, fmt::format("there is no suite '{}'", options.input),
                          suggest(options.input, names))});
  }
  if (!options.target.empty() || !options.kernels.empty())
    return failure({error("not-of-this-suite", {options.target.empty() ? "--kernels" : "--target", 0, 0},
                          fmt::format("the rows of suite '{}' say what is run on which machine", options.input),
                          "--target, --kernels, --count and --seed are for validate mappings")});
  const Result<Engine> engine =
      engineOf(options, suite->usual, {Engine::kSimulate, Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return failure(engine.diagnostics());
  const Result<PointSet> points = readPoints(pointsFolder(options, options.input), suite->rules());
  if (!points) return failure(points.diagnostics());
  std::vector<Replay> replays(points->points.size());
  parallelFor(jobCount(options.jobs), static_cast<std::int64_t>(points->points.size()), [&](std::int64_t i) {
    replays[static_cast<std::size_t>(i)] = suite->replay(options, points->points[static_cast<std::size_t>(i)], *engine);
  });
  emit::SuiteResult result;
  result.suite = options.input;
  result.engine = options.engine;
  result.comparesPrograms = suite->comparesPrograms;
  result.warnings = points->skipped;
  const auto names = kernelNames(points->points);
  for (std::size_t i = 0; i < points->points.size(); ++i) {
    if (!replays[i].diagnostics.empty()) {
      Diagnostic d = replays[i].diagnostics.front();
      d.where = points->points[i].where;
      result.warnings.push_back("not run: " + d.where.str() + ": " + d.message);
      continue;
    }
    const Point &p = points->points[i];
    result.add(names[i], replays[i].ours, replays[i].theirs,
               fmt::format("{}:{}: ours {:.10g}{}, theirs {:.10g}{}", p.where.file, p.where.line, replays[i].ours,
                           suite->unit, replays[i].theirs, suite->unit));
    result.addWay(names[i], emit::name(replays[i].exact), replays[i].seconds);
    if (replays[i].speedup > 0) result.addSpeedup(names[i], replays[i].speedup);
  }
  return {options.isJson ? emit::toJson(result) : emit::toTable(result), {}, 0};
}

}  // namespace pimento::driver
