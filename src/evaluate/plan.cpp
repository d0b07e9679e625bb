// Which mapping each kernel of a graph gets, and which side it runs on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>

#include "pimento/base/suggest.h"
#include "pimento/evaluate/choose.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"
#include "pimento/kernel/isolate.h"
#include "pimento/mapping/neighbours.h"

namespace pimento::evaluate {

namespace {

std::int64_t microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
}

Result<Choice> resolve(const Request &r, const GraphPart &part) {
  const mapping::MapSpec &spec = r.mapOf(static_cast<std::size_t>(part.first));
  switch (spec.kind) {
    case mapping::MapSpec::Kind::kReference: {
      Result<mapping::Mapping> m = r.target->reference(part, *r.machine, spec, r.tools);
      if (!m) return m.diagnostics();
      return Choice{std::move(*m), "the reference mapping"};
    }
    case mapping::MapSpec::Kind::kAuto:
      // What a mapping takes hangs on what other kernels leave, where these do: chooseTogether.
      if (r.target->idle(part, *r.machine) != nullptr) {
        Result<mapping::Mapping> m = r.target->reference(part, *r.machine, spec, r.tools);
        if (!m) return m.diagnostics();
        return Choice{std::move(*m), "the reference mapping"};
      }
      return chooseMapping(r, part, spec);
    case mapping::MapSpec::Kind::kHost:
    case mapping::MapSpec::Kind::kExplicit:
      break;
  }
  return Choice{spec.mapping, "given"};
}

/// Why a kernel cannot run on the device, without the kernel's and the device's names.
std::string reasonOf(const Diagnostic &d, const std::string &machine) {
  const std::string lead = " cannot run on " + machine + ": ";
  const std::size_t at = d.message.find(lead);
  return at == std::string::npos ? d.message : d.message.substr(at + lead.size());
}

/// What a search found for a kernel, for others like it.
struct Like {
  mapping::Mapping mapping;
  std::string why;
  search::Proof proof;
  std::optional<MappingChoice> how;
};

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
    if (Status s = checkExtensions(target_, *request_.machine, mapOf(part).mapping); !s)
      return orHost(std::move(out), s.diagnostics());
    const auto start = std::chrono::steady_clock::now();
    Result<Choice> choice = choose(part);
    if (!choice) return orHost(std::move(out), choice.diagnostics());
    out.mapping = std::move(choice->mapping);
    out.mappingWhy = std::move(choice->why);
    out.compiled = std::move(choice->compiled);
    out.timed = std::move(choice->run);
    out.choice = choice->how;
    if (out.compiled == nullptr) {
      auto compiled = target_.compile(part, out.mapping, *request_.machine, request_.variant, request_.tools);
      if (target_.generatesCode()) out.compileUs = microsecondsSince(start);
      if (!compiled) return orHost(std::move(out), compiled.diagnostics());
      out.compiled = std::move(*compiled);
    }
    // Where kernels have a choice of places, cores are among them.
    const bool hasPlaces = target_.idle(part, *request_.machine) != nullptr;
    if (!hasPlaces && (request_.offload == Offload::kBest || (request_.offload == Offload::kSome && isCopy(part))))
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
    if (target_.idle(part, *request_.machine) != nullptr) return resolve(request_, part);
    const bool isChosen = mapOf(part).kind == mapping::MapSpec::Kind::kAuto;
    const bool isRound = isChosen && request_.rounds != nullptr;
    if (isRound)
      if (std::optional<Choice> earlier = ofEarlierRounds(part)) return std::move(*earlier);
    const std::string shape = isChosen ? shapeOf(part) : std::string();
    if (const auto like = like_.find(shape); !shape.empty() && like != like_.end()) {
      const Like &other = like->second;
      auto compiled = target_.compile(part, other.mapping, *request_.machine, request_.variant, request_.tools);
      if (compiled) {
        Choice again{other.mapping, other.why, std::move(*compiled), other.proof};
        again.how = other.how;
        return again;
      }
    }
    Result<Choice> choice = resolve(request_, part);
    if (!isChosen || !choice) return choice;
    if (isRound) {
      byExtents_.insert_or_assign(extentsOf(part), choice->mapping);
      byMagnitude_.insert_or_assign(magnitudeOf(extentsOf(part)), choice->mapping);
    }
    // An order of dims names them.
    if (!shape.empty() && choice->mapping.order.empty())
      like_.insert_or_assign(shape, Like{choice->mapping, choice->why, choice->proof, choice->how});
    return choice;
  }

  /// The kernel that the user wrote, or the part of it, and the extents of its dims in this round.
  using Extents = std::pair<std::string, std::vector<std::int64_t>>;
  Extents extentsOf(const GraphPart &part) const {
    const auto origin = request_.originOf(static_cast<std::size_t>(part.first));
    Extents out{fmt::format("{} {}", origin, part.kernel().name), {}};
    for (const kernel::Dim &d : part.kernel().dims) out.second.push_back(d.extent);
    return out;
  }
  /// Extents of one power of two are alike.
  static Extents magnitudeOf(Extents extents) {
    for (std::int64_t &extent : extents.second) extent = std::bit_width(static_cast<std::uint64_t>(extent));
    return extents;
  }

  std::optional<Choice> ofEarlierRounds(const GraphPart &part) {
    const Extents extents = extentsOf(part);
    if (const auto same = byExtents_.find(extents); same != byExtents_.end())
      if (auto choice = again(part, same->second)) return choice;
    const auto alike = byMagnitude_.find(magnitudeOf(extents));
    if (alike == byMagnitude_.end()) return std::nullopt;
    const auto m = mapping::fitted(alike->second, part.kernel(), request_.machine->levels);
    std::optional<Choice> choice = m ? again(part, *m) : std::nullopt;
    if (!choice) return std::nullopt;
    if (std::optional<Choice> reference = betterReference(part, *choice)) choice = std::move(reference);
    byExtents_.insert_or_assign(extents, choice->mapping);
    return choice;
  }

  std::optional<Choice> again(const GraphPart &part, const mapping::Mapping &mapping) const {
    auto compiled = target_.compile(part, mapping, *request_.machine, request_.variant, request_.tools);
    if (!compiled) return std::nullopt;
    return Choice{mapping, "chosen for an earlier round of the kernel", std::move(*compiled)};
  }

  /// The reference mapping, where it is better than the choice for other extents.
  std::optional<Choice> betterReference(const GraphPart &part, Choice &choice) const {
    const mapping::Mapping &asked = mapOf(part).mapping;
    const auto m = target_.reference(part, *request_.machine, mapOf(part), request_.tools);
    if (!m || m->mergeAt != asked.mergeAt || (!asked.order.empty() && m->order != asked.order) ||
        (!asked.cyclic.empty() && m->cyclic != asked.cyclic))
      return std::nullopt;
    std::optional<Choice> reference = again(part, *m);
    if (!reference) return std::nullopt;
    reference->why = "the reference mapping";
    for (Choice *c : {&choice, &*reference}) {
      Result<DeviceRun> run = c->compiled->run(searchMode(request_));
      if (!run || run->isStuck) return std::nullopt;
      c->run = std::move(*run);
    }
    const auto cost = [&](const Choice &c) { return objectiveOf(request_, c.compiled->hostWork(), *c.run); };
    if (cost(*reference) >= cost(choice)) return std::nullopt;
    return reference;
  }

  /// Kernels of one shape, with one specification, get one mapping: layers of networks are often alike. Empty: several
  /// kernels together.
  std::string shapeOf(const GraphPart &part) const {
    if (part.count != 1) return {};
    return mapping::print(mapOf(part)) + "\n" + kernel::shapeText(kernel::isolated(*part.graph, part.first));
  }

  Status keepIfFaster(const GraphPart &part, const search::Proof &proof, PlannedPart &out) const {
    if (!out.timed) {
      Result<DeviceRun> run = out.compiled->run(searchMode(request_));
      if (!run) return run.diagnostics();
      if (run->isStuck) return stuckProgram(*run);
      out.timed = std::move(*run);
    }
    const Breakdown onDevice = breakdownOf(*request_.machine, out.compiled->hostWork(), *out.timed);
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
  std::int64_t kept_ = 0;                                            ///< bytes of constants placed so far
  std::map<Extents, mapping::Mapping> byExtents_{}, byMagnitude_{};  ///< by auto, of kernels in loops
  std::map<std::string, Like> like_{};                               ///< by auto, by shape
};

/// The kernels from `first` on that the target wants together and that have one mapping.
GraphPart partFrom(const Request &r, int first) {
  const auto kernels = static_cast<int>(r.graph->kernels.size());
  return {r.graph, first,
          r.maps.size() > 1 || r.rounds != nullptr
              ? 1
              : std::min(kernels - first, r.target->runLength(*r.graph, first, *r.machine))};
}

/// Mappings that `auto` leaves open, of a program whose kernels leave each other data: by what all of it takes.
Status chooseTogether(const Request &request, CompiledGraph &graph) {
  if (request.objective != Objective::kTime) return okStatus();
  const auto idle =
      request.target->idle({request.graph, 0, static_cast<int>(request.graph->kernels.size())}, *request.machine);
  if (idle == nullptr) return okStatus();
  std::vector<Target::Member> members;
  bool isAnyOpen = false;
  for (const PlannedPart &part : graph) {
    const auto first = static_cast<std::size_t>(part.first);
    const mapping::MapSpec &spec = request.mapOf(first);
    const bool isOpen = part.compiled != nullptr && spec.kind == mapping::MapSpec::Kind::kAuto;
    isAnyOpen |= isOpen;
    members.push_back({{request.graph, part.first, part.count},
                       part.compiled.get(),
                       request.originOf(first),
                       isOpen ? &spec : nullptr});
  }
  if (!isAnyOpen) return okStatus();
  graph.shared = std::make_shared<Cache>();
  RunMode mode;
  mode.values = request.values ? &*request.values : nullptr;
  mode.jobs = request.jobs;
  mode.shared = graph.shared.get();
  auto found =
      request.target->together(members, runsOf(request, graph.size()), *idle, *request.machine, mode, request.tools);
  if (!found) return found.diagnostics();
  graph.tried = std::move(found->tried);
  for (std::size_t p = 0; p < found->instead.size(); ++p) {
    if (!found->why[p].empty()) graph[p].mappingWhy = found->why[p];
    if (found->instead[p] == nullptr) continue;
    graph[p].mapping = found->instead[p]->placed().mapping;
    graph[p].compiled = std::move(found->instead[p]);
  }
  return okStatus();
}

}  // namespace

std::vector<int> runsOf(const Request &request, std::size_t parts) {
  if (request.rounds != nullptr) return request.rounds->runs;  // one part per kernel
  std::vector<int> order(parts);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

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
  const auto start = std::chrono::steady_clock::now();
  if (const Status s = chooseTogether(request, out); !s) return s.diagnostics();
  if (!out.empty()) out.front().planUs += microsecondsSince(start);
  const bool isAllOnHost = std::ranges::none_of(out, [](const PlannedPart &p) { return p.compiled != nullptr; });
  if (request.offload == Offload::kSome && isAllOnHost && !planner.refusal().empty()) {
    Diagnostics why = planner.refusal();
    why.front().hint += "; --offload possible runs all of it on the host";
    return why;
  }
  return out;
}

}  // namespace pimento::evaluate
