#include "pimento/evaluate/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/proposals.h"
#include "pimento/mapping/neighbours.h"

namespace pimento::evaluate {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Structures of which programs are made for guesses, those of the least bounds first.
constexpr std::size_t kMostStructures = 8;
/// Estimates go on while a guess is so close to the best estimate. Guesses of device cycles are that far off; of total
/// time they are but a part.
constexpr double kClose = 1.06, kCloseOfDevice = 1.3;
/// ... and until so many cycles of units were simulated: some tenths of a second.
constexpr double kMostWork = 6e6;
constexpr std::size_t kBatch = 2;
/// Candidates whose neighbours are looked at in one step, and most candidates that steps add.
constexpr std::size_t kClimbers = 32;
constexpr int kMostClimbed = 6144;

struct Candidate {
  mapping::Mapping mapping;
  std::unique_ptr<Outline> outline = nullptr;
  std::unique_ptr<CompiledPart> compiled = nullptr;
  std::optional<DeviceRun> run = {};
  bool isLegal = false, isGuessed = false;
  double bound = 0;  ///< proved
  double guess = 0;  ///< coarse at first
  HostWork host = {};
};

/// Has `m` the tail, and the buffer if one is named, that the user wants?
bool agrees(const mapping::Mapping &m, const mapping::Mapping &wanted) {
  const auto buffer = wanted.parameters.find("buffer");
  const auto own = m.parameters.find("buffer");
  return m.tail == wanted.tail && m.mergeAt == wanted.mergeAt &&
         (buffer == wanted.parameters.end() || (own != m.parameters.end() && own->second == buffer->second));
}

class Choosing final : search::Evaluator {
 public:
  Choosing(const Request &request, const GraphPart &part, const mapping::MapSpec &spec)
      : request_(request), target_(*request.target), part_(part), spec_(spec), mode_(searchMode(request)) {
    mode_.shared = &shared_;
    mode_.jobs = 1;
  }

  Result<Choice> choose() {
    if (Status s = list(); !s) return s.diagnostics();
    outlineFrom(0);
    if (hasMore_) climb();
    guess();
    const std::vector<search::Candidate> candidates = searched();
    const auto legal = std::ranges::count(candidates, true, &search::Candidate::isLegal);
    const auto found = search::BestFirst(1, kBatch).run(candidates, *this, {.evaluations = kAutoEstimated});
    if (!found) return found.diagnostics();
    if (found->front.empty()) return whyNone();
    Candidate &best = all_[static_cast<std::size_t>(found->front.back().number)];
    Choice out;
    out.why = whyOf(*found, legal);
    out.how = howOf(*found, legal);
    out.mapping = best.mapping;
    out.mapping.text = mapping::print(out.mapping);
    out.compiled = std::move(best.compiled);
    out.proof = found->proof;
    out.run = std::move(best.run);
    return out;
  }

 private:
  bool isForEnergy() const { return request_.objective == Objective::kEnergy; }

  double objectiveOf(const HostWork &host, const DeviceCost &run) const {
    return evaluate::objectiveOf(request_, host, run);
  }

  double objectiveOf(const HostWork &host, Cycles cycles) const { return objectiveOf(host, DeviceCost{cycles, {}}); }

  Result<std::unique_ptr<CompiledPart>> compile(const mapping::Mapping &m) const {
    return target_.compile(part_, m, *request_.machine, request_.variant, request_.tools);
  }

  Status list() {
    const Result<mapping::Mapping> reference = target_.reference(part_, *request_.machine, spec_, request_.tools);
    if (reference && reference->mergeAt == spec_.mapping.mergeAt) all_.push_back({ordered(*reference)});
    hasReference_ = !all_.empty();
    Proposals proposals(target_, part_, *request_.machine, spec_, request_.tools);
    // Parameters that no mapping can have: the reference says why.
    if (!proposals.areOwn() && !reference && !spec_.mapping.parameters.empty()) return reference.diagnostics();
    // What the target proposes may be more than what is looked at of a space that it leaves open.
    const std::size_t most = proposals.isOpen() ? kAutoCandidates : std::numeric_limits<std::size_t>::max();
    while (std::optional<mapping::Mapping> m = proposals.next()) {
      if (all_.size() >= most) {
        hasMore_ = true;
        break;
      }
      if (!agrees(*m, spec_.mapping)) continue;
      all_.push_back({ordered(std::move(*m))});
    }
    if (!all_.empty()) return okStatus();
    if (!reference) return reference.diagnostics();
    all_.push_back({ordered(*reference)});
    hasReference_ = true;
    return okStatus();
  }

  /// With the order and the chunks that the user asked for.
  mapping::Mapping ordered(mapping::Mapping m) const {
    if (!spec_.mapping.order.empty()) m.order = spec_.mapping.order;
    if (!spec_.mapping.cyclic.empty()) m.cyclic = spec_.mapping.cyclic;
    return m;
  }

  /// Which candidates are legal, as far as that shows, and what they cost at least.
  void outlineFrom(std::size_t first) {
    parallelFor(request_.jobs, static_cast<std::int64_t>(all_.size() - first), [&](std::int64_t i) {
      Candidate &c = all_[first + static_cast<std::size_t>(i)];
      auto outline = target_.outline(part_, c.mapping, *request_.machine, request_.tools);
      if (!outline) return;
      if (*outline == nullptr) {
        auto compiled = compile(c.mapping);
        if (!compiled) return;
        c.compiled = std::move(*compiled);
        c.host = c.compiled->hostWork();
        const DeviceRun bound = c.compiled->bound(request_.values ? &*request_.values : nullptr);
        if (bound.interval) isSampled_ = true;
        c.bound = c.guess = objectiveOf(c.host, bound);
        c.isGuessed = true;
      } else {
        c.outline = std::move(*outline);
        c.host = c.outline->hostWork();
        c.bound = c.guess = objectiveOf(c.host, c.outline->least());
      }
      c.isLegal = true;
    });
  }

  /// Of a space that is larger than what was listed: from the candidates of the least bounds to their neighbours, as
  /// long as these have lesser ones.
  void climb() {
    std::set<std::string> known;
    for (const Candidate &c : all_) known.insert(mapping::print(c.mapping));
    const std::vector<Parameters> alternatives = target_.alternatives(part_, *request_.machine, spec_);
    std::set<std::size_t> left;  // whose neighbours are known
    const auto most = static_cast<std::size_t>(kAutoCandidates + kMostClimbed);
    for (std::size_t first = all_.size(); first < most; first = all_.size()) {
      for (const std::size_t i : leastBounds())
        if (left.insert(i).second) addAround(all_[i].mapping, alternatives, known);
      if (all_.size() == first) return;
      outlineFrom(first);
    }
  }

  /// The candidates to go on from.
  std::vector<std::size_t> leastBounds() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].isLegal) order.push_back(i);
    const std::size_t count = std::min(order.size(), kClimbers);
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), {},
                              [&](std::size_t i) { return std::pair(all_[i].bound, i); });
    order.resize(count);
    return order;
  }

  void addAround(const mapping::Mapping &from, const std::vector<Parameters> &alternatives,
                 std::set<std::string> &known) {
    std::vector<mapping::Mapping> around = mapping::neighbours(from, part_.kernel(), request_.machine->levels);
    for (const Parameters &parameters : alternatives) {
      around.push_back(from);
      for (const auto &[name, value] : parameters) around.back().parameters[name] = value;
    }
    for (mapping::Mapping &m : around)
      if (known.insert(mapping::print(m)).second) all_.push_back({std::move(m)});
  }

  /// Candidates with an outline.
  std::vector<std::size_t> byBound() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].isLegal && all_[i].outline != nullptr) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all_[i].bound; });
    return order;
  }

  /// Programs of structures are made first, by several threads; then mappings are guessed one after the other, since
  /// they share what the first one makes.
  void guess() {
    std::vector<std::size_t> order = byBound(), structures;
    std::map<std::string_view, std::size_t> first;
    for (const std::size_t i : order)
      if (first.emplace(all_[i].outline->structure(), i).second) structures.push_back(i);
    if (structures.size() > kMostStructures) structures.resize(kMostStructures);
    parallelFor(request_.jobs, static_cast<std::int64_t>(structures.size()), [&](std::int64_t n) {
      Cache own;
      (void)all_[structures[static_cast<std::size_t>(n)]].outline->likely(mode_.values, own);
    });
    std::map<std::string_view, double> perSlot;
    for (const std::size_t i : order) {
      Candidate &c = all_[i];
      if (!isAmong(structures, c)) continue;
      const auto likely = c.outline->likely(mode_.values, shared_);
      if (!likely) continue;
      c.isGuessed = true;
      c.guess = std::max(c.bound, objectiveOf(c.host, *likely));
      double &least = perSlot.emplace(c.outline->structure(), kNever).first->second;
      least = std::min(least, static_cast<double>(likely->cycles.value) / std::max(1.0, c.outline->slotsOfPoints()));
    }
    double least = kNever;
    for (const auto &[structure, p] : perSlot) least = std::min(least, p);
    if (least == kNever) least = 1;
    // Where short runs tell nothing, points take as long as those of the fastest structure.
    for (const std::size_t i : order) {
      Candidate &c = all_[i];
      if (c.isGuessed) continue;
      constexpr double kMost = 1e17;
      const Cycles cycles(std::llround(std::min(kMost, least * c.outline->slotsOfPoints())));
      c.isGuessed = true;
      c.guess = std::max(c.bound, objectiveOf(c.host, cycles));
    }
  }

  bool isAmong(const std::vector<std::size_t> &structures, const Candidate &c) const {
    return std::ranges::any_of(structures,
                               [&](std::size_t s) { return all_[s].outline->structure() == c.outline->structure(); });
  }

  search::Objectives asObjectives(double value) const {
    return isForEnergy() ? search::Objectives{0, value} : search::Objectives{value, 0};
  }

  std::vector<search::Candidate> searched() const {
    std::vector<search::Candidate> out(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      out[i].isLegal = all_[i].isLegal;
      out[i].isReserved = i == 0 && hasReference_;
      out[i].isSetAside = !all_[i].isGuessed;
      out[i].bound = asObjectives(all_[i].bound);
      out[i].guess = all_[i].guess;
    }
    return out;
  }

  Result<std::vector<std::optional<search::Objectives>>> evaluate(std::span<const std::int64_t> candidates) override {
    std::vector<std::optional<search::Objectives>> costs(candidates.size());
    parallelFor(request_.jobs, static_cast<std::int64_t>(candidates.size()), [&](std::int64_t n) {
      Candidate &c = all_[static_cast<std::size_t>(candidates[static_cast<std::size_t>(n)])];
      if (c.compiled == nullptr) {
        auto compiled = compile(c.mapping);
        if (!compiled) return;
        c.compiled = std::move(*compiled);
      }
      Result<DeviceRun> run = c.compiled->run(mode_);
      if (!run || run->isStuck) return;
      c.run = std::move(*run);
      costs[static_cast<std::size_t>(n)] = asObjectives(objectiveOf(c.host, *c.run));
      if (c.run->interval) isSampled_ = true;
    });
    for (const std::int64_t i : candidates) {
      const Candidate &c = all_[static_cast<std::size_t>(i)];
      if (!c.run) continue;
      work_ += static_cast<double>(c.run->cyclesSimulated.value) * static_cast<double>(c.run->unitsSimulated);
      const double cost = objectiveOf(c.host, *c.run);
      best_ = std::min(best_, cost);
      if (c.guess > 0) {
        ratios_ += cost / c.guess;
        ++compared_;
      }
    }
    return costs;
  }

  bool isWorth(std::int64_t candidate) const override {
    const Candidate &c = all_[static_cast<std::size_t>(candidate)];
    if (best_ == kNever || c.outline == nullptr) return true;
    const double ratio = compared_ > 0 ? ratios_ / compared_ : 1;
    const double close = request_.objective == Objective::kTime ? kClose : kCloseOfDevice;
    return work_ < kMostWork && c.guess * ratio < close * best_;
  }

  bool isExact() const override { return !isSampled_; }

  MappingChoice howOf(const search::Found &found, std::int64_t legal) const {
    MappingChoice how;
    how.objective = request_.objective;
    how.space = legal;
    how.isWholeSpace = !hasMore_;
    how.estimated = found.evaluations;
    how.bounded = found.count(search::Fate::kBounded);
    how.open = found.count(search::Fate::kOpen);
    how.gap = isForEnergy() ? found.proof.gap.energy : found.proof.gap.time;
    how.isSampled = found.proof.isSampled;
    return how;
  }

  std::string whyOf(const search::Found &found, std::int64_t legal) const {
    const std::string space = fmt::format("among {}{} legal ones", hasMore_ ? "the first " : "", legal);
    std::string why = fmt::format("least {}: {}; {} were estimated, {} ruled out by bounds",
                                  description(request_.objective), search::proofText(found.proof, "mapping", space),
                                  found.evaluations, found.count(search::Fate::kBounded));
    const bool isOnMade = std::ranges::any_of(all_, [](const Candidate &c) { return c.run && c.run->isOnMadeValues; });
    if (isOnMade && request_.values == std::nullopt) why += "; on random operands, since their values decide the time";
    return why;
  }

  Diagnostics whyNone() const {
    const auto compiled = compile(all_.front().mapping);
    if (!compiled) return compiled.diagnostics();
    const Result<DeviceRun> run = (*compiled)->run(mode_);
    return run ? Diagnostics{stuckProgram(*run)} : run.diagnostics();
  }

  const Request &request_;
  const Target &target_;
  const GraphPart part_;
  const mapping::MapSpec &spec_;
  Cache shared_{std::size_t{1} << 40};  // of one choice: data of one graph
  RunMode mode_;
  std::vector<Candidate> all_;
  bool hasReference_ = false;
  bool hasMore_ = false;  ///< the space goes on after them
  std::atomic<bool> isSampled_ = false;
  double best_ = kNever, work_ = 0, ratios_ = 0;
  int compared_ = 0;
};

}  // namespace

std::string_view name(Objective objective) {
  switch (objective) {
    case Objective::kTime:
      return "time";
    case Objective::kEnergy:
      return "energy";
    case Objective::kKernel:
      break;
  }
  return "kernel";
}

std::string_view description(Objective objective) {
  switch (objective) {
    case Objective::kTime:
      return "total time";
    case Objective::kEnergy:
      return "energy";
    case Objective::kKernel:
      break;
  }
  return "kernel time";
}

Diagnostic stuckProgram(const DeviceRun &run) {
  return error(
      DiagnosticKind::kFault, "program-stuck", {},
      fmt::format("the program is stuck after cycle {}: its next command can never issue", run.cycles.value),
      "look for a row that nothing opens, an activate that all-bank mode rejects, or a barrier that waits for a "
      "command behind it");
}

double objectiveOf(const Request &request, const HostWork &host, const DeviceCost &run) {
  return valueOf(costOf(*request.machine, host, run), request.objective);
}

RunMode searchMode(const Request &request) {
  static const kernel::DataSpec kRandom;
  RunMode mode{true, nullptr, request.values ? &*request.values : nullptr, request.contents};
  // Also where operands come from files: of what other kernels make nothing is known yet.
  if (mode.values == nullptr) mode.values = &kRandom;
  mode.hasAllValues = true;
  return mode;
}

Result<Choice> chooseMapping(const Request &request, const GraphPart &part, const mapping::MapSpec &spec) {
  return Choosing(request, part, spec).choose();
}

}  // namespace pimento::evaluate
