#include "pimento/targets/l3_sram/stretches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"
#include "pimento/sim/sram/controllers.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/l3_sram/loops_time.h"

namespace pimento::targets::l3_sram {

using lower::l3_sram::StreamWork;

namespace {

/// Wordlines that a region's arrays, values and scratch take.
std::vector<tdfg::Homes::Lines> linesOf(const tdfg::Schedule &schedule, const tdfg::Region &region,
                                        const tdfg::Program &program) {
  std::vector<tdfg::Homes::Lines> lines;
  for (std::size_t a = 0; a < schedule.residents.size(); ++a)
    if (schedule.residents[a] >= 0) lines.push_back({schedule.residents[a], bitsOf(program.arrays[a].type)});
  for (const tdfg::Step &step : schedule.steps) {
    if (step.node < 0) continue;
    const int bits = bitsOf(region.nodes[static_cast<std::size_t>(step.node)].type);
    if (step.wordline >= 0) lines.push_back({step.wordline, bits});
    if (step.scratch >= 0) lines.push_back({step.scratch, 2 * bits});
  }
  return lines;
}

/// Streams between commands are many, and short.
constexpr LoopsBudget kShort{64, 16};

class Finder {
 public:
  Finder(const Plan &plan, const machine::Machine &machine, bool isCoarse, Cache *shared)
      : plan_(plan), machine_(machine), isCoarse_(isCoarse), shared_(shared), times_(*machine.sram) {}

  Status addRound(const Round &round);
  Stretches take() { return std::move(found_); }

 private:
  ChipRun streams(const Round &round, const StreamWork &work) const;
  ChipRun copyOf(std::int64_t elements, std::int64_t stride, bool isIndirect, DType type, bool isRead) const;
  Result<ChipRun> commandsOf(const Round &round);

  const Plan &plan_;
  const machine::Machine &machine_;
  bool isCoarse_;
  Cache *shared_;
  RegionTimes times_;
  std::map<std::int64_t, sim::sram::Controllers> controllers_;  ///< by elements per bitline
  Stretches found_;
};

ChipRun Finder::streams(const Round &round, const StreamWork &work) const {
  const tdfg::Pattern *pattern = nullptr;
  DType type = DType::kF32;
  std::int64_t elements = 0;
  const auto ofNode = [&](int node) {
    const tdfg::BoundNode &b = round.instance->nodes[static_cast<std::size_t>(node)];
    type = b.node->type;
    elements = tdfg::elementsOf(b.box);
  };
  switch (work.kind) {
    case StreamWork::Kind::kLoad:
      ofNode(work.node);
      pattern = &round.instance->nodes[static_cast<std::size_t>(work.node)].node->pattern;
      break;
    case StreamWork::Kind::kStore: {
      const tdfg::BoundOutput &o = round.instance->outputs[static_cast<std::size_t>(work.output)];
      type = round.instance->nodes[static_cast<std::size_t>(o.output->node)].node->type;
      elements = tdfg::elementsOf(o.box);
      pattern = &o.output->pattern;
      break;
    }
    case StreamWork::Kind::kReduce: {
      ofNode(work.node);
      const tdfg::BoundNode &b = round.instance->nodes[static_cast<std::size_t>(work.node)];
      const auto d = static_cast<std::size_t>(b.node->dim);
      const std::int64_t line = round.instance->nodes[static_cast<std::size_t>(b.node->args[0])].box[d].count();
      elements = multiplySaturated(elements, ceilDiv(line, round.layout->tile[d]));
      break;
    }
    case StreamWork::Kind::kSpill:
    case StreamWork::Kind::kRefill:
      ofNode(work.node);
      break;
  }
  ChipRun out;
  if (elements == 0) return out;
  // Along lattice dim 0: the same element, the next one, others.
  std::int64_t stride = 1;
  bool isIndirect = false;
  if (pattern != nullptr && pattern->array >= 0) {
    isIndirect = pattern->indirectAt >= 0;
    const auto &index = pattern->index;
    stride = 0;
    std::int64_t rows = 1;
    const auto &shape = plan_.program.arrays[static_cast<std::size_t>(pattern->array)].shape;
    for (std::size_t i = index.size(); i-- > 0;) {
      if (!index[i].factors.empty()) stride += index[i].factors[0] * rows;
      if (i < shape.size() && shape[i].isConstant())
        rows = multiplySaturated(rows, std::max<std::int64_t>(1, tdfg::valueOf(shape[i], *round.values).value_or(1)));
    }
  }
  const bool isRead = work.kind != StreamWork::Kind::kStore && work.kind != StreamWork::Kind::kSpill;
  const auto of = [&](std::int64_t n) { return copyOf(n, stride, isIndirect, type, isRead); };
  ChipRun time;
  if (isCoarse_) {  // at powers of two, and lines between them
    const auto low = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(elements)));
    time = between(of(low), of(2 * low), static_cast<double>(elements - low) / static_cast<double>(low));
    time.margin = std::max(time.margin, time.cycles() / 10);
  } else {
    time = of(elements);
  }
  const Spent to = work.kind == StreamWork::Kind::kReduce ? Spent::kFinalReduce : Spent::kMix;
  const std::int64_t cycles = time.cycles();
  time.spent = {};
  time[to] = cycles;
  return time;
}

/// Streams that copy so many elements: one side lies `stride` elements apart outside, the other in arrays.
ChipRun Finder::copyOf(std::int64_t elements, std::int64_t stride, bool isIndirect, DType type, bool isRead) const {
  const std::string key =
      fmt::format("streams {} {} {} {} {}", isRead, elements, stride, isIndirect, static_cast<int>(type));
  return cached(shared_, key, [&] {
    kernel::Graph g;
    g.name = "streams";
    const std::int64_t apart = std::clamp<std::int64_t>(std::abs(stride), 0, 1 << 20);
    const std::int64_t most = std::max<std::int64_t>(1, multiplySaturated(std::max<std::int64_t>(1, apart), elements));
    kernel::Kernel k;
    k.name = "streams";
    k.dims = {{"x", elements, kernel::DimKind::kParallel}};
    g.tensors = {{"outside", type, {most}, isRead ? kernel::Role::kInput : kernel::Role::kOutput, false},
                 {"arrays", type, {elements}, isRead ? kernel::Role::kOutput : kernel::Role::kInput, false}};
    kernel::Access outside{0, {{{apart}, 0}}}, inside{1, {{{1}, 0}}};
    kernel::Value load;
    load.op = kernel::Op::kLoad;
    load.type = type;
    load.access = 0;
    k.loads = {isRead ? outside : inside};
    k.body = {load};
    kernel::Store store;
    store.target = isRead ? inside : outside;
    store.value = 0;
    k.stores = {store};
    if (isIndirect) {
      g.tensors.push_back({"index", DType::kI32, {elements}, kernel::Role::kInput, false});
      kernel::Access index{2, {{{1}, 0}}};
      k.loads.insert(k.loads.begin(), index);
      kernel::Value first = load;
      first.type = DType::kI32;
      k.body.insert(k.body.begin(), first);
      k.body[1].access = 1;
      kernel::Access &moved = isRead ? k.loads[1] : k.stores[0].target;
      moved.index = {{{0}, 0}};
      moved.indirectAt = 0;
      moved.indirectIndex = 0;
      k.stores[0].value = 1;
    }
    g.kernels = {k};
    const chip::Addresses addresses = chip::addressesOf(g);
    const chip::ChipNest nest = chip::chipNest(g, 0, machine_.kernels->vector);
    LoopsState there;
    there.isReserved = true;
    for (std::size_t t = 0; t < g.tensors.size(); ++t) there.present.emplace_back(addresses.first[t], addresses.end[t]);
    there.transposed = {{addresses.first[1], addresses.end[1]}};
    there.bytes = addresses.end.back() < INT64_MAX ? static_cast<std::int64_t>(addresses.pastAll()) : INT64_MAX;
    const Place place = machine_.kernels->isNearL3 ? Place::kNearL3 : Place::kCore;
    // One thread runs the program; streams are spread over the slices.
    const std::int64_t threads = place == Place::kNearL3 ? machine_.kernels->threads : 1;
    return timeOfLoops(nest, addresses, machine_, place, threads, there, kShort);
  });
}

/// On the controllers and the mesh. Of very many rounds the first one's barriers stand for all.
Result<ChipRun> Finder::commandsOf(const Round &round) {
  const auto onMesh = [&]() -> Result<ChipRun> {
    const auto numbers = sim::sram::Controllers::Numbers::of(*machine_.sram->control, 0);
    auto &controllers =
        controllers_
            .try_emplace(round.layout->perBitline, *machine_.sram, *machine_.noc, numbers, round.layout->perBitline)
            .first->second;
    const auto time = controllers.run(round.code->commands);
    if (!time) return time.diagnostics();
    ChipRun out;
    out[Spent::kCompute] = time->compute.value;
    out[Spent::kMove] = time->total.value - time->compute.value;
    for (std::size_t k = 0; k < sim::noc::kTraffics; ++k)
      out.counts[static_cast<std::size_t>(Count::kControl) + k] = time->flitHops[k];
    out[Count::kBitsInArrays] = time->bitsInArrays;
    out[Count::kBitsInBanks] = time->bitsInBanks;
    out[Count::kBitsBetweenBanks] = time->bitsBetweenBanks;
    return out;
  };
  if (!isCoarse_) return onMesh();
  const auto alone = times_.of(round);
  if (!alone) return alone.diagnostics();
  const std::int64_t syncs = std::max<std::int64_t>(1, alone->syncs);
  Diagnostics found;
  const ChipRun barrier = cached(shared_, "barrier " + plan_.program.name, [&] {
    const auto first = onMesh();
    if (!first) found = first.diagnostics();
    ChipRun one;
    if (!first) return one;
    one[Spent::kMove] = std::max<std::int64_t>(0, first->cycles() - alone->total.value) / syncs;
    for (const Count c : {Count::kControl, Count::kOffload}) one[c] = (*first)[c] / syncs;
    one[Count::kInterTile] = (*first)[Count::kInterTile] / std::max<std::int64_t>(1, alone->packets);
    return one;
  });
  if (!found.empty()) return found;
  ChipRun out;
  out[Spent::kCompute] = alone->compute.value;
  out[Spent::kMove] = alone->total.value - alone->compute.value + syncs * barrier[Spent::kMove];
  for (const Count c : {Count::kControl, Count::kOffload}) out[c] = syncs * barrier[c];
  out[Count::kInterTile] = alone->packets * barrier[Count::kInterTile];
  out.margin = out.cycles() / 20;
  return out;
}

/// What a round needs, leaves and takes; added to the last one where they are alike.
Status Finder::addRound(const Round &round) {
  const auto r = static_cast<std::size_t>(round.region);
  if (round.instance == nullptr) {
    found_.list.emplace_back().isStreams = true;
    found_.arrays.hasStreams = true;
    return okStatus();
  }
  const tdfg::Schedule &schedule = plan_.schedules[r];
  const tdfg::Region &region = plan_.program.regions[r];
  const auto tensorOf = [&](std::size_t array) {
    return static_cast<std::size_t>(plan_.tensors[static_cast<std::size_t>((*round.names)[array])]);
  };
  if (Status s = found_.arrays.add(round, plan_.program, schedule, times_); !s) return s;
  Stretch stretch;
  stretch.lowering = round.lowering;
  stretch.commands = static_cast<std::int64_t>(round.code->commands.list.size());
  stretch.layout = *round.layout;
  stretch.lines = linesOf(schedule, region, plan_.program);
  for (std::size_t a = 0; a < schedule.residents.size(); ++a)
    if (schedule.residents[a] >= 0)
      stretch.arrays.push_back(
          {tensorOf(a), schedule.residents[a], region.hints.empty() || !region.hints[a].needsNoFetch});
  for (const tdfg::BoundOutput &o : round.instance->outputs)
    stretch.written.push_back(tensorOf(static_cast<std::size_t>(o.output->array)));
  const auto commands = commandsOf(round);
  if (!commands) return commands.diagnostics();
  stretch.time.add(*commands);
  for (const StreamWork &work : round.code->streams) stretch.time.add(streams(round, work));
  Stretch *last = found_.list.empty() ? nullptr : &found_.list.back();
  if (last != nullptr && last->lowering == stretch.lowering && !last->isStreams && last->written == stretch.written &&
      last->arrays == stretch.arrays) {
    last->time.add(stretch.time);
  } else {
    found_.list.push_back(std::move(stretch));
  }
  return okStatus();
}

}  // namespace

Result<Stretches> stretchesOf(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine,
                              bool isCoarse, Cache *shared) {
  Finder finder(plan, machine, isCoarse, shared);
  lower::l3_sram::LoweringMemo memo;
  const Status status = forEachRound(regionProgram(plan, mapping, machine), nullptr, memo,
                                     [&](const Round &round) { return finder.addRound(round); });
  if (!status) return status.diagnostics();
  Stretches found = finder.take();
  found.arrays.lowered = memo.lowered();
  found.arrays.reused = memo.reused();
  return found;
}

}  // namespace pimento::targets::l3_sram
