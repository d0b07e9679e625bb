// Which mapping each kernel of a graph gets, and which side it runs on.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <span>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"
#include "pimento/search/search.h"

namespace pimento::evaluate {

namespace {

std::int64_t microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
}

constexpr Cycles kNever(std::numeric_limits<std::int64_t>::max());

struct Candidate {
  mapping::Mapping mapping;
  std::unique_ptr<CompiledPart> compiled = nullptr;  ///< null: illegal
  Cycles bound = kNever;                             ///< in total, host work included; kNever: not bounded

  bool isLegal() const { return compiled != nullptr; }
};

/// What is known to a run that chooses among mappings.
RunMode timingOf(const Request &r) {
  return {true, nullptr, r.values ? &*r.values : nullptr, r.contents};
}

/// Has `m` the tail, and the buffer if one is named, that the user wants?
bool agrees(const mapping::Mapping &m, const mapping::Mapping &wanted) {
  const auto buffer = wanted.parameters.find("buffer");
  const auto own = m.parameters.find("buffer");
  return m.tail == wanted.tail && m.mergeAt == wanted.mergeAt &&
         (buffer == wanted.parameters.end() || (own != m.parameters.end() && own->second == buffer->second));
}

/// A mapping, who chose it, and what it compiled to where the choice took that.
struct Choice {
  mapping::Mapping mapping;
  std::string why;
  std::unique_ptr<CompiledPart> compiled = nullptr;
  search::Proof proof = {};  ///< of the choice among many
};

/// Chooses among mappings of one part.
class Choosing final : search::Evaluator {
 public:
  Choosing(const Request &request, const GraphPart &part, const mapping::MapSpec &spec)
      : request_(request), target_(*request.target), part_(part), spec_(spec) {}

  /// The best mapping by estimated total cycles among a fixed set, with kAutoEstimated runs and one for the reference
  /// mapping. Ties go to the earlier one, so the choice does not depend on the number of threads.
  Result<Choice> choose() {
    if (Status s = list(); !s) return s.diagnostics();
    bound();
    std::stable_sort(all_.begin() + 1, all_.end(), [](const Candidate &a, const Candidate &b) {
      return a.isLegal() != b.isLegal() ? a.isLegal() : a.bound < b.bound;
    });
    const std::vector<search::Candidate> candidates = searched();
    const auto legal = std::ranges::count(candidates, true, &search::Candidate::isLegal);
    const auto found =
        search::BestFirst(kAutoBatch, kAutoBatch).run(candidates, *this, {.evaluations = kAutoEstimated});
    if (!found) return found.diagnostics();
    if (found->front.empty()) return whyNone();
    Candidate &best = all_[static_cast<std::size_t>(found->front.front().number)];
    mapping::Mapping m = best.mapping;
    m.text = mapping::print(m);
    return Choice{std::move(m), whyOf(*found, legal), std::move(best.compiled), found->proof};
  }

 private:
  Result<std::unique_ptr<CompiledPart>> compile(const mapping::Mapping &m) const {
    return target_.compile(part_, m, *request_.machine, request_.variant, request_.tools);
  }
  Cycles total(const Candidate &c, const DeviceRun &run) const {
    return costOf(*request_.machine, c.compiled->hostWork(), run).total;
  }

  /// Candidates without a bound are set aside; the host's work is the least that they take.
  std::vector<search::Candidate> searched() const {
    std::vector<search::Candidate> out(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      out[i].isLegal = all_[i].isLegal();
      if (!out[i].isLegal) continue;
      out[i].isReserved = i == 0;
      out[i].isSetAside = all_[i].bound == kNever;
      out[i].bound.time = static_cast<double>((out[i].isSetAside ? total(all_[i], {}) : all_[i].bound).value);
    }
    return out;
  }

  Result<std::vector<std::optional<search::Objectives>>> evaluate(std::span<const std::int64_t> candidates) override {
    std::vector<std::optional<search::Objectives>> costs(candidates.size());
    parallelFor(request_.jobs, static_cast<std::int64_t>(candidates.size()), [&](std::int64_t i) {
      const Candidate &c = all_[static_cast<std::size_t>(candidates[static_cast<std::size_t>(i)])];
      const Result<DeviceRun> run = c.compiled->run(timingOf(request_));
      if (!run) return;
      costs[static_cast<std::size_t>(i)] = {static_cast<double>(total(c, *run).value), 0};
      if (run->interval) isSampled_ = true;
    });
    return costs;
  }
  bool isExact() const override { return !isSampled_; }

  std::string whyOf(const search::Found &found, std::int64_t legal) const {
    const std::string space = fmt::format("among {}{} legal ones", hasMore_ ? "the first " : "", legal);
    return fmt::format("{}; {} were estimated", search::proofText(found.proof, "mapping", space), found.evaluations);
  }

  Status list() {
    const Result<mapping::Mapping> reference = target_.reference(part_, *request_.machine, spec_, request_.tools);
    if (!reference) return reference.diagnostics();
    if (reference->mergeAt == spec_.mapping.mergeAt) all_.push_back({*reference});
    for (mapping::Mapping &m : target_.mappings(part_, *request_.machine, spec_, request_.tools)) {
      if (!agrees(m, spec_.mapping)) continue;
      hasMore_ = static_cast<int>(all_.size()) >= kAutoCandidates;
      if (!hasMore_) all_.push_back({std::move(m)});
    }
    mapping::MappingSpace space(part_.kernel(), *request_.machine);
    const bool hasOwn = all_.size() > 1;
    while (!hasOwn && static_cast<int>(all_.size()) < kAutoCandidates) {
      std::optional<mapping::Mapping> m = space.next();
      if (!m) break;
      m->tail = spec_.mapping.tail;
      m->mergeAt = spec_.mapping.mergeAt;
      m->parameters = spec_.mapping.parameters;
      m->program = spec_.mapping.program;
      all_.push_back({std::move(*m)});
    }
    hasMore_ |= !hasOwn && space.next().has_value();
    if (all_.empty()) all_.push_back({*reference});
    return okStatus();
  }

  /// Compiles the candidates and bounds them, but those that are guessed to take longer than kAutoEstimated others:
  /// they keep none.
  void bound() {
    constexpr std::size_t kBatch = 64;
    std::vector<Cycles> guesses(all_.size());
    parallelFor(request_.jobs, static_cast<std::int64_t>(all_.size()), [&](std::int64_t i) {
      Candidate &c = all_[static_cast<std::size_t>(i)];
      auto compiled = compile(c.mapping);
      if (!compiled) return;
      c.compiled = std::move(*compiled);
      DeviceRun run;
      run.cycles = c.compiled->guess();
      guesses[static_cast<std::size_t>(i)] = total(c, run);
    });
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].isLegal()) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return guesses[a] < guesses[b]; });
    std::vector<Cycles> least;  // bounds so far, kAutoEstimated at most
    for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, order.size() - begin);
      const Cycles cut = static_cast<int>(least.size()) < kAutoEstimated ? kNever : least.back();
      parallelFor(request_.jobs, static_cast<std::int64_t>(count), [&](std::int64_t i) {
        const std::size_t n = order[begin + static_cast<std::size_t>(i)];
        if (guesses[n] > cut) return;
        all_[n].bound = total(all_[n], all_[n].compiled->bound(request_.values ? &*request_.values : nullptr));
      });
      for (std::size_t i = begin; i < begin + count; ++i) least.push_back(all_[order[i]].bound);
      std::sort(least.begin(), least.end());
      least.resize(std::min<std::size_t>(least.size(), kAutoEstimated));
    }
  }

  Diagnostics whyNone() const {
    const auto compiled = compile(all_.front().mapping);
    if (!compiled) return compiled.diagnostics();
    return (*compiled)->run(timingOf(request_)).diagnostics();
  }

  const Request &request_;
  const Target &target_;
  const GraphPart part_;
  const mapping::MapSpec &spec_;
  std::vector<Candidate> all_;
  bool hasMore_ = false;  ///< the space goes on after them
  std::atomic<bool> isSampled_ = false;
};

Result<Choice> resolve(const Request &r, const GraphPart &part) {
  const mapping::MapSpec &spec = r.mapOf(static_cast<std::size_t>(part.first));
  switch (spec.kind) {
    case mapping::MapSpec::Kind::kReference: {
      Result<mapping::Mapping> m = r.target->reference(part, *r.machine, spec, r.tools);
      if (!m) return m.diagnostics();
      return Choice{std::move(*m), "the reference mapping"};
    }
    case mapping::MapSpec::Kind::kAuto:
      return Choosing(r, part, spec).choose();
    case mapping::MapSpec::Kind::kHost:
    case mapping::MapSpec::Kind::kExplicit:
      break;
  }
  return Choice{spec.mapping, "given"};
}

/// Has the target the program that the mapping names?
Status checkProgram(const Request &r, const mapping::Mapping &m) {
  const std::vector<mapping::ProgramKind> programs = r.target->programs();
  if (m.program == mapping::ProgramKind::kAny ||
      std::find(programs.begin(), programs.end(), m.program) != programs.end())
    return okStatus();
  std::vector<std::string_view> names;
  for (const mapping::ProgramKind p : programs) names.push_back(name(p));
  const auto where = m.where.find("program");
  return unsupported("unsupported-program", where != m.where.end() ? where->second : Location{},
                     fmt::format("{} has no {} programs", r.machine->name, name(m.program)),
                     fmt::format("omit program=; choices: {}", fmt::join(names, ", ")));
}

/// Why a kernel cannot run on the device, without the kernel's and the device's names.
std::string reasonOf(const Diagnostic &d, const std::string &machine) {
  const std::string lead = " cannot run on " + machine + ": ";
  const std::size_t at = d.message.find(lead);
  return at == std::string::npos ? d.message : d.message.substr(at + lead.size());
}

/// Decides for one part after the other, in the order of the graph, where it runs.
class Planner {
 public:
  explicit Planner(const Request &request) : request_(request), target_(*request.target) {}

  Result<PlannedPart> plan(const GraphPart &part) {
    PlannedPart out{.first = part.first, .count = part.count, .mapping = {}, .compiled = nullptr};
    if (mapOf(part).kind == mapping::MapSpec::Kind::kHost) {
      out.why = "the mapping places it on the host";
      return out;
    }
    if (Status s = checkProgram(request_, mapOf(part).mapping); !s) return orHost(std::move(out), s.diagnostics());
    const auto start = std::chrono::steady_clock::now();
    Result<Choice> choice = choose(part);
    if (!choice) return orHost(std::move(out), choice.diagnostics());
    out.mapping = std::move(choice->mapping);
    out.mappingWhy = std::move(choice->why);
    out.compiled = std::move(choice->compiled);
    if (out.compiled == nullptr) {
      auto compiled = target_.compile(part, out.mapping, *request_.machine, request_.variant, request_.tools);
      if (target_.generatesCode()) out.compileUs = microsecondsSince(start);
      if (!compiled) return orHost(std::move(out), compiled.diagnostics());
      out.compiled = std::move(*compiled);
    }
    if (request_.offload == Offload::kBest || (request_.offload == Offload::kSome && isCopy(part)))
      if (Status s = keepIfFaster(part, choice->proof, out); !s) return s.diagnostics();
    if (request_.offload != Offload::kAll && out.compiled != nullptr) {
      const std::int64_t kept = out.compiled->hostWork().placedOnce.value;
      if (kept_ + out.compiled->footprint().value > target_.capacity(*request_.machine).value) {
        out.why = "its constants do not fit together with those of earlier kernels";
        out.compiled = nullptr;
      } else {
        kept_ += kept;
      }
    }
    return out;
  }

  /// Why the first part that cannot run on the device cannot.
  const Diagnostics &refusal() const { return refusal_; }

 private:
  const mapping::MapSpec &mapOf(const GraphPart &part) const {
    return request_.mapOf(static_cast<std::size_t>(part.first));
  }

  /// What was chosen for the same kernel at other counters serves again where it is legal.
  Result<Choice> choose(const GraphPart &part) {
    const bool isChosen = mapOf(part).kind == mapping::MapSpec::Kind::kAuto;
    const auto origin = request_.originOf(static_cast<std::size_t>(part.first));
    if (const auto earlier = chosen_.find(origin); isChosen && earlier != chosen_.end()) {
      auto compiled = target_.compile(part, earlier->second, *request_.machine, request_.variant, request_.tools);
      if (compiled) return Choice{earlier->second, "chosen for an earlier round of the kernel", std::move(*compiled)};
    }
    Result<Choice> choice = resolve(request_, part);
    if (isChosen && choice) chosen_.insert_or_assign(origin, choice->mapping);
    return choice;
  }

  Status keepIfFaster(const GraphPart &part, const search::Proof &proof, PlannedPart &out) const {
    const Result<DeviceRun> run = out.compiled->run(timingOf(request_));
    if (!run) return run.diagnostics();
    const Breakdown onDevice = hostCycles(*request_.machine, out.compiled->hostWork(), run->cycles);
    const Cycles onHost = hostLayer(part, *request_.machine).cycles;
    out.offloadedCycles = onDevice.total();
    if (onHost > onDevice.total()) return okStatus();
    out.why = onHost <= onDevice[Part::kCompute] ? "the host is faster, even without moving data"
                                                 : "moving operands and results takes longer than the device saves";
    if (static_cast<double>(onHost.value) > (1 - proof.gap.time) * static_cast<double>(onDevice.total().value))
      out.why += "; " + search::proofText(proof, "mapping", "of those compared");
    out.compiled = nullptr;
    return okStatus();
  }

  /// Whether it moves values and computes none, in a graph that computes others.
  bool isCopy(const GraphPart &part) const {
    return part.count == 1 && request_.graph->kernels.size() > 1 && kernel::scalarOperations(part.kernel()) == 0;
  }

  Result<PlannedPart> orHost(PlannedPart out, const Diagnostics &diagnostics) {
    const DiagnosticKind kind = diagnostics.front().kind;
    const bool isOfDevice = kind == DiagnosticKind::kUnsupported ||
                            (kind == DiagnosticKind::kCapacity && request_.offload != Offload::kSome);
    if (request_.offload == Offload::kAll || !isOfDevice) return diagnostics;
    if (refusal_.empty()) refusal_ = diagnostics;
    out.mapping = {};
    out.mappingWhy.clear();
    out.compileUs = 0;
    out.why = reasonOf(diagnostics.front(), request_.machine->name);
    return out;
  }

  const Request &request_;
  const Target &target_;
  Diagnostics refusal_{};
  std::int64_t kept_ = 0;                             ///< bytes of constants placed so far
  std::map<std::size_t, mapping::Mapping> chosen_{};  ///< by auto, by kernel that the user wrote
};

/// The kernels from `first` on that the target wants together and that have one mapping.
GraphPart partFrom(const Request &r, int first) {
  const auto kernels = static_cast<int>(r.graph->kernels.size());
  return {r.graph, first,
          r.maps.size() > 1 || r.rounds != nullptr
              ? 1
              : std::min(kernels - first, r.target->runLength(*r.graph, first, *r.machine))};
}

}  // namespace

Status checkMaps(const Request &request) {
  std::size_t kernels = request.graph->kernels.size();
  if (request.rounds != nullptr)
    kernels = 1 + static_cast<std::size_t>(*std::ranges::max_element(request.rounds->origins));
  if (request.maps.size() <= 1 || request.maps.size() == kernels) return okStatus();
  return usageError("map-count", "--map", fmt::format("{} mappings for {} kernels", request.maps.size(), kernels),
                    "give one mapping for all, or one per kernel separated by '|'");
}

Result<CompiledGraph> compile(const Request &request) {
  const std::vector<std::string> variants = request.target->variants();
  if (request.variant != "plain" && std::find(variants.begin(), variants.end(), request.variant) == variants.end())
    return usageError("unknown-variant", "--variant",
                      fmt::format("{} has no variant '{}' of its programs", request.machine->name, request.variant),
                      fmt::format("choices: plain, {}", fmt::join(variants, ", ")));
  if (const Status s = checkMaps(request); !s) return s.diagnostics();
  PIMENTO_CHECK(request.graph->loops.empty() && "callers unroll graphs: kernel/rounds.h");
  Planner planner(request);
  CompiledGraph out;
  for (int k = 0; k < static_cast<int>(request.graph->kernels.size()); k += out.back().count) {
    const auto start = std::chrono::steady_clock::now();
    Result<PlannedPart> planned = planner.plan(partFrom(request, k));
    if (!planned) return planned.diagnostics();
    planned->planUs = microsecondsSince(start) - planned->compileUs;
    out.push_back(std::move(*planned));
  }
  const bool isAllOnHost = std::ranges::none_of(out, [](const PlannedPart &p) { return p.compiled != nullptr; });
  if (request.offload == Offload::kSome && isAllOnHost && !planner.refusal().empty()) {
    Diagnostics why = planner.refusal();
    why.front().hint += "; --offload possible runs all of it on the host";
    return why;
  }
  return out;
}

}  // namespace pimento::evaluate
