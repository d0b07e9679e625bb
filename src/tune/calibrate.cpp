#include "pimento/tune/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "pimento/base/text.h"

namespace pimento::tune {

namespace {

double median(std::vector<double> v, double otherwise) {
  if (v.empty()) return otherwise;
  std::sort(v.begin(), v.end());
  const std::size_t n = v.size();
  return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/// The rows of one size and number of tasklets, by the transfers of an iteration.
using Series = std::map<std::int64_t, double>;
struct Key {
  bool isRead;
  std::int64_t bytes, tasklets;
  auto operator<=>(const Key &) const = default;
};
using AllSeries = std::map<Key, Series>;

AllSeries seriesOf(const CalibrationTables &tables) {
  AllSeries all;
  for (const TransferRow &r : tables.transfers) all[{r.isRead, r.bytes, r.tasklets}][r.transfers] = r.cycles;
  return all;
}

/// Cycles of the DPU per further transfer, from `from` transfers on; nothing where the series has one row there.
std::optional<double> marginal(const Series &s, std::int64_t tasklets, std::int64_t from = 1) {
  const auto begin = s.lower_bound(from);
  if (begin == s.end() || begin->first == s.rbegin()->first) return std::nullopt;
  const auto first = *begin, last = *s.rbegin();
  return (last.second - first.second) / static_cast<double>((last.first - first.first) * tasklets);
}

/// A transfer of this size as the tables give it, refresh included.
class SizeRules {
 public:
  SizeRules(const AllSeries &all, bool isRead, std::int64_t bytes, double interval, const LoopSlots &loop)
      : all_(all), isRead_(isRead), bytes_(bytes), extra_(interval * static_cast<double>(loop.more)) {}

  std::optional<double> latency() const {
    const Series *s = at(1);
    if (s == nullptr) return std::nullopt;
    return (s->begin()->second - extra_) / static_cast<double>(s->begin()->first);
  }
  /// Eight tasklets or more keep the engine busy with any loop; 24 also get into one another's way at issue. Where
  /// neither was measured, as many as ask for three times what the engine gives; else the engine serves one by one.
  double occupancy(double latency) const {
    constexpr std::int64_t kEnough = 8, kMost = 16;
    constexpr double kAsksFor = 3;
    double sum = 0;
    int n = 0;
    for (std::int64_t t = kEnough; t <= kMost; ++t)
      if (const auto m = marginalAt(t)) sum += *m, ++n;
    if (n > 0) return std::min(latency, sum / n);
    for (std::int64_t t = kEnough - 1; t > 1; --t)
      if (const auto m = marginalAt(t); m && *m * static_cast<double>(t) >= kAsksFor * latency)
        return std::min(latency, *m);
    return latency;
  }

 private:
  const Series *at(std::int64_t tasklets) const {
    const auto it = all_.find({isRead_, bytes_, tasklets});
    return it == all_.end() ? nullptr : &it->second;
  }
  std::optional<double> marginalAt(std::int64_t tasklets) const {
    const Series *s = at(tasklets);
    constexpr std::int64_t kKeepBusy = 2;  // one small transfer per iteration leaves the engine idle at times
    return s == nullptr ? std::nullopt : marginal(*s, tasklets, kKeepBusy);
  }

  const AllSeries &all_;
  bool isRead_;
  std::int64_t bytes_;
  double extra_;
};

/// What a saturated engine's first transfer falls short of its further ones is the loop that was subtracted; what a
/// lone tasklet's first transfer takes more than its further ones are the slots that come with it.
LoopSlots loopOf(const AllSeries &all, double interval) {
  constexpr std::int64_t kSaturates = 16, kSmall = 64;
  std::vector<double> empty, more;
  for (const auto &[key, s] : all) {
    const auto m = marginal(s, key.tasklets);
    if (!m || key.bytes > kSmall || s.begin()->first != 1) continue;
    const double one = *m * static_cast<double>(key.tasklets) - s.begin()->second;
    if (key.tasklets >= kSaturates) empty.push_back(one / std::max(interval, static_cast<double>(key.tasklets)));
    if (key.tasklets == 1) more.push_back(-one / interval);
  }
  const LoopSlots usual;
  LoopSlots loop;
  loop.empty = std::max(1L, std::lround(median(empty, static_cast<double>(usual.empty))));
  loop.more = std::max(0L, std::lround(median(more, static_cast<double>(usual.more))));
  return loop;
}

std::string keyOf(const machine::Machine &base, const std::string &section, std::int64_t bytes) {
  for (const auto &[path, n] : base.numbers) {
    if (!path.starts_with(section) || !path.ends_with(".size") || n.canonical != static_cast<double>(bytes)) continue;
    return path.substr(section.size(), path.size() - section.size() - std::string_view(".size").size());
  }
  return {};
}

}  // namespace

Result<Calibration> calibrate(const CalibrationTables &tables, const machine::Machine &machine) {
  if (!machine.dpu)
    return unsupported("not-a-dpu", {}, "machine '" + machine.name + "' has no DPUs to calibrate",
                       "use upmem, or a file that extends it");
  Calibration c;
  c.issueInterval = static_cast<double>(machine.dpu->issueInterval.value);
  for (const OperationRow &r : tables.operations)
    if (r.op == "ADD" && r.type == "uint32_t") c.issueInterval = static_cast<double>(std::llround(r.cycles));
  const AllSeries all = seriesOf(tables);
  c.loop = loopOf(all, c.issueInterval);
  double share = 1;
  if (machine.dpu->refreshInterval.value > 0)
    share -=
        static_cast<double>(machine.dpu->refreshTime.value) / static_cast<double>(machine.dpu->refreshInterval.value);
  std::map<std::pair<bool, std::int64_t>, Location> sizes;
  for (const TransferRow &r : tables.transfers) sizes.emplace(std::pair(r.isRead, r.bytes), r.where);
  for (const auto &[size, where] : sizes) {
    const SizeRules rules(all, size.first, size.second, c.issueInterval, c.loop);
    const auto latency = rules.latency();
    if (!latency || *latency <= 0)
      return error(
          "bad-table", where,
          fmt::format("transfers of {} bytes have no latency: there is no row with 1 tasklet, or it is too short",
                      size.second),
          "measure each size with 1 tasklet too");
    const double occupancy = rules.occupancy(*latency);
    constexpr double kTenths = 10;
    const auto rounded = [&](double x) { return std::round(x * share * kTenths) / kTenths; };
    (size.first ? c.reads : c.writes).push_back({Bytes(size.second), rounded(*latency), rounded(occupancy)});
  }
  return c;
}

Result<std::string> machineText(const Calibration &c, const machine::Machine &base, const std::string &name,
                                const std::string &source) {
  std::string quoted;
  for (const char ch : source)
    if (ch != '"' && ch != '\\' && static_cast<unsigned char>(ch) >= ' ') quoted += ch;
  std::string out = fmt::format(
      "name: {}\nextends: {}\nabout: {}, with times calibrated on micro-benchmarks\ndpu:\n"
      "  issue_interval: {{value: {} cycle, source: \"calibrated: {}\", confidence: measured}}\n",
      name, base.name, base.name, c.issueInterval, quoted);
  if (!c.reads.empty() || !c.writes.empty()) out += "  dma:\n";
  for (const auto &[direction, table] : {std::pair{"read", &c.reads}, std::pair{"write", &c.writes}}) {
    if (table->empty()) continue;
    out += fmt::format("    {}:\n      source: \"calibrated: {}\"\n      confidence: measured\n", direction, quoted);
    for (const machine::Dpu::Transfer &t : *table) {
      const std::string key = keyOf(base, fmt::format("dpu.dma.{}.", direction), t.size.value);
      if (key.empty())
        return error("bad-table", {},
                     fmt::format("machine '{}' has no {} of {} bytes", base.name, direction, t.size.value),
                     "add the size to the machine file first, or omit its rows");
      out += fmt::format("      {}: {{size: {} B, latency: {} cycle, occupancy: {} cycle}}\n", key, t.size.value,
                         numberText(t.latency), numberText(t.occupancy));
    }
  }
  return out;
}

}  // namespace pimento::tune
