#include "pimento/evaluate/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/explainer.h"

namespace pimento::evaluate {

namespace {

using Arithmetic = Derivation::Arithmetic;

class Explainer {
 public:
  explicit Explainer(const ExplainInput &input)
      : input_(input),
        report_(*input.report),
        machine_(*input.machine),
        numbers_(machine_),
        groups_(report_.byKernel()) {}

  Explanation explain() {
    nodes_.resize(input_.stages.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) explainGroup(g);
    times();
    setup();
    energies();
    counts();
    const SimulatedUnit unit = report_.unit;
    add(leaf(unit.simulatedKey(), report_.unitsSimulated, "",
             fmt::format("one {} represents all identical ones", unit.singular)));
    addNamed(unit.identicalKey(), units());
    for (const auto &[name, extent] : report_.sizes)
      add(leaf("sizes." + name, extent, "", "from --size, the input, or the kernel's default"));
    numbersOut_.insert(numbersOut_.end(), stageNumbers_.begin(), stageNumbers_.end());
    add(leaf("wall_us", report_.wallUs, "us", "measured on this computer; differs from run to run"));
    add(leaf("compile_us", report_.compileUs, "us", "measured on this computer; differs from run to run"));
    return Explanation(std::move(numbersOut_));
  }

 private:
  struct Nodes {
    DerivationPtr cycles, total;
    ByPart<DerivationPtr> parts;
    CountNodes counts;
    ActionNodes device, host, once;
    DerivationPtr setup;
  };

  void add(const DerivationPtr &d) { numbersOut_.emplace_back(d->name, d); }
  void addOfStage(const DerivationPtr &d) { stageNumbers_.emplace_back(d->name, d); }
  /// A number that is another one under its own name.
  void addNamed(const std::string &key, const DerivationPtr &same) {
    add(node(key, same->value, same->unit, Derivation::kSum,
             same->isInteger() ? Arithmetic::kInteger : Arithmetic::kReal, {{{}, same}}));
  }
  DerivationPtr find(const std::string &key) const {
    const auto at = std::find_if(numbersOut_.begin(), numbersOut_.end(), [&](const auto &n) { return n.first == key; });
    PIMENTO_CHECK(at != numbersOut_.end());
    return at->second;
  }

  DerivationPtr timeOf(const std::string &name, const DerivationPtr &cycles, double ns) {
    return node(name, ns, "ns", "cycles / clock", Arithmetic::kReal,
                {{"cycles", cycles}, {"clock", numbers_.number("clock.device", machine_.clockGHz)}});
  }

  // --- stages

  /// What one run takes, times the rounds of a loop that are like it.
  static DerivationPtr ofRuns(const DerivationPtr &one, const Stage &stage) {
    if (one == nullptr || stage.runs == 1) return one;
    return node(one->name, multiplySaturated(one->integer(), stage.runs), one->unit, "one * runs", Arithmetic::kInteger,
                {{"one", one}, {"runs", leaf("runs", stage.runs, "", "identical rounds of a loop")}});
  }
  /// The same where data may make runs differ, which come to `total` together.
  static DerivationPtr ofRuns(const DerivationPtr &one, const Stage &stage, std::int64_t total) {
    if (one == nullptr || stage.runs == 1 || multiplySaturated(one->integer(), stage.runs) == total)
      return ofRuns(one, stage);
    const std::string others = fmt::format("the other {} runs, which differ because of their data", stage.runs - 1);
    return node(one->name, total, one->unit, "first + others", Arithmetic::kInteger,
                {{"first", one}, {"others", leaf("others", total - one->integer(), one->unit, others)}});
  }
  static void ofRuns(ActionNodes &nodes, const Stage &stage, const energy::ActionCounts &all) {
    for (auto &[action, d] : nodes) d = ofRuns(d, stage, all.of(action));
  }
  Breakdown breakdownOfRun(const ExplainedStage &in, const Stage &stage) const {
    if (!stage.isOnHost) return hostCycles(machine_, in.record.work, in.record.run.cycles);
    Breakdown b;
    b[Part::kHost] = in.record.layer.cycles;
    return b;
  }

  /// Numbers of several rounds are sums of each round's, times those of the sums of cycles.
  void explainGroup(std::size_t g) {
    const StageGroup &group = groups_[g];
    const std::string at = fmt::format("stages[{}].", g);
    if (group.members.size() == 1) return explainStage(group.members.front(), at);
    const auto others = std::exchange(stageNumbers_, {});
    std::map<std::string, std::vector<DerivationPtr>> rounds;
    std::vector<std::string> keys;
    for (std::size_t r = 0; r < group.members.size(); ++r) {
      const std::string ofRound = fmt::format("{}rounds[{}].", at, r);
      explainStage(group.members[r], ofRound);
      for (auto &[name, d] : std::exchange(stageNumbers_, {})) {
        const std::string key = name.substr(ofRound.size());
        if (!rounds.contains(key)) keys.push_back(key);
        rounds[key].push_back(std::move(d));
      }
    }
    stageNumbers_ = others;
    for (const std::string &key : keys)
      if (rounds[key].size() == group.members.size()) addOfStage(ofRounds(at, key, rounds[key]));
  }

  DerivationPtr ofRounds(const std::string &at, const std::string &key, const std::vector<DerivationPtr> &rounds) {
    constexpr std::string_view kTime = "time_ns";
    if (key.ends_with(kTime)) {
      // "host_time_ns" is of "host_cycles".
      const DerivationPtr &cycles = stageNumbers_.back().second;
      return timeOf(at + key, cycles, machine_.toTime(Cycles(cycles->integer())).value / 1000.0);
    }
    if (!rounds.front()->isInteger()) {
      double sum = 0;
      for (const DerivationPtr &r : rounds) sum += r->real();
      return sumOf(at + key, sum, rounds.front()->unit, rounds);
    }
    std::int64_t sum = 0;
    for (const DerivationPtr &r : rounds) sum = addSaturated(sum, r->integer());
    return sumOf(at + key, sum, rounds.front()->unit, rounds, fmt::format("{} rounds", rounds.size()));
  }

  /// Keys begin with `at`.
  void explainStage(std::size_t i, const std::string &at) {
    const ExplainedStage &in = input_.stages[i];
    const Stage &stage = report_.stages[i];
    Nodes n;
    n.cycles = in.program == nullptr
                   ? leaf(at + "cycles", in.record.run.cycles.value, "cycle", "the kernel runs on the host")
                   : in.program->explainCycles(at + "cycles", in.record.run, numbers_, input_.mostCommands);
    n.cycles = ofRuns(n.cycles, stage, stage.cycles.value);
    addOfStage(n.cycles);
    const HostTerms terms = hostTerms(machine_, in.record.work);
    const Breakdown breakdown = stage.breakdown();
    for (const PartInfo &p : kParts) n.parts[p.part] = part(at, p, in, stage, terms[p.part], n.cycles);
    n.total = sumOf(at + "total_cycles", breakdown.total().value, "cycle", {n.parts.begin(), n.parts.end()});
    addOfStage(n.total);
    const double ns = machine_.toTime(breakdown.total()).value / 1000.0;
    const DerivationPtr time = timeOf(at + "time_ns", n.total, ns);
    addOfStage(time);
    explainAlternatives(at, in, stage, n.total);
    if (in.program != nullptr) {
      n.counts = explainCounts(at + "counts.", in, *input_.target, numbers_);
      n.device = deviceActionNodes(at, in, *input_.target, n.counts, numbers_);
      for (auto &[name, d] : n.counts) {
        const auto all = in.record.counts.find(name);
        d = all == in.record.counts.end() ? ofRuns(d, stage) : ofRuns(d, stage, all->second);
      }
      ofRuns(n.device, stage, in.record.deviceActions);
    }
    HostWork traffic = in.record.work;
    if (stage.isOnHost) {
      traffic.placed = in.record.layer.written;
      traffic.readBack = in.record.layer.read;
    }
    n.host = hostActionNodes(at, traffic, breakdownOfRun(in, stage), stage.isOnHost ? in.record.layer.operations : 0,
                             numbers_);
    ofRuns(n.host, stage, in.record.hostActions);
    explainStageEnergy(at, stage, n, time);
    for (const DerivationPtr &p : n.parts) addOfStage(p);
    explainOnce(at, in, n);
    nodes_[i] = std::move(n);
  }

  DerivationPtr part(const std::string &at, const PartInfo &p, const ExplainedStage &in, const Stage &stage,
                     const Term &term, const DerivationPtr &cycles) {
    const Part which = p.part;
    const std::string name = fmt::format("{}breakdown.{}", at, p.key);
    const std::int64_t value = stage.breakdown()[which].value;
    if (which == Part::kCompute && in.program != nullptr)
      return sumOf(name, value, "cycle", {cycles},
                   fmt::format("kernel '{}' on the device{}{}", stage.kernel, in.choices.empty() ? "" : "; ",
                               fmt::join(in.choices, "; ")));
    if (which == Part::kHost && stage.isOnHost)
      return noted(ofRuns(numbers_.term(name, "cycle", layerTerm(in), Arithmetic::kReal, ""), stage),
                   fmt::format("kernel '{}' on the host: {}", stage.kernel, stage.why));
    if (stage.isOnHost) return leaf(name, value, "cycle", "the kernel runs on the host: " + stage.why);
    if (which == Part::kCompute || (which == Part::kHost && value == 0))
      return leaf(name, value, "cycle", "the kernel runs on the device");
    const DerivationPtr d = byCommands(name, in, stage, which, term);
    return report_.stages.size() > 1 && !d->isLeaf() ? noted(d, fmt::format("kernel '{}'", stage.kernel)) : d;
  }

  /// What the host does of a part, and phases of the program that count to it.
  DerivationPtr byCommands(const std::string &name, const ExplainedStage &in, const Stage &stage, Part which,
                           const Term &term) {
    std::vector<DerivationPtr> phases;
    Cycles moved;
    for (const CommandPhase &p : in.record.run.phases) {
      if (p.part != which) continue;
      moved += p.cycles;
      const std::string what =
          p.commands == 0 ? fmt::format("phase '{}' of the kernel", p.name)
                          : fmt::format(
                                "phase '{}' of the program: {} requests, of all channels; the time from its first "
                                "request to the next phase's",
                                p.name, p.commands);
      phases.push_back(ofRuns(leaf(p.name, p.cycles.value, "cycle", what), stage));
    }
    const std::int64_t value = stage.breakdown()[which].value;
    const std::int64_t rest = value - multiplySaturated(moved.value, stage.runs);
    const DerivationPtr host =
        ofRuns(numbers_.term(name, "cycle", term, Arithmetic::kReal, "no data moved"), stage, rest);
    if (phases.empty()) return host;
    if (rest > 0) phases.push_back(host);
    return sumOf(name, value, "cycle", phases);
  }

  static DerivationPtr noted(const DerivationPtr &d, std::string note) {
    auto with = std::make_shared<Derivation>(*d);
    with->note = std::move(note);
    return with;
  }

  Term layerTerm(const ExplainedStage &in) const {
    const HostLayer &l = in.record.layer;
    return hostLayerTerm(machine_, l.operations, l.read, l.written);
  }

  void explainAlternatives(const std::string &at, const ExplainedStage &in, const Stage &stage,
                           const DerivationPtr &total) {
    const auto addWithTime = [&](const std::string &key, const DerivationPtr &cycles, Cycles value) {
      addOfStage(cycles);
      addOfStage(timeOf(at + key, cycles, machine_.toTime(value).value / 1000.0));
    };
    addWithTime("host_time_ns",
                in.hasLayer
                    ? ofRuns(numbers_.term(at + "host_cycles", "cycle", layerTerm(in), Arithmetic::kReal, ""), stage)
                    : leaf(at + "host_cycles", stage.hostCycles.value, "cycle", "a program without a kernel"),
                stage.hostCycles);
    if (!stage.isOnHost)
      addWithTime("offloaded_time_ns", sumOf(at + "offloaded_cycles", total->value, "cycle", {total}),
                  stage.breakdown().total());
    else if (stage.offloadedCycles)
      addWithTime("offloaded_time_ns",
                  leaf(at + "offloaded_cycles", stage.offloadedCycles->value, "cycle",
                       "estimated before the kernel was kept on the host; --offload possible runs it on "
                       "the device and explains it"),
                  *stage.offloadedCycles);
    addOfStage(leaf(at + "operations", stage.operations, "", "scalar operations of the body, over all points"));
    addOfStage(
        ofRuns(node(at + "bytes", in.record.layer.bytes().value, "B", "read + written", Arithmetic::kInteger,
                    {{"read", leaf("read", in.record.layer.read.value, "B", "bytes that the kernel reads, each once")},
                     {"written",
                      leaf("written", in.record.layer.written.value, "B", "bytes that the kernel writes, each once")}}),
               stage));
  }

  void explainStageEnergy(const std::string &at, const Stage &stage, const Nodes &n, const DerivationPtr &time) {
    const ActionNodes all = addActions(at, {n.device, n.host});
    const energy::EnergyReport priced =
        energy::price(machine_, valuesOf(all), machine_.toTime(stage.breakdown().total()));
    const std::vector<EnergyNodes> rows = explainEnergy(at + "energy.", priced, all, time, numbers_);
    addOfStage(sumOf(at + "energy_pj", stage.energy.value, "pJ", column(rows, &EnergyNodes::pj)));
  }

  static std::vector<DerivationPtr> column(const std::vector<EnergyNodes> &rows, DerivationPtr EnergyNodes::*which) {
    std::vector<DerivationPtr> out;
    for (const EnergyNodes &r : rows) out.push_back(r.*which);
    return out;
  }

  static energy::ActionCounts valuesOf(const ActionNodes &nodes) {
    energy::ActionCounts out;
    for (const auto &[action, d] : nodes) out.add(action, d->integer());
    return out;
  }

  /// Placing the constants of a stage, before the first run.
  void explainOnce(const std::string &at, const ExplainedStage &in, Nodes &n) {
    if (!in.record.placesConstants) return;
    HostWork once;
    once.placed = in.record.work.placedOnce;
    once.rearrangedIn = in.record.work.rearrangedOnce;
    const HostTerms terms = hostTerms(machine_, once);
    const Breakdown time = hostCycles(machine_, once, Cycles(0));
    std::vector<DerivationPtr> parts = {
        numbers_.term(at + "setup.transfer_in", "cycle", terms[Part::kTransferIn], Arithmetic::kReal, "none"),
        numbers_.term(at + "setup.rearrange_in", "cycle", terms[Part::kRearrangeIn], Arithmetic::kReal, "none")};
    n.once = hostActionNodes(at + "setup.", once, time, 0, numbers_);
    Cycles all = time.total();
    if (in.record.placement) {
      for (const CommandPhase &p : in.record.placement->phases) {
        all += p.cycles;
        parts.push_back(leaf(at + "setup." + p.name, p.cycles.value, "cycle",
                             fmt::format("commands that place constants: {}, of all channels", p.commands)));
      }
      n.once = addActions(at + "setup.", {n.once, placedByCommands(at, *in.record.placement)});
    }
    n.setup = sumOf(at + "setup", all.value, "cycle", parts, "its constants are placed once");
  }

  ActionNodes placedByCommands(const std::string &at, const DeviceRun &placement) const {
    ActionNodes nodes;
    for (const auto &[action, n] : placement.actions)
      nodes.emplace(action, leaf(fmt::format("{}setup.commands.{}", at, action), n, "",
                                 "of the commands that place constants, counted by the engine"));
    return nodes;
  }

  // --- the whole run

  std::vector<DerivationPtr> ofStages(auto &&select) const {
    std::vector<DerivationPtr> out;
    for (const Nodes &n : nodes_)
      if (const DerivationPtr d = select(n); d != nullptr) out.push_back(d);
    return out;
  }
  std::vector<ActionNodes> actionsOfStages(ActionNodes Nodes::*which) const {
    std::vector<ActionNodes> out;
    for (const Nodes &n : nodes_) out.push_back(n.*which);
    return out;
  }

  void times() {
    std::vector<DerivationPtr> onDevice;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!report_.stages[i].isOnHost) onDevice.push_back(nodes_[i].cycles);
    add(sumOf("cycles", report_.cycles.value, "cycle", onDevice, "device kernels alone"));
    std::vector<DerivationPtr> parts;
    const Breakdown breakdown = report_.breakdown();
    for (const PartInfo &p : kParts)
      parts.push_back(sumOf(fmt::format("breakdown.{}", p.key), breakdown[p.part].value, "cycle",
                            ofStages([&](const Nodes &n) { return n.parts[p.part]; })));
    add(sumOf("total_cycles", breakdown.total().value, "cycle", parts));
    const Cycles skipped = report_.cycles - report_.cyclesSimulated;
    add(node("cycles_simulated", report_.cyclesSimulated.value, "cycle", "cycles - skipped", Arithmetic::kInteger,
             {{"cycles", find("cycles")},
              {"skipped", leaf("skipped", skipped.value, "cycle",
                               "fast-forward proved, by comparing states, that these cycles repeat earlier ones")}}));
    add(timeOf("time_ns", find("total_cycles"), report_.timeNs));
    for (const DerivationPtr &p : parts) add(p);
    phases();
  }

  /// A phase is a part under a name of its own, unless several count to one part.
  void phases() {
    std::size_t k = 0;
    for (const StageGroup &group : groups_)
      for (const Phase &p : group.all.phases) {
        const std::string at = fmt::format("phases[{}].", k++);
        const DerivationPtr part = partOf(group, p.part);
        const double ns = p.time.value / 1000.0;
        if (p.cycles == p.counted && p.counted.value == part->integer()) {
          add(sumOf(at + "cycles", p.cycles.value, "cycle", {part}, p.name));
          add(timeOf(at + "ns", numbersOut_.back().second, ns));
        } else {
          add(leaf(at + "cycles", p.cycles.value, "cycle", fmt::format("{}, on clock '{}'", p.name, p.clock)));
          add(leaf(at + "ns", ns, "ns", p.name));
        }
      }
  }

  DerivationPtr partOf(const StageGroup &group, Part which) const {
    if (group.members.size() == 1) return nodes_[group.members.front()].parts[which];
    std::vector<DerivationPtr> rounds;
    for (const std::size_t i : group.members) rounds.push_back(nodes_[i].parts[which]);
    return sumOf(std::string(infoOf(which).key), group.all.breakdown()[which].value, "cycle", rounds);
  }

  void setup() {
    add(sumOf("setup_cycles", report_.setup.value, "cycle", ofStages([](const Nodes &n) { return n.setup; }),
              "constants of the graph are placed once, before the first run; not included in the totals"));
    const ActionNodes actions = addActions("setup.", actionsOfStages(&Nodes::once));
    const DerivationPtr time =
        timeOf("setup.time_ns", find("setup_cycles"), machine_.toTime(report_.setup).value / 1000.0);
    const std::vector<EnergyNodes> rows = explainEnergy("setup.energy.", report_.setupEnergy, actions, time, numbers_);
    add(sumOf("setup_energy_pj", report_.setupEnergy.total.value, "pJ", column(rows, &EnergyNodes::pj)));
  }

  void energies() {
    std::vector<ActionNodes> all = actionsOfStages(&Nodes::device);
    const ActionNodes onDevice = addActions("kernel.", all);
    for (ActionNodes &n : actionsOfStages(&Nodes::host)) all.push_back(std::move(n));
    const ActionNodes actions = addActions("actions.", all);
    const DerivationPtr kernelTime =
        timeOf("kernel.time_ns", find("cycles"), machine_.toTime(report_.cycles).value / 1000.0);
    const auto kernel = explainEnergy("kernel.energy.", report_.kernelEnergy, onDevice, kernelTime, numbers_);
    const auto whole = explainEnergy("energy_breakdown.", report_.energy, actions, find("time_ns"), numbers_);
    const auto total = [&](const char *key, Picojoules value, const auto &rows, auto which) {
      add(sumOf(key, value.value, "pJ", column(rows, which),
                "modelled from cited constants, not validated against hardware"));
    };
    total("energy_pj", report_.energy.total, whole, &EnergyNodes::pj);
    total("energy_kernel_pj", report_.kernelEnergy.total, kernel, &EnergyNodes::pj);
    for (const EnergyNodes &r : whole)
      for (const DerivationPtr &d : {r.pj, r.low, r.high, r.count, r.unitCost}) add(d);
    components(whole);
    const auto sumWhere = [&](const char *key, Picojoules value, bool isBackground) {
      add(sumOf(key, value.value, "pJ",
                rowsWhere(whole, [&](const energy::EnergyRow &r) { return r.isBackground == isBackground; })));
    };
    sumWhere("energy_dynamic_pj", report_.energy.dynamic, false);
    sumWhere("energy_background_pj", report_.energy.background, true);
    total("energy_range_pj[0]", report_.energy.low, whole, &EnergyNodes::low);
    total("energy_range_pj[1]", report_.energy.high, whole, &EnergyNodes::high);
    total("energy_kernel_range_pj[0]", report_.kernelEnergy.low, kernel, &EnergyNodes::low);
    total("energy_kernel_range_pj[1]", report_.kernelEnergy.high, kernel, &EnergyNodes::high);
  }

  std::vector<DerivationPtr> rowsWhere(const std::vector<EnergyNodes> &rows, auto &&wants) const {
    std::vector<DerivationPtr> out;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (wants(report_.energy.rows[i])) out.push_back(rows[i].pj);
    return out;
  }

  void components(const std::vector<EnergyNodes> &rows) {
    for (const auto &[name, c] : report_.energy.components) {
      const std::string at = "energy_components." + name + ".";
      const auto part = [&](const char *which, Picojoules value, bool isBackground) {
        return sumOf(at + which, value.value, "pJ", rowsWhere(rows, [&](const energy::EnergyRow &r) {
                       return r.component == name && r.isBackground == isBackground;
                     }));
      };
      const DerivationPtr dynamic = part("dynamic", c.dynamic, false);
      const DerivationPtr background = part("background", c.background, true);
      add(sumOf(at + "pj", c.total().value, "pJ", {dynamic, background}));
      add(dynamic);
      add(background);
    }
  }

  void counts() {
    for (const auto &[name, value] : report_.counts) {
      std::vector<DerivationPtr> parts;
      for (const Nodes &n : nodes_)
        for (const auto &[key, count] : n.counts)
          if (key == name) parts.push_back(count);
      add(sumOf("counts." + name, value, "", parts));
    }
  }

  DerivationPtr units() {
    for (const ExplainedStage &s : input_.stages)
      if (s.program != nullptr) return unitsOf(s, report_.unit, numbers_);
    return leaf(std::string(report_.unit.plural), report_.unitsIdentical, "", "no kernel runs on the device");
  }

  const ExplainInput &input_;
  const Report &report_;
  const machine::Machine &machine_;
  MachineNumbers numbers_;
  const std::vector<StageGroup> groups_;
  std::vector<Nodes> nodes_;  ///< by stage
  std::vector<std::pair<std::string, DerivationPtr>> numbersOut_, stageNumbers_;
};

/// What a user may mean by the key of an object.
std::vector<std::string> alternatives(const std::string &key) {
  if (key == "breakdown") return {"total_cycles"};
  if (key == "energy_breakdown" || key == "energy_components") return {"energy_pj"};
  return {key, key + ".pj", key + ".total_cycles", key + "[0]"};
}

}  // namespace

ExplainInput explainInput(const Request &request, const Evaluation &evaluation) {
  ExplainInput in{request.machine, request.target, &evaluation.report, {}};
  for (std::size_t i = 0; i < evaluation.records.size(); ++i) {
    ExplainedStage s;
    s.record = evaluation.records[i];
    if (request.program != nullptr) {
      s.program = request.program;
      in.stages.push_back(std::move(s));
      continue;
    }
    const PlannedPart &part = evaluation.compiled[i];
    if (part.compiled != nullptr) {
      s.program = part.compiled.get();
      s.placed = &part.compiled->placed();
      s.choices = part.compiled->choices();
    }
    s.hasLayer = true;
    in.stages.push_back(std::move(s));
  }
  return in;
}

Result<DerivationPtr> Explanation::find(const std::string &key) const {
  for (const std::string &k : alternatives(key))
    for (const auto &[name, d] : numbers_)
      if (name == k) return d;
  std::vector<std::string> choices;
  for (const auto &[name, d] : numbers_)
    if (!name.starts_with("stages[") || key.starts_with("stages")) choices.push_back(name);
  const std::string near = nearest(key, choices);
  std::vector<std::string> siblings;
  for (const std::string &c : choices)
    if (const std::size_t dot = key.rfind('.'); dot != key.npos && c.starts_with(key.substr(0, dot + 1)))
      siblings.push_back(c);
  return usageError("unknown-number", "--number", fmt::format("the result has no number '{}'", key),
                    (near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near)) +
                        (siblings.empty() ? std::string() : fmt::format("there are {}; ", join(siblings, ", "))) +
                        "numbers are named as in the JSON: cycles, total_cycles, energy_pj, breakdown.merge, "
                        "energy_breakdown.mac, counts.activates, stages[0].cycles");
}

Explanation explain(const ExplainInput &input) {
  return Explainer(input).explain();
}

}  // namespace pimento::evaluate
