// Which mapping each kernel of a graph gets, and which side it runs on.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

namespace {

constexpr Cycles kNever(std::numeric_limits<std::int64_t>::max());

struct Candidate {
  mapping::Mapping mapping;
  Cycles bound = kNever, cycles = kNever;  ///< in total, host work included
  bool isLegal = false;
};

/// What is known to a run that chooses among mappings.
RunMode timingOf(const Request &r) {
  return {true, {}, r.values ? &*r.values : nullptr, r.contents};
}

/// Has `m` the tail, and the buffer if one is named, that the user wants?
bool agrees(const mapping::Mapping &m, const mapping::Mapping &wanted) {
  const auto buffer = wanted.parameters.find("buffer");
  const auto own = m.parameters.find("buffer");
  return m.tail == wanted.tail && m.mergeAt == wanted.mergeAt &&
         (buffer == wanted.parameters.end() || (own != m.parameters.end() && own->second == buffer->second));
}

/// A mapping, and who chose it.
struct Choice {
  mapping::Mapping mapping;
  std::string why;
};

/// Bounds the candidates, but those that are guessed to take longer than kAutoEstimated others: they keep none.
void boundLeast(const Request &r, int kernel, const Backend &backend, std::vector<Candidate> &all) {
  constexpr std::size_t kBatch = 64;
  std::vector<Cycles> guesses(all.size());
  const auto compile = [&](const Candidate &c) {
    return backend.compile(*r.graph, kernel, c.mapping, *r.machine, r.variant, r.tools);
  };
  parallelFor(r.jobs, static_cast<std::int64_t>(all.size()), [&](std::int64_t i) {
    Candidate &c = all[static_cast<std::size_t>(i)];
    const auto compiled = compile(c);
    c.isLegal = compiled.ok();
    if (!compiled) return;
    DeviceRun run;
    run.cycles = (*compiled)->guess();
    guesses[static_cast<std::size_t>(i)] = costOf(*r.machine, (*compiled)->hostWork(), run).total;
  });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].isLegal) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return guesses[a] < guesses[b]; });
  std::vector<Cycles> least;  // bounds so far, kAutoEstimated at most
  for (std::size_t begin = 0; begin < order.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, order.size() - begin);
    const Cycles cut = static_cast<int>(least.size()) < kAutoEstimated ? kNever : least.back();
    parallelFor(r.jobs, static_cast<std::int64_t>(count), [&](std::int64_t i) {
      const std::size_t n = order[begin + static_cast<std::size_t>(i)];
      if (guesses[n] > cut) return;
      const auto compiled = compile(all[n]);
      all[n].bound =
          costOf(*r.machine, (*compiled)->hostWork(), (*compiled)->bound(r.values ? &*r.values : nullptr)).total;
    });
    for (std::size_t i = begin; i < begin + count; ++i) least.push_back(all[order[i]].bound);
    std::sort(least.begin(), least.end());
    least.resize(std::min<std::size_t>(least.size(), kAutoEstimated));
  }
}

/// The best mapping by estimated total cycles among a fixed set: the reference mapping, and of the first legal ones
/// those with the least lower bound. Ties go to the earlier one, so the choice does not depend on the number of
/// threads.
Result<Choice> chooseMapping(const Request &r, int kernel, const Backend &backend, const mapping::MapSpec &spec) {
  std::vector<Candidate> all;
  const Result<mapping::Mapping> reference = backend.reference(*r.graph, kernel, *r.machine, spec, r.tools);
  if (!reference) return reference.diagnostics();
  if (reference->mergeAt == spec.mapping.mergeAt) all.push_back({*reference});
  for (mapping::Mapping &m : backend.mappings(*r.graph, kernel, *r.machine, spec, r.tools))
    if (static_cast<int>(all.size()) < kAutoCandidates && agrees(m, spec.mapping)) all.push_back({std::move(m)});
  mapping::MappingSpace space(r.graph->kernels[static_cast<std::size_t>(kernel)], *r.machine);
  const bool hasOwn = all.size() > 1;
  while (!hasOwn && static_cast<int>(all.size()) < kAutoCandidates) {
    std::optional<mapping::Mapping> m = space.next();
    if (!m) break;
    m->tail = spec.mapping.tail;
    m->mergeAt = spec.mapping.mergeAt;
    m->parameters = spec.mapping.parameters;
    all.push_back({std::move(*m)});
  }
  if (all.empty()) all.push_back({*reference});
  boundLeast(r, kernel, backend, all);
  std::stable_sort(all.begin() + 1, all.end(), [](const Candidate &a, const Candidate &b) {
    return a.isLegal != b.isLegal ? a.isLegal : a.bound < b.bound;
  });
  const auto legal = std::count_if(all.begin(), all.end(), [](const Candidate &c) { return c.isLegal; });
  all.resize(std::min<std::size_t>(all.size(), 1 + kAutoEstimated));
  // Those with the least bounds first, a few at a time; who cannot win any more is not run.
  std::vector<Candidate *> order;
  for (Candidate &c : all) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(), [](const Candidate *a, const Candidate *b) {
    return a->isLegal != b->isLegal ? a->isLegal : a->bound < b->bound;
  });
  Cycles least = kNever;
  for (std::size_t begin = 0; begin < order.size(); begin += std::size_t{kAutoBatch}) {
    const std::size_t count = std::min<std::size_t>(kAutoBatch, order.size() - begin);
    parallelFor(r.jobs, static_cast<std::int64_t>(count), [&](std::int64_t i) {
      Candidate &c = *order[begin + static_cast<std::size_t>(i)];
      if (!c.isLegal || c.bound > least) return;
      const auto compiled = backend.compile(*r.graph, kernel, c.mapping, *r.machine, r.variant, r.tools);
      const Result<DeviceRun> run = (*compiled)->run(timingOf(r));
      c.isLegal = run.ok();
      if (run) c.cycles = costOf(*r.machine, (*compiled)->hostWork(), *run).total;
    });
    for (std::size_t n = begin; n < begin + count; ++n)
      if (order[n]->isLegal) least = std::min(least, order[n]->cycles);
  }
  const auto best = std::min_element(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
    return a.isLegal != b.isLegal ? a.isLegal : a.cycles < b.cycles;
  });
  if (!best->isLegal) {
    const auto compiled = backend.compile(*r.graph, kernel, all.front().mapping, *r.machine, r.variant, r.tools);
    if (!compiled) return compiled.diagnostics();
    return (*compiled)->run(timingOf(r)).diagnostics();
  }
  mapping::Mapping m = best->mapping;
  m.text = mapping::print(m);
  const auto estimated = std::count_if(all.begin(), all.end(), [](const Candidate &c) { return c.isLegal; });
  return Choice{std::move(m), fmt::format("the fastest of {} mappings, which have the least lower bounds of "
                                          "{} legal ones that were looked at",
                                          estimated, legal)};
}

Result<Choice> resolve(const Request &r, int kernel, const Backend &backend) {
  const mapping::MapSpec &spec = r.mapOf(static_cast<std::size_t>(kernel));
  switch (spec.kind) {
    case mapping::MapSpec::Kind::kReference: {
      Result<mapping::Mapping> m = backend.reference(*r.graph, kernel, *r.machine, spec, r.tools);
      if (!m) return m.diagnostics();
      return Choice{std::move(*m), "the reference mapping"};
    }
    case mapping::MapSpec::Kind::kAuto:
      return chooseMapping(r, kernel, backend, spec);
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

/// Decides for one kernel after the other, in the order of the graph, where it runs.
class Planner {
 public:
  Planner(const Request &request, const Backend &backend) : request_(request), backend_(backend) {}

  Result<PlannedKernel> plan(int k) {
    PlannedKernel out;
    if (request_.mapOf(static_cast<std::size_t>(k)).kind == mapping::MapSpec::Kind::kHost) {
      out.why = "its mapping says so";
      return out;
    }
    auto start = std::chrono::steady_clock::now();
    Result<Choice> choice = resolve(request_, k, backend_);
    if (!choice) return orHost(choice.diagnostics());
    out.mapping = std::move(choice->mapping);
    out.mappingWhy = std::move(choice->why);
    if (isSearched(k)) start = std::chrono::steady_clock::now();
    auto compiled =
        backend_.compile(*request_.graph, k, out.mapping, *request_.machine, request_.variant, request_.tools);
    const auto spent = std::chrono::steady_clock::now() - start;
    if (backend_.generatesCode()) out.compileUs = std::chrono::duration_cast<std::chrono::microseconds>(spent).count();
    if (!compiled) return orHost(compiled.diagnostics());
    if (request_.offload == Offload::kBest) {
      const lower::HostWork work = (*compiled)->hostWork();
      const Result<DeviceRun> run = (*compiled)->run(timingOf(request_));
      if (!run) return run.diagnostics();
      const Breakdown onDevice = hostCycles(*request_.machine, work, run->cycles);
      const Cycles onHost = hostLayer(*request_.graph, k, *request_.machine).cycles;
      out.offloadedCycles = onDevice.total();
      if (onHost <= onDevice.total()) {
        out.why = onHost <= onDevice.compute ? "the host is faster, even if no data had to be moved"
                                             : "moving operands and results takes longer than the device saves";
        return out;
      }
    }
    if (request_.offload != Offload::kAll) {
      const std::int64_t kept = (*compiled)->hostWork().placedOnce.value;
      if (kept_ + (*compiled)->footprint().value > backend_.capacity(*request_.machine).value) {
        out.why = "its constants do not fit beside those of the kernels before it";
        return out;
      }
      kept_ += kept;
    }
    out.compiled = std::move(*compiled);
    return out;
  }

 private:
  /// The mapping comes of a search, which is no code generation.
  bool isSearched(int k) const {
    return request_.mapOf(static_cast<std::size_t>(k)).kind == mapping::MapSpec::Kind::kAuto;
  }

  Result<PlannedKernel> orHost(const Diagnostics &diagnostics) const {
    const std::string &code = diagnostics.front().code;
    const bool isOfDevice = code.starts_with("unsupported-") || code == "capacity";
    if (request_.offload == Offload::kAll || !isOfDevice) return diagnostics;
    PlannedKernel out;
    out.why = reasonOf(diagnostics.front(), request_.machine->name);
    return out;
  }

  const Request &request_;
  const Backend &backend_;
  std::int64_t kept_ = 0;  ///< bytes of constants placed so far
};

}  // namespace

Status checkMaps(const Request &request) {
  if (request.maps.size() <= 1 || request.maps.size() == request.graph->kernels.size()) return okStatus();
  return error("map-count", {},
               fmt::format("{} mappings for {} kernels", request.maps.size(), request.graph->kernels.size()),
               "give one mapping for all, or one per kernel separated by '|'");
}

Result<CompiledGraph> compile(const Request &request) {
  const Result<const Backend *> backend = backendFor(*request.machine);
  if (!backend) return backend.diagnostics();
  const std::vector<std::string> variants = (*backend)->variants();
  if (request.variant != "plain" && std::find(variants.begin(), variants.end(), request.variant) == variants.end())
    return error("unknown-variant", {},
                 fmt::format("{} has no variant '{}' of its programs", request.machine->name, request.variant),
                 fmt::format("it has: plain, {}", fmt::join(variants, ", ")));
  if (const Status s = checkMaps(request); !s) return s.diagnostics();
  Planner planner(request, **backend);
  CompiledGraph out;
  for (int k = 0; k < static_cast<int>(request.graph->kernels.size()); ++k) {
    Result<PlannedKernel> planned = planner.plan(k);
    if (!planned) return planned.diagnostics();
    out.push_back(std::move(*planned));
  }
  return out;
}

}  // namespace pimento::evaluate
