#include "pimento/targets/l3_sram/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/sim/sram/transposer.h"
#include "pimento/sim/stream/engine.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::targets::l3_sram {

using lower::l3_sram::Layout;
using lower::l3_sram::StreamWork;
using At = TensorState::At;

namespace {

constexpr std::int64_t kPage = 4096;
/// Lines that a transposition is simulated with before it is sampled.
constexpr std::int64_t kTransposedLines = 1 << 14;
/// Factor between the sizes at which loops of programs of very many kernels are timed.
constexpr int kGridBits = 2;

/// Memory's bytes per cycle of the chip, at its peak.
double memoryBytesPerCycle(const machine::Machine &machine) {
  const machine::Organization &o = machine.dram->organization;
  const auto clock = machine.clocks.find("memory");
  const double ghz = clock == machine.clocks.end() ? machine.clockGHz : clock->second;
  const auto cycles = machine.numbers.find("timing.nBL");
  const double burst = cycles == machine.numbers.end() ? 1 : cycles->second.canonical;
  return static_cast<double>(o.channels * o.burst.value) / burst * ghz / machine.clockGHz;
}

ChipRun between(const ChipRun &a, const ChipRun &b, double share) {
  ChipRun out;
  const auto line = [share](std::int64_t x, std::int64_t y) {
    return std::max<std::int64_t>(0, std::llround(static_cast<double>(x) + static_cast<double>(y - x) * share));
  };
  for (std::size_t i = 0; i < out.spent.size(); ++i) out.spent[i] = line(a.spent[i], b.spent[i]);
  for (std::size_t i = 0; i < out.counts.size(); ++i) out.counts[i] = line(a.counts[i], b.counts[i]);
  out.margin = line(a.margin, b.margin);
  return out;
}

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

template <typename Make>
ChipRun cached(Cache *shared, const std::string &key, const Make &make) {
  if (shared == nullptr) return make();
  return *shared->get<ChipRun>(key, sizeof(ChipRun), make);
}

}  // namespace

bool isChip(const machine::Machine &machine) {
  return machine.kernels && machine.core && machine.sharedCache && machine.noc && machine.dram && machine.sram &&
         machine.sram->control;
}

ChipKernel::ChipKernel(const evaluate::GraphPart &part, const machine::Machine &machine, const Plan &plan,
                       const mapping::Mapping &mapping)
    : part_(part),
      machine_(machine),
      plan_(plan),
      mapping_(mapping),
      addresses_(chip::addressesOf(*part.graph, Bytes(kPage))),
      nest_(chip::chipNest(*part.graph, part.first, machine.kernels->vector)),
      mappingText_(mapping::print(mapping)) {}

std::int64_t ChipKernel::threads() const {
  return machine_.kernels->threads;
}

std::vector<Place> ChipKernel::places() const {
  const bool hasGraph =
      std::ranges::any_of(plan_.program.regions, [](const tdfg::Region &r) { return !r.nodes.empty(); });
  // What one region needs at a time the table must hold.
  const bool fits = std::ranges::all_of(plan_.schedules, [&](const tdfg::Schedule &s) {
    return std::ranges::count_if(s.residents, [](int row) { return row >= 0; }) <= machine_.sram->regions;
  });
  std::vector<Place> places;
  if (machine_.kernels->isInL3 && hasGraph && fits) places.push_back(Place::kInL3);
  if (machine_.kernels->isNearL3) places.push_back(Place::kNearL3);
  if (machine_.kernels->isOnCores || places.empty()) places.push_back(Place::kCore);
  return places;
}

std::int64_t ChipKernel::bytesOf(std::size_t tensor) const {
  const kernel::Tensor &t = part_.graph->tensors[tensor];
  return multiplySaturated(t.elements(), sizeOf(t.type).value);
}

std::map<int, ChipKernel::Touched> ChipKernel::touched() const {
  const kernel::Kernel &k = part_.kernel();
  const std::int64_t line = machine_.sharedCache->line.value;
  std::map<int, Touched> out;
  const auto add = [&](const kernel::Access &a, bool isRead, bool isWritten) {
    const kernel::Tensor &t = part_.graph->tensors[static_cast<std::size_t>(a.tensor)];
    const std::int64_t size = sizeOf(t.type).value;
    std::int64_t elements = 1;
    for (const kernel::Affine &index : a.index) {
      std::int64_t span = 1;
      for (std::size_t d = 0; d < k.dims.size(); ++d)
        span = addSaturated(span, multiplySaturated(std::abs(index.coefficients[d]), k.dims[d].extent - 1));
      elements = multiplySaturated(elements, span);
    }
    if (a.isIndirect()) elements = t.elements();
    elements = std::min(elements, t.elements());
    Touched &at = out[a.tensor];
    if (isRead) at.read = std::min(bytesOf(static_cast<std::size_t>(a.tensor)), std::max(at.read, elements * size));
    if (isWritten) at.written = std::max(at.written, elements * size);
    const auto d = static_cast<std::size_t>(nest_.order.empty() ? 0 : nest_.order.back());
    const std::int64_t along = k.dims.empty() ? 0 : kernel::linearize(a, t, k.dims.size()).coefficients[d] * size;
    const std::int64_t perLine = along == size ? std::max<std::int64_t>(1, line / size) : 1;
    at.accesses = addSaturated(at.accesses, std::max(ceilDiv(elements * size, line), k.points() / perLine / 16));
  };
  for (const kernel::Access &a : k.loads) add(a, true, false);
  for (const kernel::Store &s : k.stores) add(s.target, s.combine != kernel::Combine::kAssign, true);
  return out;
}

LoopsState ChipKernel::stateOf(const ChipState &state, const std::map<int, Touched> &touched) const {
  LoopsState out;
  out.isReserved = state.isReserved;
  const std::int64_t line = machine_.sharedCache->line.value;
  for (const auto &[tensor, use] : touched) {
    const auto t = static_cast<std::size_t>(tensor);
    out.bytes = addSaturated(out.bytes, std::max(use.read, use.written));
    switch (state.tensors[t].at) {
      case At::kL3:
        out.present.emplace_back(addresses_.first[t], addresses_.end[t]);
        break;
      case At::kArrays:
        out.present.emplace_back(addresses_.first[t], addresses_.end[t]);
        out.transposed.emplace_back(addresses_.first[t], addresses_.end[t]);
        break;
      case At::kMemory:
        out.coldLines = addSaturated(out.coldLines, ceilDiv(std::max(use.read, use.written), line));
        break;
    }
  }
  return out;
}

// --- Where tensors go

/// The least recently used tensors leave the L3 until the others have room.
void ChipKernel::makeRoom(ChipState &state, ChipRun &time) const {
  const sim::uncore::Slices slices = sim::uncore::Slices::of(machine_);
  std::int64_t capacity = slices.size.value * machine_.noc->nodes();
  if (state.isReserved) {
    const std::int64_t all = machine_.sram->control->allWays;
    capacity = capacity / all * (all - machine_.sram->ways);
  }
  const std::vector<std::size_t> order = state.inL3();
  std::int64_t held = 0;
  for (const std::size_t t : order) held = addSaturated(held, bytesOf(t));
  for (const std::size_t t : order) {
    if (held <= capacity) break;
    held -= bytesOf(t);
    if (state.tensors[t].isDirty) {
      const std::int64_t lines = ceilDiv(bytesOf(t), slices.line.value);
      time[Count::kMemoryWrites] += lines;
      time[Spent::kMemory] +=
          static_cast<std::int64_t>(std::ceil(static_cast<double>(bytesOf(t)) / memoryBytesPerCycle(machine_)));
    }
    state.tensors[t] = {};
  }
}

void ChipKernel::keepInL3(int tensor, bool isWritten, ChipState &state) const {
  TensorState &t = state.tensors[static_cast<std::size_t>(tensor)];
  t.used = state.turn;
  t.isDirty |= isWritten;
  if (t.at == At::kMemory) t.at = At::kL3;
}

void ChipKernel::reserve(ChipState &state, ChipRun &time) const {
  if (state.isReserved) return;
  state.isReserved = true;
  // A message to every slice, and its answer.
  const machine::Noc &noc = *machine_.noc;
  time[Spent::kMemory] += 2 * (noc.columns + noc.rows - 2) * (noc.router + noc.link).value;
  makeRoom(state, time);
}

/// A region into arrays, or out of them, line by line.
ChipRun ChipKernel::transposition(const TensorState &place, std::size_t tensor, bool isOut, bool isInL3,
                                  Cache *shared) const {
  const kernel::Tensor &t = part_.graph->tensors[tensor];
  const auto size = static_cast<int>(sizeOf(t.type).value);
  const std::int64_t line = machine_.sharedCache->line.value;
  const std::int64_t lines = std::max<std::int64_t>(1, ceilDiv(bytesOf(tensor), line));
  sim::sram::LayoutTable::Region region;
  region.elementBytes = size;
  for (std::size_t d = 0; d < t.shape.size() && d < 3; ++d) region.size[d] = t.shape[t.shape.size() - 1 - d];
  for (std::size_t d = 0; d < 3; ++d) region.tile[d] = place.layout.tile[d];
  std::string key = fmt::format("transpose {}{}{}", isOut, isInL3, size);
  for (std::size_t d = 0; d < 3; ++d) key += fmt::format(" {}/{}", region.size[d], region.tile[d]);
  return cached(shared, key, [&] {
    const auto of = [&](sim::sram::LayoutTable::Region r) -> std::optional<ChipRun> {
      std::int64_t elements = 1;
      for (const std::int64_t s : r.size) elements *= s;
      r.base = 0;
      r.end = static_cast<std::uint64_t>(ceilDiv(elements * size, line) * line);
      if (static_cast<std::int64_t>(r.end) != elements * size) return std::nullopt;
      sim::sram::LayoutTable table(*machine_.sram, sim::sram::LayoutTable::Release::of(*machine_.sram->control));
      const Result<int> number = table.add(r);
      if (!number) return std::nullopt;
      sim::sram::Transposer transposer(machine_, sim::uncore::Slices::of(machine_),
                                       {0, machine_.sram->control->outstanding});
      if (isInL3) transposer.chip().declare(r.base, r.end);
      sim::sram::TransposeTime time = transposer.fetch(table, *number, 0);
      ChipRun out;
      const auto counts = [&](std::int64_t sign) {
        const auto &chip = transposer.chip();
        out[Count::kL3Reads] += sign * chip.counts().reads;
        out[Count::kL3Misses] += sign * chip.counts().misses;
        out[Count::kMemoryReads] += sign * chip.memory().reads;
        out[Count::kMemoryWrites] += sign * chip.memory().writes;
        out[Count::kActivates] += sign * chip.memory().activates;
        for (int k = 0; k < sim::noc::kTraffics; ++k)
          out.counts[static_cast<std::size_t>(Count::kControl) + static_cast<std::size_t>(k)] +=
              sign * chip.network().flitHops(static_cast<sim::noc::Traffic>(k));
      };
      if (isOut) {
        counts(-1);
        time = transposer.release(table, *number, time.cycles);
      }
      counts(1);
      out[Spent::kMemory] = time.cycles;
      out[Count::kTransposed] = time.transposed;
      return out;
    };
    // The outermost dim that has several tiles is cut short.
    std::size_t cut = 2;
    while (cut > 0 && region.size[cut] < 2) --cut;
    // A part of the region with about half of the lines that may be simulated, in whole tiles.
    const double each = static_cast<double>(lines) / static_cast<double>(region.size[cut]);
    std::optional<ChipRun> all;
    if (lines <= kTransposedLines) {
      all = of(region);
    } else {
      sim::sram::LayoutTable::Region half = region, quarter = region;
      const std::int64_t unit = std::max<std::int64_t>(region.tile[cut], 16);
      const auto wanted = static_cast<std::int64_t>(static_cast<double>(kTransposedLines / 2) / each);
      const std::int64_t few =
          std::clamp<std::int64_t>(wanted / unit, 1, std::max<std::int64_t>(1, region.size[cut] / unit / 2)) * unit;
      half.size[cut] = std::min(region.size[cut], 2 * few);
      quarter.size[cut] = std::min(region.size[cut], few);
      const auto a = of(quarter), b = of(half);
      if (a && b && half.size[cut] > quarter.size[cut])
        all = between(*a, *b,
                      static_cast<double>(region.size[cut] - quarter.size[cut]) /
                          static_cast<double>(half.size[cut] - quarter.size[cut]));
      if (all && half.size[cut] < region.size[cut]) all->margin = all->cycles() / 20;
    }
    if (all) return *all;
    // What the table cannot have (elements that share bitlines, lines with a rest): the slower of memory and units.
    ChipRun out;
    const double units =
        static_cast<double>(lines * size * 8) / static_cast<double>(machine_.sram->banks() * machine_.sram->ways);
    const double memory = isInL3 && !isOut ? 0 : static_cast<double>(lines * line) / memoryBytesPerCycle(machine_);
    out[Spent::kMemory] = static_cast<std::int64_t>(std::ceil(std::max(units, memory)));
    (isOut ? out[Count::kMemoryWrites] : out[Count::kMemoryReads]) += isInL3 && !isOut ? 0 : lines;
    out[Count::kTransposed] = lines;
    return out;
  });
}

void ChipKernel::release(std::size_t tensor, ChipState &state, ChipRun &time, Cache *shared) const {
  TensorState &t = state.tensors[tensor];
  if (t.isDirty) time.add(transposition(t, tensor, true, false, shared));
  t = {};
  if (!state.hasArrays()) state.isReserved = false;
}

// --- Loops on cores, or near the L3

ChipRun ChipKernel::loopsAt(Place place, const ChipState &state, Cache *shared, const LoopsBudget &budget) const {
  const std::map<int, Touched> use = touched();
  std::string key = fmt::format("loops {} {} {}", part_.first, static_cast<int>(place), state.isReserved);
  for (const auto &[tensor, u] : use)
    key += static_cast<char>('0' + static_cast<int>(state.tensors[static_cast<std::size_t>(tensor)].at));
  return cached(shared, key, [&] {
    if (state.isCoarse) return onGrid(place, state, shared, budget);
    return timeOfLoops(nest_, addresses_, machine_, place, threads(), stateOf(state, use), budget);
  });
}

/// At the sizes of a grid around its own, and lines between them.
ChipRun ChipKernel::onGrid(Place place, const ChipState &state, Cache *shared, const LoopsBudget &budget) const {
  const std::map<int, Touched> use = touched();
  const kernel::Kernel &k = part_.kernel();
  std::string form = fmt::format("grid {} {} {}", static_cast<int>(place), state.isReserved, k.body.size());
  for (const kernel::Value &v : k.body) form += fmt::format(",{}", static_cast<int>(v.op));
  for (const auto &[tensor, u] : use)
    form += fmt::format(" {}:{}", tensor, static_cast<int>(state.tensors[static_cast<std::size_t>(tensor)].at));
  const auto at = [&](int up) {
    kernel::Graph graph;
    graph.tensors = part_.graph->tensors;
    graph.kernels = {k};
    std::string key = form;
    for (kernel::Dim &d : graph.kernels.front().dims) {
      const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(1, d.extent));
      const int step = (static_cast<int>(std::bit_width(extent)) - 1) / kGridBits * kGridBits;
      const bool isExact = extent == 1;
      d.extent = std::int64_t{1} << (isExact ? 0 : step + (up != 0 ? kGridBits : 0));
      key += fmt::format(" {}", d.extent);
    }
    const ChipRun run = cached(shared, key, [&] {
      const chip::ChipNest nest = chip::chipNest(graph, 0, machine_.kernels->vector);
      ChipKernel other(*this);
      other.part_ = {&graph, 0, 1};
      other.nest_ = nest;
      const LoopsState there = other.stateOf(state, other.touched());
      return timeOfLoops(nest, addresses_, machine_, place, threads(), there, {budget.core / 4, budget.stream / 4});
    });
    return std::pair(run, static_cast<double>(graph.kernels.front().points()));
  };
  const auto [low, few] = at(0);
  const auto [high, many] = at(1);
  if (many <= few) return low;
  ChipRun out = between(low, high, (static_cast<double>(k.points()) - few) / (many - few));
  out.margin = std::max(out.margin, out.cycles() / 10);
  return out;
}

Result<ChipKernel::Ran> ChipKernel::onLoops(Place place, ChipState &state, Cache *shared,
                                            const LoopsBudget &budget) const {
  Ran ran;
  ++state.turn;
  const std::map<int, Touched> use = touched();
  // Who is asked for too often goes back first.
  for (const auto &[tensor, u] : use)
    if (state.tensors[static_cast<std::size_t>(tensor)].at == At::kArrays &&
        u.accesses > machine_.sram->control->releaseRequests)
      release(static_cast<std::size_t>(tensor), state, ran.time, shared);
  ran.time.add(loopsAt(place, state, shared, budget));
  for (const auto &[tensor, u] : use) keepInL3(tensor, u.written > 0, state);
  makeRoom(state, ran.time);
  return ran;
}

// --- In the arrays

void ChipKernel::bring(const Stretch &stretch, ChipState &state, ChipRun &time, Cache *shared) const {
  const auto wanted = [&](std::size_t tensor) {
    return std::ranges::find(stretch.arrays, tensor, &Stretch::Array::tensor);
  };
  // Arrays of another layout, or whose wordlines this region needs, go.
  for (std::size_t t = 0; t < state.tensors.size(); ++t) {
    const TensorState &s = state.tensors[t];
    if (s.at != At::kArrays) continue;
    const auto at = wanted(t);
    const int end = s.row + bitsOf(part_.graph->tensors[t].type);
    const bool isApart = std::ranges::none_of(
        stretch.lines, [&](const tdfg::Homes::Lines &l) { return l.first < end && s.row < l.first + l.count; });
    const bool stays = s.layout == stretch.layout && (at != stretch.arrays.end() ? at->row == s.row : isApart);
    if (!stays) release(t, state, time, shared);
  }
  reserve(state, time);
  std::int64_t held = 0;
  for (const TensorState &s : state.tensors) held += s.at == At::kArrays ? 1 : 0;
  for (const Stretch::Array &a : stretch.arrays) {
    TensorState &s = state.tensors[a.tensor];
    s.used = state.turn;
    if (s.at == At::kArrays) continue;
    // The table is full: the least recently used one that this region does not need.
    if (held >= machine_.sram->regions) {
      std::size_t oldest = state.tensors.size();
      for (std::size_t o = 0; o < state.tensors.size(); ++o)
        if (state.tensors[o].at == At::kArrays && wanted(o) == stretch.arrays.end() &&
            (oldest == state.tensors.size() || state.tensors[o].used < state.tensors[oldest].used))
          oldest = o;
      if (oldest < state.tensors.size()) release(oldest, state, time, shared), --held;
    }
    const bool isInL3 = s.at == At::kL3, wasDirty = s.isDirty;
    s = {At::kArrays, isInL3 && wasDirty && a.needsFetch, state.turn, stretch.layout, a.row};
    ++held;
    if (a.needsFetch) time.add(transposition(s, a.tensor, false, isInL3, shared));
  }
}

ChipRun ChipKernel::streams(const Round &round, const StreamWork &work, bool isCoarse, Cache *shared,
                            const LoopsBudget &budget) const {
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
  const auto of = [&](std::int64_t elements) {
    return copyOf(elements, stride, isIndirect, type,
                  work.kind != StreamWork::Kind::kStore && work.kind != StreamWork::Kind::kSpill, shared, budget);
  };
  ChipRun time;
  if (isCoarse) {  // at powers of two, and lines between them
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
ChipRun ChipKernel::copyOf(std::int64_t elements, std::int64_t stride, bool isIndirect, DType type, bool isRead,
                           Cache *shared, const LoopsBudget &budget) const {
  const std::string key =
      fmt::format("streams {} {} {} {} {}", isRead, elements, stride, isIndirect, static_cast<int>(type));
  return cached(shared, key, [&] {
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
    const chip::Addresses addresses = chip::addressesOf(g, Bytes(kPage));
    const chip::ChipNest nest = chip::chipNest(g, 0, machine_.kernels->vector);
    LoopsState there;
    there.isReserved = true;
    for (std::size_t t = 0; t < g.tensors.size(); ++t) there.present.emplace_back(addresses.first[t], addresses.end[t]);
    there.transposed = {{addresses.first[1], addresses.end[1]}};
    there.bytes = addresses.end.back() < INT64_MAX ? static_cast<std::int64_t>(addresses.pastAll()) : INT64_MAX;
    const Place place = machine_.kernels->isNearL3 ? Place::kNearL3 : Place::kCore;
    // One thread runs the program; streams are spread over the slices.
    const std::int64_t threads = place == Place::kNearL3 ? machine_.kernels->threads : 1;
    return timeOfLoops(nest, addresses, machine_, place, threads, there, {budget.core, budget.stream / 4});
  });
}

/// On the controllers and the mesh. Of very many kernels the first one's barriers stand for all.
Result<ChipRun> ChipKernel::commandsOf(const Round &round, Clocks &clocks, Cache *shared) const {
  const auto onMesh = [&]() -> Result<ChipRun> {
    const auto numbers = sim::sram::Controllers::Numbers::of(*machine_.sram->control, 0);
    auto &controllers =
        clocks.controllers
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
  if (!clocks.isCoarse) return onMesh();
  const auto alone = clocks.times.of(round);
  if (!alone) return alone.diagnostics();
  const std::int64_t syncs = std::max<std::int64_t>(1, alone->syncs);
  Diagnostics found;
  const ChipRun barrier = cached(shared, "barrier", [&] {
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
Status ChipKernel::addRound(const Round &round, Stretches &to, Clocks &clocks, Cache *shared,
                            const LoopsBudget &budget) const {
  const auto r = static_cast<std::size_t>(round.region);
  if (round.instance == nullptr) {
    to.list.emplace_back().isStreams = true;
    to.arrays.hasStreams = true;
    return okStatus();
  }
  const tdfg::Schedule &schedule = plan_.schedules[r];
  const tdfg::Region &region = plan_.program.regions[r];
  const auto tensorOf = [&](std::size_t array) {
    return static_cast<std::size_t>(plan_.tensors[static_cast<std::size_t>((*round.names)[array])]);
  };
  if (Status s = to.arrays.add(round, plan_.program, schedule, clocks.times); !s) return s;
  Stretch stretch;
  stretch.rounds = 1;
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
  const auto commands = commandsOf(round, clocks, shared);
  if (!commands) return commands.diagnostics();
  stretch.time.add(*commands);
  for (const StreamWork &work : round.code->streams)
    stretch.time.add(streams(round, work, clocks.isCoarse, shared, budget));
  Stretch *last = to.list.empty() ? nullptr : &to.list.back();
  const auto same = [](const Stretch::Array &a, const Stretch::Array &b) {
    return a.tensor == b.tensor && a.row == b.row;
  };
  if (last != nullptr && last->lowering == stretch.lowering && !last->isStreams && last->written == stretch.written &&
      std::ranges::equal(last->arrays, stretch.arrays, same)) {
    ++last->rounds;
    last->time.add(stretch.time);
  } else {
    to.list.push_back(std::move(stretch));
  }
  return okStatus();
}

Result<const ChipKernel::Stretches *> ChipKernel::stretches(bool isCoarse, Cache *shared,
                                                            const LoopsBudget &budget) const {
  if (stretches_ != nullptr) return stretches_.get();
  auto all = std::make_shared<Stretches>();
  lower::l3_sram::LoweringMemo memo;
  Clocks clocks{RegionTimes(*machine_.sram), {}, isCoarse};
  const Status status = forEachRound(regionProgram(plan_, mapping_, machine_), nullptr, memo,
                                     [&](const Round &r) { return addRound(r, *all, clocks, shared, budget); });
  if (!status) return status.diagnostics();
  all->arrays.lowered = memo.lowered();
  all->arrays.reused = memo.reused();
  stretches_ = std::move(all);
  return stretches_.get();
}

Result<ChipKernel::Ran> ChipKernel::inArrays(ChipState &state, Cache *shared, const LoopsBudget &budget) const {
  const auto all = stretches(state.isCoarse, shared, budget);
  if (!all) return all.diagnostics();
  Ran ran;
  ran.arrays = (*all)->arrays;
  ++state.turn;
  const machine::Sram::Control &control = *machine_.sram->control;
  for (const Stretch &stretch : (*all)->list) {
    if (stretch.isStreams) {
      const Place place = machine_.kernels->isNearL3 ? Place::kNearL3 : Place::kCore;
      ran.time.add(loopsAt(place, state, shared, budget));
      for (const auto &[tensor, u] : touched()) keepInL3(tensor, u.written > 0, state);
      makeRoom(state, ran.time);
      continue;
    }
    const std::int64_t before = ran.time[Spent::kMemory];
    bring(stretch, state, ran.time, shared);
    const std::int64_t fetch = ran.time[Spent::kMemory] - before;
    // Lowering, unless these commands were lowered before; what it takes beyond the fetch where they overlap. Of very
    // many kernels hardly one runs twice.
    if (state.isCoarse)
      ran.time[Spent::kLowering] += control.preparation(stretch.commands, Cycles(fetch)).value - fetch;
    else if (state.commands.emplace(part_.first, stretch.lowering).second) {
      state.lowered ^= (static_cast<std::uint64_t>(part_.first) * 0x9E3779B97F4A7C15ULL) ^
                       (static_cast<std::uint64_t>(stretch.lowering + 1) * 0xBF58476D1CE4E5B9ULL);
      ran.time[Spent::kLowering] += control.preparation(stretch.commands, Cycles(fetch)).value - fetch;
    }
    ran.time.add(stretch.time);
    for (const std::size_t t : stretch.written) {
      if (state.tensors[t].at == At::kMemory) keepInL3(static_cast<int>(t), true, state);
      state.tensors[t].isDirty = true;
      state.tensors[t].used = state.turn;
    }
    makeRoom(state, ran.time);
  }
  return ran;
}

Result<ChipKernel::Ran> ChipKernel::run(Place place, ChipState &state, Cache *shared, const LoopsBudget &budget) const {
  return place == Place::kInL3 ? inArrays(state, shared, budget) : onLoops(place, state, shared, budget);
}

Result<ChipKernel::Equation2> ChipKernel::equation2() const {
  Equation2 e;
  const kernel::Kernel &k = part_.kernel();
  for (const kernel::Store &s : k.stores) {
    double elements = 1;
    for (const std::int64_t n : part_.graph->tensors[static_cast<std::size_t>(s.target.tensor)].shape)
      elements *= static_cast<double>(n);
    e.elements = std::max(e.elements, elements);
  }
  const machine::ChipKernels &kernels = *machine_.kernels;
  e.peak = static_cast<double>(kernels.threads * std::max<std::int64_t>(1, kernels.vector.value / 4));
  const machine::Sram::Control &control = *machine_.sram->control;
  e.lowering = control.loweringToBanks * (control.hasBankFilter ? 0 : 1) + control.loweringPerCommand;
  lower::l3_sram::LoweringMemo memo;
  RegionTimes times(*machine_.sram);
  const Status status =
      forEachRound(regionProgram(plan_, mapping_, machine_), nullptr, memo, [&](const Round &r) -> Status {
        if (r.instance == nullptr) return okStatus();
        const auto time = times.of(r);
        if (!time) return time.diagnostics();
        e.latency += static_cast<double>(time->compute.value);
        for (const tdfg::BoundNode &b : r.instance->nodes) {
          const bool isOperation = b.node->kind == tdfg::NodeKind::kCmp || b.node->kind == tdfg::NodeKind::kReduce;
          e.operations += isOperation ? 1 : 0;
        }
        return okStatus();
      });
  if (!status) return status.diagnostics();
  for (const tdfg::Region &region : plan_.program.regions) e.nodes += static_cast<double>(region.nodes.size());
  return e;
}

}  // namespace pimento::targets::l3_sram
