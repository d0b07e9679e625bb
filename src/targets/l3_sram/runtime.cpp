#include "pimento/targets/l3_sram/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/tdfg/execute.h"

namespace pimento::targets::l3_sram {

namespace {

/// Arrays whose elements lie in wordlines.
std::vector<int> transposedBy(const tdfg::Region &region) {
  std::vector<int> arrays;
  for (const tdfg::Node &n : region.nodes)
    if (n.kind == tdfg::NodeKind::kTensor) arrays.push_back(n.array);
  for (const tdfg::Output &o : region.outputs)
    if (!o.isStream) arrays.push_back(o.array);
  return arrays;
}

}  // namespace

Result<Runtime> Runtime::make(const tdfg::FatBinary &binary, const std::map<std::string, std::int64_t> &sizes,
                              const machine::Machine &machine, const RuntimeOptions &options) {
  Result<Runtime> best = makeOne(binary, sizes, machine, options);
  if (!best || binary.versions.empty() || options.isOnCore) return best;
  auto least = best->cycles();
  for (std::size_t v = 0; v < binary.versions.size(); ++v) {
    Result<Runtime> other = makeOne(binary.versions[v], sizes, machine, options);
    // One that leaves more to streams is not compared.
    if (!other || other->left_.size() > best->left_.size()) continue;
    const auto cycles = other->cycles();
    if (!cycles || (least && *cycles >= *least)) continue;
    least = cycles;
    best = std::move(other);
    best->version_ = v + 1;
  }
  return best;
}

Result<std::int64_t> Runtime::cycles() const {
  lower::l3_sram::LoweringMemo memo;
  RunCounts counts;
  const Status status = runRounds(regions(), *machine_->sram, nullptr, memo, counts);
  if (!status) return status.diagnostics();
  return counts.time.total.value;
}

Result<Runtime> Runtime::makeOne(const tdfg::FatBinary &binary, const std::map<std::string, std::int64_t> &sizes,
                                 const machine::Machine &machine, const RuntimeOptions &options) {
  const machine::Sram &sram = *machine.sram;
  const auto &arraySizes = tdfg::commonArraySizes();
  const auto size = std::ranges::find_if(
      arraySizes, [&](const auto &s) { return s.wordlines == sram.wordlines && s.bitlines == sram.bitlines; });
  if (size == arraySizes.end())
    return unsupported("inf-array-size", {},
                       fmt::format("a fat binary has no schedules for arrays of {} x {}, which {} has", sram.wordlines,
                                   sram.bitlines, machine.name),
                       "use a machine with arrays of 256 x 256 or 512 x 512");
  Runtime r;
  auto values = tdfg::bindSizes(binary.program, sizes);
  if (!values) return values.diagnostics();
  r.values_ = std::move(*values);
  r.program_ = binary.program;
  r.schedules_ = binary.schedules[static_cast<std::size_t>(size - arraySizes.begin())];
  r.machine_ = &machine;
  r.options_ = options;
  for (const tdfg::Array &a : r.program_.arrays)
    r.elementBytes_ = std::min(r.elementBytes_, static_cast<int>(sizeOf(a.type).value));
  for (std::size_t i = 0; i < r.program_.regions.size(); ++i) {
    tdfg::Region &region = r.program_.regions[i];
    std::vector<int> arrays = transposedBy(region);
    std::ranges::sort(arrays);
    const auto count = std::ranges::unique(arrays).begin() - arrays.begin();
    if (count > sram.regions)
      return capacityError("too-many-arrays", region.where,
                           fmt::format("region '{}' has {} arrays in wordlines, {} keeps {} at a time", region.name,
                                       count, machine.name, sram.regions),
                           "split the loop nest");
    const auto foreign = std::ranges::find_if(arrays, [&](int a) {
      return static_cast<std::size_t>(a) < options.isForeign.size() && options.isForeign[static_cast<std::size_t>(a)];
    });
    if (options.isOnCore)
      leaveToStreams(region, "the core runs it");
    else if (foreign != arrays.end() && !region.nodes.empty())
      leaveToStreams(region, fmt::format("the rows of '{}' are no whole lines of {} bytes",
                                         r.program_.arrays[static_cast<std::size_t>(*foreign)].name, sram.line.value));
    else if (!region.nodes.empty() && r.schedules_[i].steps.empty())
      leaveToStreams(region, fmt::format("it needs more than the {} wordlines of an array", sram.wordlines));
  }
  // What no layout has room for shows in the first round.
  for (bool isSettled = false; !isSettled;) {
    isSettled = true;
    int at = -1;
    bool hasLayout = true;
    RegionProgram probe = r.regions();
    const auto inner = probe.layout;
    probe.layout = [&](int region, const tdfg::Instance &instance) {
      at = region;
      auto layout = inner(region, instance);
      hasLayout = layout.ok();
      return layout;
    };
    const Status status = forEachFirstRound(probe, [](const Round &) { return okStatus(); });
    if (status) break;
    const Diagnostic &why = status.diagnostics().front();
    if (at < 0 || (hasLayout && why.kind != DiagnosticKind::kUnsupported)) return status.diagnostics();
    leaveToStreams(r.program_.regions[static_cast<std::size_t>(at)], why.message);
    isSettled = false;
  }
  for (const tdfg::Region &region : r.program_.regions)
    if (region.nodes.empty()) r.left_.push_back(fmt::format("{}: {}", region.name, region.reason));
  return r;
}

RegionProgram Runtime::regions() const {
  return {&program_, &values_, &schedules_,
          [this](int region, const tdfg::Instance &instance) -> Result<lower::l3_sram::Layout> {
            const auto tile = lower::l3_sram::heuristicTile(
                instance.bounding, lower::l3_sram::wishesOf(program_.regions[static_cast<std::size_t>(region)]),
                *machine_->sram);
            if (!tile) return tile.diagnostics();
            return lower::l3_sram::place(instance.bounding, std::span(*tile).first(instance.bounding.size()),
                                         elementBytes_, *machine_->sram);
          }};
}

Result<RuntimeReport> Runtime::run(kernel::DataSet &data) const {
  RuntimeReport report;
  report.left = left_;
  Residency residency(machine_->sram->mode, options_.jobs, data);
  lower::l3_sram::LoweringMemo memo(options_.hasMemo ? 256 : 0);
  if (const Status s = runRounds(regions(), *machine_->sram, &residency, memo, report.counts); !s)
    return s.diagnostics();
  report.residency = residency.counts();
  return report;
}

Status Runtime::lowerAll(const RoundVisitor &see) const {
  lower::l3_sram::LoweringMemo none(0);
  return forEachRound(regions(), nullptr, none, see);
}

}  // namespace pimento::targets::l3_sram
