// Caches whose SRAM arrays compute on their bitlines: kernels become tensor graphs, these commands (Infinity Stream).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "pimento/base/integer.h"
#include "pimento/evaluate/derivation.h"
#include "pimento/evaluate/suite.h"
#include "pimento/machine/checks.h"
#include "pimento/machine/memory_size.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/targets/l3_sram/chip.h"
#include "pimento/targets/l3_sram/path.h"
#include "pimento/targets/l3_sram/plan.h"
#include "pimento/targets/l3_sram/run_counts.h"
#include "pimento/targets/l3_sram/tiles.h"
#include "pimento/targets/l3_sram/timeline.h"
#include "pimento/tdfg/execute.h"

namespace pimento::targets::l3_sram {

using evaluate::DeviceRun;
using evaluate::GraphPart;

namespace {

constexpr evaluate::SimulatedUnit kUnit = {"cache", "caches", "caches"};

void setRunCounts(DeviceRun &run, const RunCounts &arrays, const ChipRun &chip, const machine::Machine &machine);

class SramKernel final : public evaluate::CompiledPart {
 public:
  SramKernel(const GraphPart &part, const machine::Machine &machine, Plan plan, mapping::PlacedMapping placed)
      : part_(part), machine_(machine), plan_(std::move(plan)), placed_(std::move(placed)) {
    if (isChip(machine)) chip_.emplace(part_, machine_, plan_, placed_.mapping);
  }

  const program::Program &program() const override { return program_; }
  const mapping::PlacedMapping &placed() const override { return placed_; }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, placed_.mapping);
  }
  /// Moving arrays in and out is streams' work, which has no time yet.
  evaluate::HostWork hostWork() const override { return {}; }
  Bytes footprint() const override {
    std::int64_t bytes = 0;
    for (const int t : plan_.tensors) {
      const kernel::Tensor &tensor = part_.graph->tensors[static_cast<std::size_t>(t)];
      bytes = addSaturated(bytes, multiplySaturated(tensor.elements(), sizeOf(tensor.type).value));
    }
    return Bytes(bytes);
  }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override { return {}; }
  kernel::Order order() const override;
  std::string whyUnchecked() const override;
  bool mayReorder() const override { return plan_.rewriting.isReordered; }
  Result<DeviceRun> run(const evaluate::RunMode &mode) const override {
    return chip_ ? onChip(mode, nullptr) : runWith(nullptr, mode.observer);
  }
  Result<DeviceRun> runOn(kernel::DataSet &data, const evaluate::RunMode &mode) const override {
    return chip_ ? onChip(mode, &data) : inArrays(data, mode);
  }
  evaluate::DerivationPtr explainCycles(const std::string &name, const DeviceRun &run,
                                        evaluate::MachineNumbers & /*numbers*/,
                                        std::int64_t /*mostCommands*/) const override;
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override;
  std::vector<std::string> choices() const override {
    std::vector<std::string> said;
    if (!plan_.rewriting.sentences.empty()) said = rewritesOf(part_, machine_, placed_.mapping);
    for (const tdfg::Region &region : plan_.program.regions)
      if (!region.reason.empty()) said.push_back("left to streams: " + region.reason);
    if (chip_)
      if (const auto e = chip_->equation2(); e && e->nodes > 0)
        said.push_back(fmt::format(
            "equation (2): {:.0f} elements x {:.0f} operations / {:.0f} per cycle = {:.0f} {} {:.0f} cycles of "
            "operations + {:.0f} nodes x {:.1f} cycles of lowering = {:.0f}: {}",
            e->elements, e->operations, e->peak, e->left(), e->isInMemory() ? ">" : "<=", e->latency, e->nodes,
            e->lowering, e->right(), e->isInMemory() ? "in the L3" : "not in the L3"));
    return said;
  }
  const ChipKernel *chip() const { return chip_ ? &*chip_ : nullptr; }
  /// Where the last path has it.
  void choose(int place) const { chosen_ = place; }

 private:
  Result<DeviceRun> onChip(const evaluate::RunMode &mode, kernel::DataSet *data) const;
  Result<DeviceRun> inArrays(kernel::DataSet &data, const evaluate::RunMode &mode) const;
  /// Where it runs from a state on, as a program of its own.
  Place placeOf(const ChipState &state, Cache *shared) const;
  /// Values, as a place computes them.
  Status compute(Place place, kernel::DataSet &data, const evaluate::RunMode &mode) const;
  /// `residency`: of the program's arrays; null: time alone.
  Result<DeviceRun> runWith(Residency *residency, evaluate::Observer *observer) const;
  /// For a warning: what, and why.
  std::string whatStreamsRan() const;

  GraphPart part_;
  const machine::Machine &machine_;
  Plan plan_;
  mapping::PlacedMapping placed_;
  std::optional<ChipKernel> chip_;        ///< of machines that are whole chips
  mutable std::atomic<int> chosen_ = -1;  ///< a Place; -1: no path has it yet
  program::Program program_{.target = "l3-sram", .images = {}, .processes = {}, .commands = {}};
};

/// Those of arrays, and of machines that are chips the others, too.
void setRunCounts(DeviceRun &run, const RunCounts &arrays, const ChipRun &chip, const machine::Machine &machine) {
  std::vector<std::int64_t> all;
  std::ranges::copy(arrays.row(), std::back_inserter(all));
  std::ranges::copy(chip.counts, std::back_inserter(all));
  evaluate::setCounts(run, countTable(), all, machine, 1);
  if (isChip(machine)) return;
  for (std::size_t row = kCounts; row < countTable().rows.size(); ++row)
    run.counts.erase(std::string(countTable().rows[row].name));
}

Result<DeviceRun> SramKernel::inArrays(kernel::DataSet &data, const evaluate::RunMode &mode) const {
  kernel::DataSet arrays;
  for (const int t : plan_.tensors) arrays.push_back(data[static_cast<std::size_t>(t)]);
  auto prepared = tdfg::prepare(plan_.program, plan_.values, std::move(arrays));
  if (!prepared) return prepared.diagnostics();
  Residency residency(machine_.sram->mode, mode.jobs, *prepared);
  Result<DeviceRun> run = runWith(&residency, mode.observer);
  if (run)
    for (std::size_t a = 0; a < plan_.tensors.size(); ++a)
      data[static_cast<std::size_t>(plan_.tensors[a])] = std::move((*prepared)[a]);
  return run;
}

Status SramKernel::compute(Place place, kernel::DataSet &data, const evaluate::RunMode &mode) const {
  const chip::ChipNest &nest = chip_->nest();
  if (place != Place::kInL3 && (nest.sumsInLanes || nest.sumsInThreads))
    return chip::runNest(nest, part_.first, chip_->threads(), data);
  if (place == Place::kInL3) {
    const Result<DeviceRun> run = inArrays(data, mode);
    return run ? okStatus() : Status(run.diagnostics());
  }
  kernel::DataSet arrays;
  for (const int t : plan_.tensors) arrays.push_back(data[static_cast<std::size_t>(t)]);
  tdfg::Program streams = plan_.program;
  for (tdfg::Region &region : streams.regions) leaveToStreams(region, region.reason);
  auto prepared = tdfg::prepare(streams, plan_.values, std::move(arrays));
  if (!prepared) return prepared.diagnostics();
  const Status status = tdfg::visitRegions(streams, plan_.values,
                                           [&](int region, const tdfg::Values &values, const std::vector<int> &names) {
                                             return tdfg::executeStreams(streams, region, values, names, *prepared);
                                           });
  if (!status) return status;
  for (std::size_t a = 0; a < plan_.tensors.size(); ++a)
    data[static_cast<std::size_t>(plan_.tensors[a])] = std::move((*prepared)[a]);
  return okStatus();
}

Place SramKernel::placeOf(const ChipState &state, Cache *shared) const {
  const auto steps = choosePath({&*chip_}, state, machine_, shared);
  return steps ? static_cast<Place>(steps->front().place) : chip_->places().front();
}

Result<DeviceRun> SramKernel::onChip(const evaluate::RunMode &mode, kernel::DataSet *data) const {
  ChipState idle = idleState(*part_.graph, machine_);
  auto *state = dynamic_cast<ChipState *>(mode.carried);
  if (state == nullptr) state = &idle;
  Cache own;
  Cache *shared = mode.shared != nullptr ? mode.shared : &own;
  const Place place = mode.place >= 0 ? static_cast<Place>(mode.place) : placeOf(*state, shared);
  const auto ran = chip_->run(place, *state, shared);
  if (!ran) return ran.diagnostics();
  DeviceRun run;
  std::int64_t kernel = 0;
  for (int s = 0; s < kSpents; ++s) {
    const std::int64_t cycles = ran->time.spent[static_cast<std::size_t>(s)];
    const SpentInfo &info = infoOf(static_cast<Spent>(s));
    if (info.part == evaluate::Part::kCompute) kernel = addSaturated(kernel, cycles);
    if (cycles > 0) run.phases.push_back({std::string(info.name), info.part, Cycles(cycles)});
  }
  run.cycles = run.cyclesSimulated = Cycles(kernel);
  setRunCounts(run, ran->arrays, ran->time, machine_);
  for (const auto &[key, count] :
       {std::pair("control", Count::kControl), std::pair("data", Count::kData), std::pair("offload", Count::kOffload),
        std::pair("inter_tile_noc", Count::kInterTile)})
    run.traffic.emplace(key, ran->time[count]);
  run.traffic.emplace("intra_tile_bits", ran->time[Count::kBitsInArrays]);
  run.traffic.emplace("inter_tile_bits", ran->time[Count::kBitsInBanks]);
  run.traffic.emplace("inter_tile_noc_bits", ran->time[Count::kBitsBetweenBanks]);
  if (ran->time.margin > 0) {
    const std::int64_t total = ran->time.cycles();
    run.interval = evaluate::Interval{0.99, Cycles(std::max<std::int64_t>(0, total - ran->time.margin)),
                                      Cycles(addSaturated(total, ran->time.margin))};
  }
  run.where = name(place);
  if (place == Place::kInL3 && ran->arrays.hasStreams)
    run.where += machine_.kernels->isNearL3 ? " and near it" : " and cores";
  if (place != Place::kInL3) run.order = chip::orderOf(chip_->nest(), chip_->threads());
  auto *timeline = dynamic_cast<SramTimeline *>(mode.observer);
  const auto draw = [&](std::initializer_list<Spent> phases) {
    for (const Spent s : phases)
      if (timeline != nullptr) timeline->phase(infoOf(s).name, Cycles(ran->time[s]));
  };
  draw({Spent::kMemory, Spent::kLowering});
  if (data != nullptr) {
    if (const Status s = compute(place, *data, mode); !s) return s.diagnostics();
  } else if (timeline != nullptr && place == Place::kInL3) {
    if (const auto drawn = runWith(nullptr, timeline); !drawn) return drawn.diagnostics();
  }
  draw({Spent::kMix, Spent::kFinalReduce, Spent::kNearL3, Spent::kCore});
  return run;
}

Result<DeviceRun> SramKernel::runWith(Residency *residency, evaluate::Observer *observer) const {
  DeviceRun run;
  lower::l3_sram::LoweringMemo memo;
  RunCounts counts;
  const Status status = runRounds(regionProgram(plan_, placed_.mapping, machine_), *machine_.sram, residency, memo,
                                  counts, dynamic_cast<SramTimeline *>(observer));
  if (!status) return status.diagnostics();
  run.cycles = run.cyclesSimulated = counts.time.total;
  setRunCounts(run, counts, {}, machine_);
  if (counts.hasStreams) run.warnings.push_back(whatStreamsRan());
  return run;
}

std::string SramKernel::whatStreamsRan() const {
  std::vector<std::string> reasons;
  const auto add = [&reasons](const std::string &reason) {
    if (!reason.empty() && std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  };
  bool isAll = true;
  for (const tdfg::Region &region : plan_.program.regions) {
    isAll &= region.nodes.empty();
    add(region.reason);
    for (const tdfg::Node &node : region.nodes) add(node.reason);
    for (const tdfg::Output &output : region.outputs) add(output.reason);
  }
  return fmt::format("{} '{}' ran on streams and cores, outside the cycles of the arrays{}{}",
                     isAll ? "all of" : "a part of", part_.kernel().name, reasons.empty() ? "" : ": ",
                     fmt::join(reasons, "; "));
}

/// An order is one tree for all outputs: it says nothing of lines that begin or end elsewhere from output to output.
std::string SramKernel::whyUnchecked() const {
  for (const tdfg::Region &region : plan_.program.regions)
    for (const tdfg::Node &node : region.nodes) {
      if (node.kind != tdfg::NodeKind::kReduce || !isFloat(node.type)) continue;
      if (node.combine != kernel::Combine::kAdd && node.combine != kernel::Combine::kMul) continue;
      const auto d = static_cast<std::size_t>(node.dim);
      const tdfg::Range &line = region.domain[d];
      const std::int64_t extent =
          plan_.dimOf[d] < 0 ? 1 : part_.kernel().dims[static_cast<std::size_t>(plan_.dimOf[d])].extent;
      const bool isWhole = line.lows.size() == 1 && line.highs.size() == 1 && line.lows[0].isConstant() &&
                           tdfg::minus(line.highs[0], line.lows[0]) == tdfg::constantForm(extent);
      if (!isWhole && tileOf(plan_, placed_.mapping, region.domain.size())[d] > 1)
        return "it sums parts of lines in tiles, in an order that the reference interpreter cannot follow";
    }
  return {};
}

/// Of reductions in tiles: within a tile the upper half onto the lower one, then tile after tile.
kernel::Order SramKernel::order() const {
  if (chip_) {
    if (chosen_ < 0) {  // alone, from an idle machine
      Cache cache;
      chosen_ = static_cast<int>(placeOf(idleState(*part_.graph, machine_), &cache));
    }
    if (static_cast<Place>(chosen_.load()) != Place::kInL3) return chip::orderOf(chip_->nest(), chip_->threads());
  }
  kernel::Order order;
  const kernel::Kernel &k = part_.kernel();
  std::int64_t tile = 1, low = 0;
  const Status status =
      forEachFirstRound(regionProgram(plan_, placed_.mapping, machine_), [&](const Round &round) -> Status {
        if (round.instance == nullptr) return okStatus();
        for (const tdfg::BoundNode &b : round.instance->nodes)
          if (b.node->kind == tdfg::NodeKind::kReduce) {
            const auto d = static_cast<std::size_t>(b.node->dim);
            tile = round.layout->tile[d];
            low = round.instance->nodes[static_cast<std::size_t>(b.node->args[0])].box[d].low;
          }
        return okStatus();
      });
  if (!status || tile == 1) return order;
  std::int64_t points = 1, inner = 1;
  kernel::OrderRegion region;
  for (const kernel::Dim &d : k.dims) {
    if (d.kind == kernel::DimKind::kReduction) {
      points *= d.extent;
      inner = d.extent;
    } else if (d.kind == kernel::DimKind::kParallel) {
      region.lower.push_back(0);
      region.upper.push_back(d.extent);
    }
  }
  const DType type = part_.graph->tensors[static_cast<std::size_t>(k.stores.front().target.tensor)].type;
  const auto tree = [&](const auto &self, std::int64_t row, std::int64_t first, std::int64_t step,
                        std::int64_t count) -> kernel::Accumulation {
    kernel::Accumulation a{type, {}, {}};
    if (count == 1) {
      if (first >= low && first < low + inner) a.terms.push_back({row + first - low, 1, 1});
      return a;
    }
    a.children.push_back(self(self, row, first, 2 * step, count / 2));
    a.children.push_back(self(self, row, first + step, 2 * step, count / 2));
    return a;
  };
  region.sum = {type, {}, {{type, {}, {}, true}}};
  for (std::int64_t row = 0; row < points; row += inner)
    for (std::int64_t start = low / tile * tile; start < low + inner; start += tile)
      region.sum.children.push_back(tree(tree, row, start, 1, tile));
  order.regions.push_back(std::move(region));
  return order;
}

evaluate::DerivationPtr SramKernel::explainCycles(const std::string &name, const DeviceRun &run,
                                                  evaluate::MachineNumbers & /*numbers*/,
                                                  std::int64_t /*mostCommands*/) const {
  const auto leaf = [&run](std::string what, std::string_view count, std::string note) {
    auto d = std::make_shared<evaluate::Derivation>();
    d->name = std::move(what);
    d->value = count.empty() ? run.cycles.value : run.counts.at(std::string(count));
    d->unit = "cycle";
    d->note = std::move(note);
    return d;
  };
  if (chip_) {
    auto all = leaf(name, {}, "on the chip: " + run.where);
    all->formula = evaluate::Derivation::kSum;
    for (const evaluate::CommandPhase &p : run.phases) {
      if (p.part != evaluate::Part::kCompute) continue;
      auto part = leaf(p.name, {}, "");
      part->value = p.cycles.value;
      all->parts.push_back({"", std::move(part)});
    }
    return all;
  }
  auto root = leaf(name, {}, "banks run their commands in order; each sync waits for the slowest one");
  root->formula = evaluate::Derivation::kSum;
  root->parts = {{"", leaf("compute", "compute_cycles", "commands that compute, in the slowest bank up to each sync")},
                 {"", leaf("shifts in arrays", "shift_cycles", "bits times bitlines, one hop each")},
                 {"", leaf("moves between arrays", "move_cycles", "levels of the H tree, one after the other")},
                 {"", leaf("syncs", "sync_cycles", "two crossings of the idle mesh each")}};
  return root;
}

Result<std::string> SramKernel::emit(std::string_view stage, const std::string &kernel, bool isFirst) const {
  if (stage != "commands") return Runnable::emit(stage, kernel, isFirst);
  std::string text = isFirst ? "" : "\n";
  text += fmt::format("# {}\n", kernel);
  const Status status =
      forEachFirstRound(regionProgram(plan_, placed_.mapping, machine_), [&](const Round &round) -> Status {
        const tdfg::Region &region = plan_.program.regions[static_cast<std::size_t>(round.region)];
        if (round.instance == nullptr) {
          text += fmt::format("# region {}: streams alone ({})\n", region.name, region.reason);
          return okStatus();
        }
        text += fmt::format("# region {}, tile {}x{}x{}{}\n", region.name, round.layout->tile[0], round.layout->tile[1],
                            round.layout->tile[2], region.rounds.empty() ? "" : ", first round");
        text += program::print(round.code->commands);
        return okStatus();
      });
  if (!status) return status.diagnostics();
  return text;
}

/// Tensors of a program lie in memory first.
Status checkMemory(const GraphPart &part, const machine::Machine &machine) {
  if (!isChip(machine)) return okStatus();
  std::int64_t bytes = 0;
  for (const kernel::Tensor &t : part.graph->tensors)
    bytes = addSaturated(bytes, multiplySaturated(t.elements(), sizeOf(t.type).value));
  if (bytes <= machine::memoryOf(machine).value) return okStatus();
  return error(DiagnosticKind::kCapacity, "capacity", part.kernel().where,
               fmt::format("the program's tensors have {} B, the memory of {} has {} B", bytes, machine.name,
                           machine::memoryOf(machine).value),
               "use smaller sizes, or more channels or rows (--set channels=...)");
}

class L3Sram final : public evaluate::Target {
 public:
  std::string_view family() const override { return "l3-sram"; }
  evaluate::SimulatedUnit unit() const override { return kUnit; }
  const evaluate::CountTable &counts() const override { return countTable(); }
  Status check(const machine::Machine &m) const override {
    using enum machine::LevelRole;
    return machine::checkFamily(m, {.hasSections = m.sram.has_value(),
                                    .sections = "'sram'",
                                    .levels = {{"array", kUnit, {}}, {"bitline", kLane, "sram.bitlines"}}});
  }
  std::vector<std::string> extensions() const override { return {"t0", "t1"}; }
  evaluate::Stages stages() const override { return {"commands", {"commands"}}; }
  Bytes capacity(const machine::Machine &machine) const override {
    if (isChip(machine)) return machine::memoryOf(machine);
    const machine::Sram &s = *machine.sram;
    return Bytes(s.arrays() * s.wordlines * s.bitlines / 8);
  }
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const evaluate::Tools & /*tools*/) const override {
    const Result<Plan> plan = graphsOf(part, machine);
    if (!plan) return plan.diagnostics();
    const auto tiles = tilesOf(part, *plan, machine, spec.mapping.parameters);
    if (!tiles) return tiles.diagnostics();
    return mappingIn(tiles->front(), part, *plan, machine, spec);
  }
  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec, const evaluate::Tools &tools) const override {
    if (!isChip(machine)) {
      Result<mapping::Mapping> m = reference(part, machine, spec, tools);
      if (!m) return {};
      return {std::move(*m)};
    }
    const Result<Plan> plan = graphsOf(part, machine);
    if (!plan) return {};
    const auto tiles = tilesOf(part, *plan, machine, spec.mapping.parameters);
    if (!tiles) return {};
    std::vector<mapping::Mapping> all;
    for (const Tile &tile : *tiles) all.push_back(mappingIn(tile, part, *plan, machine, spec));
    return all;
  }
  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view /*variant*/,
                                                          const evaluate::Tools & /*tools*/) const override {
    if (const Status s = checkMemory(part, machine); !s) return s.diagnostics();
    Result<mapping::PlacedMapping> placed = mapping::place(mapping, part.kernel(), machine);
    if (!placed) return placed.diagnostics();
    if (mapping.subspaces.size() != 1)
      return unsupported("unsupported-mapping", {}, "a lattice has one tile; this mapping has several subspaces",
                         "use one subspace");
    Result<Plan> plan = makePlan(part, machine, mapping);
    if (!plan) return plan.diagnostics();
    // What cannot be lowered shows in the first round; a chip then has other places.
    if (const Status s =
            forEachFirstRound(regionProgram(*plan, mapping, machine), [](const Round &) { return okStatus(); });
        !s) {
      const Diagnostic &first = s.diagnostics().front();
      const auto tiles = tilesOf(part, *plan, machine, {});
      const bool hasRoom = first.kind != DiagnosticKind::kCapacity && tiles && !tiles->front().empty();
      if (!isChip(machine) || hasRoom) return s.diagnostics();
      for (tdfg::Region &region : plan->program.regions)
        leaveToStreams(region, region.reason.empty() ? first.message : region.reason);
    }
    return std::unique_ptr<evaluate::CompiledPart>(
        std::make_unique<SramKernel>(part, machine, std::move(*plan), std::move(*placed)));
  }
  std::unique_ptr<evaluate::Carried> idle(const GraphPart &all, const machine::Machine &machine) const override {
    if (!isChip(machine)) return nullptr;
    return std::make_unique<ChipState>(idleState(*all.graph, machine));
  }
  Result<Together> together(std::span<const Member> members, std::span<const int> runs, const evaluate::Carried &idle,
                            const machine::Machine &machine, const evaluate::RunMode &mode,
                            const evaluate::Tools &tools) const override {
    return chooseTiles(
        members, runs, dynamic_cast<const ChipState &>(idle), machine, mode,
        {[&](const GraphPart &part, const mapping::Mapping &m) { return compile(part, m, machine, "plain", tools); },
         [](const evaluate::CompiledPart &part) {
           const auto *own = dynamic_cast<const SramKernel *>(&part);
           return own == nullptr ? nullptr : own->chip();
         }});
  }
  Result<std::vector<Step>> path(std::span<const evaluate::CompiledPart *const> runs, const evaluate::Carried &idle,
                                 const machine::Machine &machine, const evaluate::RunMode &mode) const override {
    std::vector<const ChipKernel *> kernels;
    for (const evaluate::CompiledPart *run : runs) {
      const auto *own = dynamic_cast<const SramKernel *>(run);
      kernels.push_back(own == nullptr ? nullptr : own->chip());
    }
    auto steps = choosePath(kernels, dynamic_cast<const ChipState &>(idle), machine, mode.shared);
    for (std::size_t r = 0; steps && r < runs.size(); ++r)
      if (const auto *own = dynamic_cast<const SramKernel *>(runs[r])) own->choose((*steps)[r].place);
    return steps;
  }
  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program & /*program*/,
                                                   const machine::Machine &machine,
                                                   const evaluate::ProgramRequest & /*request*/) const override {
    return unsupported(
        "unsupported-program", {},
        fmt::format("{} runs commands that are made when a kernel runs, no program from a file", machine.name),
        "give it a kernel");
  }
  Result<evaluate::TimelineMaker> timeline(const std::vector<const evaluate::Runnable *> & /*runs*/,
                                           const machine::Machine &machine) const override {
    return evaluate::TimelineMaker(
        [&machine](std::ostream &out, const evaluate::Breakdown &before) -> std::unique_ptr<evaluate::Timeline> {
          return std::make_unique<SramTimeline>(out, machine, before);
        });
  }
};

}  // namespace

const evaluate::Target &target() {
  static const L3Sram kTarget;
  return kTarget;
}

}  // namespace pimento::targets::l3_sram
