#include "pimento/targets/upmem/compiled/short_runs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/counts.h"

namespace pimento::targets::upmem::compiled {

std::int64_t pointsOf(const Sizes &sizes) {
  std::int64_t points = 1;
  for (const std::int64_t n : sizes) points = multiplySaturated(points, n);
  return points;
}

bool isSteady(const kernel::Kernel &k) {
  const auto isPlain = [](const kernel::Value &v) { return v.op != kernel::Op::kIndex && !isFloat(v.type); };
  const auto isSum = [](const kernel::Store &s) { return s.combine != kernel::Combine::kMul && s.follows < 0; };
  const auto isFree = [](const kernel::Dim &d) { return d.kind != kernel::DimKind::kSequential; };
  return std::all_of(k.body.begin(), k.body.end(), isPlain) && std::all_of(k.stores.begin(), k.stores.end(), isSum) &&
         std::all_of(k.dims.begin(), k.dims.end(), isFree);
}

bool isSteadyOnAverage(const kernel::Kernel &k) {
  const auto isSum = [](const kernel::Store &s) {
    return s.combine == kernel::Combine::kAssign || s.combine == kernel::Combine::kAdd;
  };
  const auto isDirect = [](const kernel::Access &a) { return !a.isIndirect(); };
  return isSteady(k) && std::ranges::all_of(k.stores, isSum) && std::ranges::all_of(k.loads, isDirect);
}

ShortRuns::ShortRuns(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, Cache &cache,
                     std::optional<double> constant)
    : plan_(plan), scheme_(plan.scheme()), image_(image), machine_(machine), cache_(cache), constant_(constant) {
  machine_.refreshInterval = Cycles(0);
  addToKey(image_.get());
  for (const auto *table : {&machine.reads, &machine.writes})
    for (const machine::Dpu::Transfer &t : *table) {
      addToKey(t.size.value);
      addToKey(t.latency);
      addToKey(t.occupancy);
    }
  for (const std::int64_t n :
       {machine.issueInterval.value, machine.ticksPerCycle, machine.wram.value, machine.mram.value,
        machine.transferUnit.value, machine.transferMax.value, machine.transferPorts, machine.multiplier.value})
    addToKey(n);
  addToKey(constant_.has_value());
  if (constant_) addToKey(*constant_);
  addToKey(machine.mramModel == "constant" ? machine.constantTransfer : -1.0);
}

std::optional<ShortRuns::Extra> ShortRuns::extraOn(const kernel::DataSpec &values) const {
  struct Known {
    ImagePtr image;  // keys name it by address
    std::optional<Extra> extra;
  };
  std::string key = key_;
  const program::Code::Segment arguments = plan_.alone(scheme_.validOf(scheme_.mostOf(), 0), ranges());
  key.append(arguments.bytes.begin(), arguments.bytes.end());
  for (const double x : {static_cast<double>(values.kind), values.low, values.high, static_cast<double>(values.seed)})
    key.append(reinterpret_cast<const char *>(&x), sizeof x);
  return cache_.get<Known>(key, key.size(), [&] { return Known{image_, measureExtra(values)}; })->extra;
}

std::optional<ShortRuns::Extra> ShortRuns::measureExtra(const kernel::DataSpec &values) const {
  constexpr int kRuns = 4;
  constexpr std::int64_t kMostPoints = 512;
  Sizes sizes = scheme_.validOf(scheme_.mostOf(), 0);
  if (pointsOf(sizes) == 0) return std::nullopt;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (scheme_.axes[d].isTiled()) sizes[d] = std::min(sizes[d], scheme_.axes[d].tile);
  for (const int d : scheme_.nest) {
    std::int64_t &n = sizes[static_cast<std::size_t>(d)];
    if (pointsOf(sizes) > kMostPoints && !scheme_.axis(d).isWhole)
      n = std::max<std::int64_t>(1, n * kMostPoints / pointsOf(sizes));
  }
  const auto base = run(sizes);
  if (!base) return std::nullopt;
  std::vector<double> extra;
  for (int r = 0; r < kRuns; ++r) {
    const auto issued = instructionsOnRandom(sizes, values, r);
    if (!issued) return std::nullopt;
    extra.push_back(static_cast<double>(*issued - (*base)[kCounts]) / static_cast<double>(pointsOf(sizes)));
  }
  Extra out;
  for (const double e : extra) out.mean += e / kRuns;
  double squares = 0;
  for (const double e : extra) squares += (e - out.mean) * (e - out.mean);
  // The run itself has so many independent values at least, each perhaps at many points.
  std::int64_t there = INT64_MAX;
  for (const Operand &o : scheme_.operands)
    if (o.isPlaced()) there = std::min(there, std::max<std::int64_t>(1, scheme_.tensorOf(o).elements()));
  const double ofRun = std::sqrt(squares / (kRuns - 1)),
               ofAll = ofRun * std::sqrt(static_cast<double>(pointsOf(sizes)) / static_cast<double>(there));
  constexpr double kErrors = 4, kLeast = 0.015;  // of the mean
  out.margin = std::max(kErrors * (ofRun / std::sqrt(kRuns) + ofAll), kLeast * std::abs(out.mean));
  return out;
}

/// Instructions of one tasklet on values of run number `number`.
std::optional<std::int64_t> ShortRuns::instructionsOnRandom(const Sizes &sizes, const kernel::DataSpec &values,
                                                            int number) const {
  constexpr std::int64_t kElements = 1 << 12, kMostBytes = 1 << 19;
  sim::dpu::Dpu dpu(fresh());
  const auto at = plan_.fills(0, true);  // where operands begin
  std::size_t f = 0;
  for (const Operand &o : scheme_.operands) {
    if (!o.isPlaced()) continue;
    const auto made =
        kernel::makeElements(*scheme_.graph, o.tensor, values, kElements, static_cast<std::uint64_t>(number));
    if (made.type != o.type) return std::nullopt;
    const Fill &to = at[f++];
    const std::int64_t end = std::min({o.home.bytes, kMostBytes, machine_.mram.value - to.offset});
    const auto size = static_cast<std::int64_t>(made.bytes.size());
    for (std::int64_t b = 0; b < end; b += size)
      dpu.writeMram(static_cast<std::uint32_t>(to.offset + b),
                    std::span(made.bytes).first(static_cast<std::size_t>(std::min(size, end - b))));
  }
  const program::Code::Segment arguments = plan_.alone(sizes, ranges());
  dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
  const auto done = dpu.simulate();
  if (done.fault) return std::nullopt;
  return done.counts.instructions - done.counts.failedAttempts;
}

Sizes ShortRuns::ranges() const {
  Sizes out = scheme_.sizesPerThread();
  for (std::size_t d = 0; d < out.size(); ++d)
    if (scheme_.axes[d].isTiled()) out[d] = std::min(out[d], kMostTiles * scheme_.axes[d].tile);
  return out;
}

/// A DPU whose operands, where short runs have them, hold the constant.
sim::dpu::Dpu ShortRuns::fresh() const {
  sim::dpu::Dpu dpu(image_, machine_);
  if (!constant_) return dpu;
  for (const Fill &f : plan_.fills(*constant_, true))
    if (f.offset + f.size <= machine_.mram.value) dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
  return dpu;
}

std::optional<Work> ShortRuns::run(const Sizes &sizes) const {
  struct Known {
    ImagePtr image;  // keys name it by address
    std::optional<Work> work;
  };
  const program::Code::Segment arguments = plan_.alone(sizes, ranges());
  std::string key = key_;
  key.append(arguments.bytes.begin(), arguments.bytes.end());
  constexpr std::size_t kBytes = 256;
  return cache_.get<Known>(key, kBytes, [&] { return Known{image_, runNow(arguments)}; })->work;
}

std::optional<Work> ShortRuns::runNow(const program::Code::Segment &arguments) const {
  if (!fresh_) fresh_.emplace(fresh());
  sim::dpu::Dpu dpu(*fresh_);
  dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
  const auto done = dpu.estimate();
  if (!done || done->fault) return std::nullopt;
  Work out{done->cycles.value, done->engineTicks};
  for (const CountMember member : countMembers()) out.push_back(done->counts.*member);
  // Who comes to a barrier when decides how often its lock is asked for.
  out[kCounts] -= done->counts.failedAttempts;
  return out;
}

}  // namespace pimento::targets::upmem::compiled
