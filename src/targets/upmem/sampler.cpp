#include "pimento/targets/upmem/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/targets/upmem/counts.h"
#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem {

using lower::PerDim;
using sim::dpu::Counts;
using sim::dpu::RunResult;

namespace {

constexpr std::int64_t kFewest = 4;  // granules of the longest samples
constexpr int kSamples = 3 * kSeeds;
/// What a run costs at least, in costs of the samples that tell whether longer ones are worth while.
constexpr double kWorth = 6;
/// Samples that make one longer than this are cut finer, where they can be.
constexpr double kLongestSample = 2e6;
constexpr double kWidest = 0.025;  // half an interval, of the cycles

/// Granules of all samples whose longest have `most`.
double granulesOf(std::int64_t most) {
  return (1.75 * kSeeds + 1.25 * kAlike) * static_cast<double>(most);
}

}  // namespace

double Sampler::Plan::cost() const {
  return (granulesOf(most) + 3 * static_cast<double>(steady)) * perPart;
}

Sampler::Sampler(const Cuttable &program, std::shared_ptr<const SampleData> data, int jobs)
    : program_(program), plan_(program.hostPlan()), scheme_(plan_.scheme()), data_(std::move(data)), jobs_(jobs) {
  const PerDim most = scheme_.mostOf();
  const auto points = [](const PerDim &valid) {
    return std::accumulate(valid.begin(), valid.end(), 1.0,
                           [](double n, std::int64_t v) { return n * static_cast<double>(v); });
  };
  for (std::int64_t d = 0; d < scheme_.units; ++d) {
    const PerDim valid = scheme_.validOf(d);
    if (valid == most) full_.push_back(d);
    shares_ += scheme_.runsIdleThreads ? 1 : points(valid) / points(most);
  }
}

std::int64_t Sampler::span(const Way &way) const {
  return scheme_.axis(way.dim).range / program_.granule(way.dim);
}

std::int64_t Sampler::parts(const Way &way) const {
  std::int64_t n = span(way);
  for (const int d : way.first) n = multiplySaturated(n, scheme_.axis(d).range / program_.granule(d));
  return n;
}

PerDim Sampler::ranges(const Way &way, std::int64_t parts) const {
  PerDim out = scheme_.sizesPerThread();
  if (way.dim < 0 || parts == this->parts(way)) return out;
  for (const int d : way.first) out[static_cast<std::size_t>(d)] = program_.granule(d);
  std::int64_t &points = out[static_cast<std::size_t>(way.dim)];
  points = parts * program_.granule(way.dim) + points % program_.granule(way.dim);
  return out;
}

/// Samples are spread over the DPUs that have as much to do as any.
std::int64_t Sampler::dpuOf(std::int64_t number) const {
  return full_[static_cast<std::size_t>(number % kSamples * static_cast<std::int64_t>(full_.size()) / kSamples)];
}

Picks Sampler::picks(const Way &way, std::int64_t parts, std::int64_t number, bool areAlike) const {
  PerDim granules;
  for (std::size_t d = 0; d < scheme_.axes.size(); ++d) granules.push_back(program_.granule(static_cast<int>(d)));
  return {scheme_, dpuOf(number), ranges(way, parts), granules, static_cast<std::uint64_t>(number), areAlike};
}

RunResult Sampler::sample(const Way &way, std::int64_t parts, std::int64_t number, bool areAlike) const {
  const Picks drawn = picks(way, parts, number, areAlike);
  Cuttable::Shortened shortened = program_.shortened(dpuOf(number), ranges(way, parts), drawn.valid());
  drawn.place(shortened.dpu, *shortened.plan, *data_);
  return shortened.dpu.simulate();
}

RunResult Sampler::onZeros(const Way &way, std::int64_t parts) const {
  Cuttable::Shortened shortened = program_.shortened(dpuOf(0), ranges(way, parts), picks(way, parts, 0, false).valid());
  fill(shortened.dpu, shortened.plan->fills(0, 0));
  std::optional<RunResult> r = sim::dpu::Dpu(shortened.dpu).estimate();
  return r ? std::move(*r) : shortened.dpu.simulate();
}

/// Longest samples of so many granules, and steady ones that are longer than a tile.
void Sampler::lengthen(Plan &plan, double granules) const {
  const std::int64_t there = span(plan.way);
  plan.most = std::min(there, static_cast<std::int64_t>(granules)) / kFewest * kFewest;
  const std::int64_t tile = ceilDiv(program_.tile(plan.way.dim), program_.granule(plan.way.dim));
  const auto affordable = static_cast<std::int64_t>(plan.full / kWorth / plan.perPart / 6);
  plan.steady = std::max({tile, plan.most, affordable});
  if (tile > 0) plan.steady = ceilDiv(plan.steady, tile) * tile;
  plan.steady = std::min(there / 2, plan.steady);
}

/// The coarsest way of which samples are short; none where the run is short, or costs little more than samples.
Result<std::optional<Sampler::Plan>> Sampler::plan() {
  std::optional<Plan> best;
  for (const Way &way : program_.ways()) {
    // The fewest samples that there can be, two probes among them.
    if (kWorth * granulesOf(kFewest) > static_cast<double>(parts(way)) * static_cast<double>(scheme_.units)) continue;
    if (span(way) < kFewest) continue;
    double issued[2];  // what granules take, and what all runs do besides
    for (const std::int64_t few : {1, 2}) {
      const RunResult probe = sample(way, few, 0);
      if (probe.fault) return faultOf(*probe.fault, dpuOf(0));
      issued[few - 1] = static_cast<double>(probe.counts.instructions);
    }
    Plan p{way, 0, 0, std::max(1.0, issued[1] - issued[0]), 0};
    const double besides = std::max(0.0, 2 * issued[0] - issued[1]);
    p.full = (p.perPart * static_cast<double>(parts(way)) + besides) * static_cast<double>(scheme_.units);
    if (p.full <= kShortRun) return std::optional<Plan>();
    const double affordable = p.full / kWorth / p.perPart;  // granules
    lengthen(p, std::min(std::max(kSampleInstructions / p.perPart, static_cast<double>(kFewest)),
                         affordable / granulesOf(1)));
    if (p.most < kFewest || p.cost() > 2 * p.full / kWorth) continue;
    if (!best || p.cost() < best->cost()) best = p;
    if (static_cast<double>(p.most) * p.perPart <= kLongestSample) break;
  }
  return best;
}

/// What whole rounds take besides their parts: as much as a run on zeros takes longer than its parts say.
double Sampler::besidesParts(const Plan &plan) const {
  if (plan.way.first.empty() || !program_.isWholeCheapOnConstants()) return 0;
  const std::int64_t all = parts(plan.way), half = plan.most / 2;
  const auto cyclesOf = [&](std::int64_t parts) { return static_cast<double>(onZeros(plan.way, parts).cycles.value); };
  const double more = cyclesOf(plan.most), perPart = (more - cyclesOf(half)) / static_cast<double>(plan.most - half);
  return cyclesOf(all) - (more + perPart * static_cast<double>(all - plan.most));
}

/// Granules of a tasklet, on average: some tasklets may have fewer than others.
double Sampler::workOf(const Way &way, std::int64_t parts) const {
  const PerDim ranges = this->ranges(way, parts), valid = picks(way, parts, 0, false).valid();
  double work = static_cast<double>(parts);
  for (std::size_t d = 0; d < ranges.size(); ++d)
    work *= static_cast<double>(valid[d]) / static_cast<double>(ranges[d] * scheme_.axes[d].threads());
  return work;
}

namespace {

/// The line through two points.
double lineAt(double x, double x0, double y0, double x1, double y1) {
  return y1 + (y1 - y0) / (x1 - x0) * (x - x1);
}

}  // namespace

Result<Sampling> Sampler::runParts(const Plan &plan) const {
  const std::vector<std::int64_t> lengths = {plan.most / 4, plan.most / 2, plan.most, plan.steady, 2 * plan.steady};
  std::vector<std::size_t> of;  // which length each sample has
  for (std::size_t l = 0; l < 3; ++l) of.insert(of.end(), kSeeds, l);
  for (const std::size_t l : {0, 2}) of.insert(of.end(), kAlike, l);
  of.insert(of.end(), {3, 4});
  std::vector<RunResult> runs(of.size()), zeros(lengths.size());
  parallelFor(jobs_, static_cast<std::int64_t>(runs.size() + zeros.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    // Samples of one length are spread over the DPUs.
    if (n < runs.size())
      runs[n] = sample(plan.way, lengths[of[n]], i % kSeeds * 3 + i / kSeeds, i >= kSamples);
    else
      zeros[n - runs.size()] = onZeros(plan.way, lengths[n - runs.size()]);
  });
  for (const std::vector<RunResult> *all : {&runs, &zeros})
    for (const RunResult &r : *all)
      if (r.fault) return faultOf(*r.fault, 0);
  std::vector<double> work, base;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    work.push_back(workOf(plan.way, lengths[l]));
    base.push_back(static_cast<double>(zeros[l].counts.instructions));
  }
  std::vector<SampledRun> own, alike;
  for (std::size_t n = 0; n < runs.size(); ++n)
    (n < kSamples ? own : alike)
        .push_back({work[of[n]], static_cast<double>(runs[n].counts.instructions),
                    static_cast<double>(runs[n].cycles.value), base[of[n]]});
  WholeRun whole;
  whole.rounds = workOf(plan.way, parts(plan.way));
  whole.base = lineAt(whole.rounds, work[3], base[3], work[4], base[4]);
  whole.leastCycles = program_.leastCycles(runs.back());
  whole.units = {static_cast<std::int64_t>(full_.size()), scheme_.units};
  Sampling out;
  out.cycles = predict(own, alike, whole, kLevel);
  out.cycles += besidesParts(plan);
  out.counts = countsOf(runs, zeros, work, whole.rounds);
  for (const std::vector<RunResult> *all : {&runs, &zeros})
    for (const RunResult &r : *all) out.simulated += r.cyclesSimulated;
  return out;
}

/// Of all DPUs: what a run on zeros counts, and what data add to it, which grows by the same with every granule.
Counts Sampler::countsOf(const std::vector<RunResult> &runs, const std::vector<RunResult> &zeros,
                         const std::vector<double> &work, double whole) const {
  Counts out;
  for (const CountMember m : countMembers()) {
    const auto base = [&](std::size_t l) { return static_cast<double>(zeros[l].counts.*m); };
    double few = -base(0), many = -base(2);
    for (std::size_t i = 0; i < kSeeds; ++i) {
      few += static_cast<double>(runs[i].counts.*m) / kSeeds;
      many += static_cast<double>(runs[2 * kSeeds + i].counts.*m) / kSeeds;
    }
    const double one = lineAt(whole, work[3], base(3), work[4], base(4)) + lineAt(whole, work[0], few, work[2], many);
    out.*m = std::max<std::int64_t>(0, std::llround(one * shares_));
  }
  return out;
}

/// DPUs as they are.
Result<std::optional<Sampling>> Sampler::runWhole() const {
  if (static_cast<double>(full_.size()) < kWorth * kSamples) return std::optional<Sampling>();
  std::vector<RunResult> runs(kSamples);
  runs[0] = sample({}, 0, 0);
  if (static_cast<double>(runs[0].counts.instructions) * static_cast<double>(scheme_.units) <= kShortRun)
    return std::optional<Sampling>();
  parallelFor(jobs_, kSamples - 1,
              [&](std::int64_t i) { runs[static_cast<std::size_t>(i + 1)] = sample({}, 0, i + 1); });
  Sampling out;
  std::vector<double> cycles;
  Counts ofSamples;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].fault) return faultOf(*runs[i].fault, dpuOf(static_cast<std::int64_t>(i)));
    cycles.push_back(static_cast<double>(runs[i].cycles.value));
    addCounts(ofSamples, runs[i].counts, 1);
    out.simulated += runs[i].cyclesSimulated;
  }
  out.cycles = slowestOf(cycles, {static_cast<std::int64_t>(full_.size()), scheme_.units}, kLevel);
  for (const CountMember m : countMembers())
    out.counts.*m = std::llround(static_cast<double>(ofSamples.*m) / kSamples * shares_);
  return std::optional<Sampling>(out);
}

Result<std::optional<Sampling>> Sampler::run() {
  if (!program_.areDpusAlike()) return std::optional<Sampling>();
  Result<std::optional<Plan>> planned = plan();
  if (!planned) return planned.diagnostics();
  if (!*planned) return program_.ways().empty() ? runWhole() : std::optional<Sampling>();
  Plan plan = **planned;
  Result<Sampling> found = runParts(plan);
  if (!found) return found.diagnostics();
  // Longer samples where the interval is wide, as long as the scatter says, and no longer than they are worth.
  const double half = (found->cycles.high - found->cycles.low) / 2 / found->cycles.cycles;
  if (half <= kWidest) return std::optional<Sampling>(std::move(*found));
  const std::int64_t before = plan.most;
  lengthen(plan, static_cast<double>(plan.most) * std::pow(half / kWidest, 2) + kFewest);
  if (plan.most <= before || 2 * plan.cost() > plan.full) return std::optional<Sampling>(std::move(*found));
  found = runParts(plan);
  if (!found) return found.diagnostics();
  return std::optional<Sampling>(std::move(*found));
}

}  // namespace pimento::targets::upmem
