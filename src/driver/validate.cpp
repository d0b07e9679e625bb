// `validate`: replays reference points and compares cycles. Which file is run how is the contract's table
// (docs/cli.md, "validate").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/input.h"
#include "pimento/driver/points.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/lower/hbm_pim/host_stream.h"

namespace pimento::driver {

namespace {

/// Our figure for one point.
struct Replay {
  std::int64_t ours = 0, theirs = 0;
  Diagnostics diagnostics;
};

Result<machine::Machine> machineFor(const Options &options, const Point &p) {
  Options own = options;
  for (const char *column : {"channels", "ranks"})
    if (p.has(column)) own.sets.push_back(fmt::format("{}={}", column, p.text(column)));
  return loadTarget(own, "hbm-pim");
}

Result<std::int64_t> replayHostStream(const machine::Machine &machine, const Point &p) {
  const auto program = lower::hbm_pim::hostStream(machine, Bytes(p.number("bytes")), p.kernel == "hostwr");
  if (!program) return program.diagnostics();
  const auto report = evaluate::evaluateProgram(*program, machine, false, nullptr);
  if (!report) return report.diagnostics();
  return report->cycles.value;
}

/// add, mul, relu, and the element-wise rows of network files: operand regions and truncation as the reference does.
Result<std::int64_t> replayKernel(const machine::Machine &machine, const Point &p) {
  kernel::Sizes sizes;
  evaluate::Request r;
  mapping::MapSpec spec;
  const bool isGemv = p.kernel.rfind("gemv", 0) == 0;
  if (isGemv) {
    sizes = {{"m", p.number(p.has("output_dim") ? "output_dim" : "output_dim_or_elements")}, {"n", p.number("input_dim")},
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
  const auto report = evaluate::evaluate(r);
  if (!report) return report.diagnostics();
  return report->cycles.value;
}

Replay replay(const Options &options, const Point &p) {
  Replay out;
  out.theirs = p.number("cycles");
  const Result<machine::Machine> machine = machineFor(options, p);
  if (!machine) {
    out.diagnostics = machine.diagnostics();
    return out;
  }
  const bool isHost = p.kernel == "hostrd" || p.kernel == "hostwr";
  const Result<std::int64_t> cycles = isHost ? replayHostStream(*machine, p) : replayKernel(*machine, p);
  if (cycles)
    out.ours = *cycles;
  else
    out.diagnostics = cycles.diagnostics();
  return out;
}

/// Error of one kernel's rows.
struct Tally {
  std::int64_t rows = 0, exact = 0, within15 = 0;
  double sum = 0, worst = -1;
  std::string worstRow;

  void add(const Point &p, const Replay &r) {
    const double error = 100.0 * std::abs(static_cast<double>(r.ours - r.theirs)) / static_cast<double>(std::max<std::int64_t>(r.theirs, 1));
    ++rows;
    exact += r.ours == r.theirs;
    within15 += error <= 15.0;
    sum += error;
    if (error <= worst) return;
    worst = error;
    worstRow = fmt::format("{}:{}: ours {}, theirs {}", p.where.file, p.where.line, r.ours, r.theirs);
  }
};

std::string asJson(const std::string &suite, std::int64_t points, const std::map<std::string, Tally> &tallies) {
  using Json = nlohmann::ordered_json;
  Json kernels = Json::object();
  for (const auto &[name, t] : tallies)
    kernels[name] = {{"rows", t.rows},
                     {"exact", t.exact},
                     {"mean_abs_error_pct", t.sum / static_cast<double>(t.rows)},
                     {"worst_abs_error_pct", t.worst},
                     {"within_15_pct", 100.0 * static_cast<double>(t.within15) / static_cast<double>(t.rows)},
                     {"worst_row", t.worstRow}};
  return Json{{"suite", suite}, {"points", points}, {"kernels", kernels}}.dump(2) + "\n";
}

std::string asTable(const std::string &suite, std::int64_t points, const std::map<std::string, Tally> &tallies) {
  std::string text = fmt::format("{}: {} points\n{:<28} {:>6} {:>6} {:>10} {:>10} {:>12}\n", suite, points, "kernel", "rows", "exact",
                                 "mean |e|", "worst |e|", "within 15 %");
  for (const auto &[name, t] : tallies)
    text += fmt::format("{:<28} {:>6} {:>6} {:>8.3f} % {:>8.3f} % {:>10.1f} %{}\n", name, t.rows, t.exact, t.sum / static_cast<double>(t.rows),
                        t.worst, 100.0 * static_cast<double>(t.within15) / static_cast<double>(t.rows),
                        t.exact == t.rows ? "" : "\n    worst: " + t.worstRow);
  return text;
}

}  // namespace

Outcome validate(const Options &options) {
  const std::vector<std::string> suites = {"hbm-pim"};
  if (std::find(suites.begin(), suites.end(), options.input) == suites.end())
    return failure({error("unknown-suite", {}, fmt::format("there is no suite '{}'", options.input), suggest(options.input, suites))});
  const Result<std::vector<Point>> points = readPoints(pointsFolder(options, options.input), {"cycles"});
  if (!points) return failure(points.diagnostics());
  std::vector<Replay> replays(points->size());
  parallelFor(jobCount(options.jobs), static_cast<std::int64_t>(points->size()), [&](std::int64_t i) {
    replays[static_cast<std::size_t>(i)] = replay(options, (*points)[static_cast<std::size_t>(i)]);
  });
  std::map<std::string, Tally> tallies;
  const auto names = kernelNames(*points);
  for (std::size_t i = 0; i < points->size(); ++i) {
    if (!replays[i].diagnostics.empty()) {
      Diagnostic d = replays[i].diagnostics.front();
      d.where = (*points)[i].where;
      return failure({d});
    }
    tallies[names[i]].add((*points)[i], replays[i]);
  }
  const auto count = static_cast<std::int64_t>(points->size());
  return {options.isJson ? asJson(options.input, count, tallies) : asTable(options.input, count, tallies), {}, 0};
}

}  // namespace pimento::driver
