#include "pimento/llm/pim.h"

#include <fmt/format.h>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/llm/operation.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::llm {

namespace {

/// "TIME CYCLES ENERGY STUDY MAPPING", in ps and pJ; STUDY is "-" where there is none.
std::string textOf(const PimTime &t) {
  return fmt::format("{} {} {} {} {}", numberText(t.time.value), t.cycles.value, numberText(t.energy.value),
                     t.studyEnergy ? numberText(t.studyEnergy->value) : "-", t.mapping);
}

std::optional<PimTime> timeOf(const std::string &text) {
  const std::vector<std::string_view> words = split(text, ' ');
  constexpr std::size_t kNumbers = 4;
  if (words.size() <= kNumbers) return std::nullopt;
  const auto time = parseNumber(words[0]), energy = parseNumber(words[2]), study = parseNumber(words[3]);
  const auto cycles = parseInteger(words[1]);
  if (!time || !cycles || !energy || (!study && words[3] != "-")) return std::nullopt;
  const std::size_t mapping = static_cast<std::size_t>(words[kNumbers].data() - text.data());
  return PimTime{Picoseconds(*time),   Cycles(*cycles),
                 Picojoules(*energy),  study ? std::optional(Picojoules(*study)) : std::nullopt,
                 text.substr(mapping), {}};
}

}  // namespace

PimDevice::PimDevice(const machine::Machine &machine, const machine::Machine *study, const evaluate::Target &target,
                     PimChoices choices, evaluate::Tools tools, Keeper keeper)
    : machine_(machine),
      study_(study),
      target_(target),
      choices_(std::move(choices)),
      tools_(tools),
      keeper_(std::move(keeper)) {}

std::string PimDevice::commandOf(const std::string &kernel, const Sizes &sizes, const std::string &mapping) const {
  std::vector<std::string> extents;
  for (const auto &[size, n] : sizes) extents.push_back(fmt::format("{}={}", size, n));
  return shellLine({"pimento", "explain", kernel, "--size", join(extents, ","), "--dtype",
                    std::string(pimento::name(choices_.type)), "--target", machine_.name, "--map", mapping,
                    "--constant", kernel == "gemv" ? "A" : "K,V", "--number", "total_cycles"});
}

Result<PimTime> PimDevice::run(const std::string &kernel, const Sizes &sizes, const std::string &map, int jobs) const {
  Result<kernel::Graph> graph = kernel::makeZooKernel(kernel, sizes, choices_.type);
  if (!graph) return graph.diagnostics();
  for (kernel::Tensor &t : graph->tensors)  // weights, keys and values lie in the banks
    if (t.name == "A" || t.name == "K" || t.name == "V") t.isConstant = true;
  const Result<std::string> text = choices_.mapOf ? choices_.mapOf(kernel, sizes) : Result<std::string>(map);
  if (!text) return text.diagnostics();
  const Result<mapping::MapSpec> spec = mapping::parseMapSpec(*text);
  if (!spec) return spec.diagnostics();
  evaluate::Request r;
  r.machine = &machine_;
  r.target = &target_;
  r.graph = &*graph;
  r.maps = {*spec};
  std::optional<kernel::Unrolled> parts;
  if (target_.runsParts()) {  // what its units cannot do, the host of the device does
    r.offload = evaluate::Offload::kSome;
    parts = target_.divided(*graph, machine_, std::vector<bool>(graph->kernels.size(), false));
  }
  if (parts) {
    r.graph = &parts->graph;
    r.rounds = &*parts;
  }
  r.tools = tools_;
  r.values = kernel::DataSpec{};  // random: on DPUs they decide the time
  r.jobs = jobs;
  const Result<evaluate::Evaluation> done = evaluate::evaluateRecorded(r);
  if (!done) return done.diagnostics();
  const evaluate::Report &report = done->report;
  PimTime t;
  t.cycles = report.breakdown().total();
  t.time = Picoseconds(report.timeNs * kPsPerNs);
  t.energy = report.energy.total;
  std::vector<std::string> mappings;
  for (const evaluate::Stage &s : report.stages) mappings.push_back(s.isOnHost ? "host" : s.mapping);
  t.mapping = join(mappings, " | ");
  if (study_ != nullptr) {
    energy::ActionCounts actions;
    for (const evaluate::StageRecord &s : done->records) actions.add(s.deviceActions).add(s.hostActions);
    t.studyEnergy = energy::price(*study_, actions, t.time).total;
  }
  return t;
}

Result<PimTime> PimDevice::timed(const std::string &kernel, const Sizes &sizes, const std::string &map, int jobs) {
  std::string name = kernel;
  for (const auto &[size, n] : sizes) name += fmt::format(" {}={}", size, n);
  name += fmt::format(" {} {}", pimento::name(choices_.type), choices_.mapOf ? "tuned" : map);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry> &known = found_[name];
    if (!known) known = std::make_shared<Entry>();
    entry = known;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->time) return *entry->time;
  std::optional<PimTime> kept;
  if (keeper_.find)
    if (const auto text = keeper_.find(name)) kept = timeOf(*text);
  entry->time = kept ? Result<PimTime>(*kept) : run(kernel, sizes, map, jobs);
  if (!kept && *entry->time && keeper_.keep) keeper_.keep(name, textOf(**entry->time));
  if (*entry->time) (*entry->time)->command = commandOf(kernel, sizes, (*entry->time)->mapping);
  ++(kept ? known_ : runs_);
  return *entry->time;
}

Result<PimTime> PimDevice::attention(std::int64_t heads, std::int64_t headDim, std::int64_t length) {
  return timed("attn", {{"batch", 1}, {"heads", heads}, {"dhead", headDim}, {"len", ceilDiv(length, kBlock) * kBlock}},
               choices_.attentionMap, 1);
}

Result<PimTime> PimDevice::product(std::int64_t outputs, std::int64_t inputs, std::int64_t rows) {
  return timed("gemv", {{"m", outputs}, {"n", inputs}, {"batch", rows}}, choices_.productMap, choices_.jobs);
}

Result<PimTime> PimDevice::headProducts(std::int64_t heads, std::int64_t inputs, std::int64_t outputs) {
  return timed("bgemv", {{"batch", 1}, {"heads", heads}, {"dhead", inputs}, {"len", outputs}}, choices_.attentionMap,
               1);
}

}  // namespace pimento::llm
