#include "pimento/targets/upmem/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pimento/base/text.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/targets.h"

namespace pimento::targets::upmem {

using evaluate::Point;

namespace {

/// "uint32_t", as the files write it.
std::optional<DType> typeOf(std::string text) {
  if (text.starts_with("uint") && text.ends_with("_t")) text = "u" + text.substr(4, text.size() - 6);
  if (text.starts_with("int") && text.ends_with("_t")) text = "i" + text.substr(3, text.size() - 5);
  return parseDType(text);
}

kernel::Sizes sizesOf(const Point &p) {
  const std::int64_t rows = p.number("tasklets") * p.number("iterations");
  if (p.kernel == "gemv") return {{"m", rows}, {"n", p.number("vec_length")}};
  if (p.kernel == "gemm") return {{"m", rows}, {"k", p.number("vec_length")}, {"n", p.number("n_length")}};
  return {{"n", rows * p.number("buffer_elems")}};
}

/// Constants for products; otherwise random over what the measured kernels take.
kernel::DataSpec dataOf(const Point &p, DType type, std::uint64_t seed) {
  kernel::DataSpec spec;
  spec.seed = seed;
  spec.kind = p.has("mul_operand") ? kernel::DataSpec::Kind::kConst : kernel::DataSpec::Kind::kUniform;
  if (p.has("mul_operand")) {
    spec.low = p.real("mul_operand");
  } else {
    constexpr double kTwelveBits = 4095, kAll32 = 4294967295.0, kAll16 = 65535;
    spec.high = p.kernel == "hst" ? kTwelveBits : sizeOf(type).value == 4 ? kAll32 : kAll16;
  }
  return spec;
}

/// The point's kernel on as many tasklets, each with as much, by a compiled program; `buffer` points per tile, 0: as
/// many as the compiler likes.
mapping::MapSpec compiledMap(const kernel::Kernel &kernel, std::int64_t tasklets, std::int64_t buffer) {
  constexpr std::size_t kTasklet = 2, kLevels = 3;
  mapping::MapSpec spec;
  spec.kind = mapping::MapSpec::Kind::kExplicit;
  mapping::Subspace s;
  s.factors.assign(kLevels + 1, std::vector<std::int64_t>(kernel.dims.size(), 1));
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) s.factors[kLevels][d] = kernel.dims[d].extent;
  s.factors[kTasklet][0] = tasklets;
  s.factors[kLevels][0] = kernel.dims[0].extent / tasklets;
  spec.mapping.subspaces = {s};
  spec.mapping.mergeAt = mapping::MergeAt::kHost;  // as the reference programs
  spec.mapping.program = mapping::ProgramKind::kCompiled;
  if (buffer > 0) spec.mapping.parameters["buffer"] = buffer;
  spec.mapping.text = mapping::print(spec);
  return spec;
}

/// Cycles of our own program. Where the first guess does not win clearly, other tiles are tried.
Result<std::int64_t> compiledCycles(evaluate::Request r, std::int64_t tasklets, std::int64_t reference) {
  constexpr double kClearly = 1.1;
  std::int64_t best = 0;
  for (const std::int64_t buffer : {0, 512, 256, 128, 64, 1024}) {
    r.maps = {compiledMap(r.graph->kernels.front(), tasklets, buffer)};
    const Result<evaluate::Report> report = evaluate::evaluate(r);
    if (!report && best == 0) return report.diagnostics();
    if (report && (best == 0 || report->cycles.value < best)) best = report->cycles.value;
    if (static_cast<double>(reference) >= kClearly * static_cast<double>(best)) break;
  }
  return best;
}

/// A simulation checks both answers against the interpreter; other engines only time the reference program, on as much
/// as the point says of its data.
Result<evaluate::Replay> replay(const evaluate::Replaying &how, const Point &p) {
  const Result<machine::Machine> machine = how.machine("upmem", {});
  if (!machine) return machine.diagnostics();
  const std::optional<DType> type = typeOf(p.text("dtype"));
  if (!type)
    return error("bad-points", p.where,
                 fmt::format("column 'dtype' holds '{}', which is not an element type", p.text("dtype")),
                 "use uint16_t, uint32_t, int16_t or int32_t");
  const bool hasMeasured = p.kernel == "red" || p.kernel == "sel" || p.kernel == "hst";
  const Result<kernel::Graph> graph =
      kernel::makeZooKernel(p.kernel, sizesOf(p), *type, hasMeasured ? "measured" : "plain");
  if (!graph) return graph.diagnostics();
  kernel::DataSet data;
  if (how.isSimulation) data = kernel::makeData(*graph, dataOf(p, *type, how.seed));
  mapping::MapSpec spec;
  spec.mapping.parameters = {{"tasklets", p.number("tasklets")}, {"buffer", p.number("buffer_elems")}};
  evaluate::Request r;
  r.machine = &*machine;
  r.target = &target();
  r.graph = &*graph;
  r.maps = {spec};
  r.isSimulation = how.isSimulation;
  r.data = how.isSimulation ? &data : nullptr;
  if (!how.isSimulation) r.values = dataOf(p, *type, how.seed);
  r.twoSlice = how.twoSlice;
  r.tools.cache = how.tools.cache;
  const Result<evaluate::Report> report = evaluate::evaluate(r);
  if (!report) return report.diagnostics();
  constexpr double kNsPerMs = 1e6, kPsPerNs = 1000;
  const auto &link = machine->host.dpus;
  const double launch = link ? link->costOf(link->launch, 1, 1).value / kPsPerNs : 0;
  evaluate::Replay out = evaluate::replayOf(
      *report, (machine->toTime(report->cycles).value / kPsPerNs + launch) / kNsPerMs, p.real("latency_ms"));
  if (how.isSimulation && how.tools.dpuCompiler != nullptr) {
    r.tools = how.tools;
    const Result<std::int64_t> cycles = compiledCycles(r, p.number("tasklets"), report->cycles.value);
    if (!cycles) return cycles.diagnostics();
    out.speedup = static_cast<double>(report->cycles.value) / static_cast<double>(*cycles);
  }
  return out;
}

}  // namespace

evaluate::Suite suite() {
  using Groups = std::vector<std::vector<std::string>>;
  const Groups gemv = {{"vec_length"}, {"mul_operand"}}, gemm = {{"vec_length"}, {"n_length"}, {"mul_operand"}};
  evaluate::Suite out{"upmem", {}, replay, true, true, " ms"};
  out.rules.files = {"stream_kernels", "gemv_", "gemm_"};
  out.rules.required = {"dtype", "tasklets", "iterations", "buffer_elems", "latency_ms"};
  out.rules.positive = {"latency_ms"};
  out.rules.whole = {"tasklets", "iterations", "buffer_elems", "vec_length", "n_length"};
  out.rules.kernels = {{"va", {}}, {"red", {}}, {"sel", {}}, {"scan", {}}, {"hst", {}}, {"gemv", gemv}, {"gemm", gemm}};
  return out;
}

}  // namespace pimento::targets::upmem
