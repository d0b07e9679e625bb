#include "pimento/driver/validate_upmem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "pimento/base/text.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/input.h"
#include "pimento/evaluate/evaluator.h"

namespace pimento::driver {

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

}  // namespace

Result<UpmemReplay> replayUpmem(const Options &options, const Point &p, Engine engine) {
  Result<machine::Machine> machine = loadTarget(options, "upmem");
  if (!machine) return machine.diagnostics();
  const std::optional<DType> type = typeOf(p.text("dtype"));
  if (!type)
    return error("bad-points", p.where, fmt::format("column 'dtype' holds '{}', no element type", p.text("dtype")),
                 "uint16_t, uint32_t, int16_t or int32_t");
  const bool hasMeasured = p.kernel == "red" || p.kernel == "sel" || p.kernel == "hst";
  const Result<kernel::Graph> graph =
      kernel::makeZooKernel(p.kernel, sizesOf(p), *type, hasMeasured ? "measured" : "plain");
  if (!graph) return graph.diagnostics();
  const bool isSimulation = engine == Engine::kSimulate;
  kernel::DataSet data;
  if (isSimulation) data = kernel::makeData(*graph, dataOf(p, *type, options.seed));
  mapping::MapSpec spec;
  spec.mapping.parameters = {{"tasklets", p.number("tasklets")}, {"buffer", p.number("buffer_elems")}};
  evaluate::Request r;
  r.graph = &*graph;
  r.machine = &*machine;
  r.maps = {spec};
  r.isSimulation = isSimulation;
  r.data = isSimulation ? &data : nullptr;
  if (!isSimulation) r.values = dataOf(p, *type, options.seed);
  r.twoSlice = twoSliceOf(options, engine);
  const Result<evaluate::Report> report = evaluate::evaluate(r);
  if (!report) return report.diagnostics();
  UpmemReplay out;
  constexpr double kUsPerSecond = 1e6;
  out.exact = report->exact;
  out.seconds = static_cast<double>(report->wallUs) / kUsPerSecond;
  const std::unique_ptr<program::DpuCompiler> compiler = isSimulation ? makeDpuCompiler() : nullptr;
  if (compiler) {
    r.tools.dpuCompiler = compiler.get();
    const Result<std::int64_t> cycles = compiledCycles(r, p.number("tasklets"), report->cycles.value);
    if (!cycles) return cycles.diagnostics();
    out.speedup = static_cast<double>(report->cycles.value) / static_cast<double>(*cycles);
  }
  constexpr double kNsPerMs = 1e6, kPsPerNs = 1000;
  const double launch = machine->host.dpus ? machine->host.dpus->launch.value / kPsPerNs : 0;
  out.ms = (machine->toTime(report->cycles).value / kPsPerNs + launch) / kNsPerMs;
  return out;
}

}  // namespace pimento::driver
