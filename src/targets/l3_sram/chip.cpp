#include "pimento/targets/l3_sram/chip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/chip/strands.h"
#include "pimento/targets/l3_sram/transposition.h"

namespace pimento::targets::l3_sram {

using At = TensorState::At;

namespace {

/// Factor between the sizes at which loops of programs of very many kernels are timed.
constexpr int kGridBits = 2;
constexpr LoopsBudget kGridBudget{16, 16};
/// Kernels of a program, and rounds among them, beyond which the rounds' loops are timed at some sizes alone.
constexpr std::size_t kManyKernels = 256, kManyRounds = 64;

bool isOfManyRounds(const evaluate::GraphPart &part) {
  const std::vector<kernel::Kernel> &all = part.graph->kernels;
  return all.size() > kManyKernels &&
         static_cast<std::size_t>(std::ranges::count(all, part.kernel().name, &kernel::Kernel::name)) > kManyRounds;
}

}  // namespace

bool isChip(const machine::Machine &machine) {
  return machine.kernels && machine.core && machine.sharedCache && machine.noc && machine.dram && machine.sram &&
         machine.sram->control;
}

ChipState idleState(const kernel::Graph &graph, const machine::Machine &machine) {
  ChipState state(graph.tensors.size());
  if (machine.kernels->start == machine::ChipKernels::Start::kMemory) return state;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].role != kernel::Role::kTemporary) state.tensors[t].at = At::kL3;
  }
  return state;
}

ChipKernel::ChipKernel(const evaluate::GraphPart &part, const machine::Machine &machine, const Plan &plan,
                       const mapping::Mapping &mapping)
    : part_(part),
      machine_(machine),
      plan_(plan),
      mapping_(mapping),
      addresses_(chip::addressesOf(*part.graph)),
      nest_(chip::chipNest(*part.graph, part.first, machine.kernels->vector)),
      isCoarse_(isOfManyRounds(part)) {}

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
  // A core has so many streams, and so has a slice, where those of all cores may meet.
  const int streams = chip::streamsOf(part_.kernel());
  const bool hasStreams = machine_.kernels->isNearL3 && streams <= machine_.streams->ofCore &&
                          streams * threads() <= machine_.streams->ofSlice;
  if (hasStreams) places.push_back(Place::kNearL3);
  if (machine_.kernels->isOnCores || places.empty()) places.push_back(Place::kCore);
  return places;
}

std::int64_t ChipKernel::bytesOf(std::size_t tensor) const {
  const kernel::Tensor &t = part_.graph->tensors[tensor];
  return multiplySaturated(t.elements(), sizeOf(t.type).value);
}

std::map<int, ChipKernel::Touched> ChipKernel::touched() const {
  const kernel::Kernel &k = part_.kernel();
  std::map<int, Touched> out;
  const auto add = [&](const kernel::Access &a, bool isRead, bool isWritten) {
    const kernel::Tensor &t = part_.graph->tensors[static_cast<std::size_t>(a.tensor)];
    const std::int64_t size = sizeOf(t.type).value;
    const std::int64_t elements = a.isIndirect() ? t.elements() : std::min(kernel::spanOf(a, k), t.elements());
    Touched &at = out[a.tensor];
    if (isRead) at.read = std::max(at.read, elements * size);
    if (isWritten) at.written = std::max(at.written, elements * size);
  };
  for (const kernel::Access &a : k.loads) add(a, true, false);
  for (const kernel::Store &s : k.stores) add(s.target, s.combine != kernel::Combine::kAssign, true);
  return out;
}

std::vector<std::size_t> ChipKernel::reads() const {
  std::vector<std::size_t> out;
  for (const auto &[tensor, use] : touched())
    if (use.read > 0 || use.written < bytesOf(static_cast<std::size_t>(tensor)))
      out.push_back(static_cast<std::size_t>(tensor));
  return out;
}

std::vector<std::size_t> ChipKernel::writes() const {
  std::vector<std::size_t> out;
  for (const auto &[tensor, use] : touched())
    if (use.written > 0) out.push_back(static_cast<std::size_t>(tensor));
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
        out.transposed.push_back({addresses_.first[t], addresses_.end[t], bitsOf(part_.graph->tensors[t].type)});
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
  const sim::uncore::Slices slices = slicesOf(machine_, state.isReserved);
  const std::int64_t capacity = slices.size.value * machine_.noc->nodes();
  const std::vector<std::size_t> order = state.those(At::kL3);
  std::int64_t held = 0;
  for (const std::size_t t : order) held = addSaturated(held, bytesOf(t));
  for (const std::size_t t : order) {
    if (held <= capacity) break;
    held -= bytesOf(t);
    if (state.tensors[t].isDirty) {
      time[Count::kMemoryWrites] += ceilDiv(bytesOf(t), slices.line.value);
      time[Spent::kMemory] += memoryCycles(machine_, bytesOf(t));
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

void ChipKernel::release(std::size_t tensor, ChipState &state, ChipRun &time, Cache *shared) const {
  TensorState &t = state.tensors[tensor];
  if (t.isDirty) time.add(transposition(part_.graph->tensors[tensor], t.layout, machine_, Way::kOut, shared));
  t = {};
  if (!state.hasArrays()) state.isReserved = false;
}

// --- Loops on cores, or near the L3

ChipRun ChipKernel::loopsAt(Place place, const ChipState &state, Cache *shared) const {
  const std::map<int, Touched> use = touched();
  std::string key = fmt::format("loops {} {} {}", part_.first, static_cast<int>(place), state.isReserved);
  for (const auto &[tensor, u] : use)
    key += static_cast<char>('0' + static_cast<int>(state.tensors[static_cast<std::size_t>(tensor)].at));
  return cached(shared, key, [&] {
    if (isCoarse_) return onGrid(place, state, shared);
    return timeOfLoops(nest_, addresses_, machine_, place, threads(), stateOf(state, use));
  });
}

/// At the sizes of a grid around its own, and lines between them.
ChipRun ChipKernel::onGrid(Place place, const ChipState &state, Cache *shared) const {
  const std::map<int, Touched> use = touched();
  const kernel::Kernel &k = part_.kernel();
  std::string form = fmt::format("grid {} {} {}", static_cast<int>(place), state.isReserved, k.body.size());
  for (const kernel::Value &v : k.body) form += fmt::format(",{}", static_cast<int>(v.op));
  const auto addAccess = [&](const kernel::Access &a) {
    form += fmt::format(" {}", a.tensor);
    for (const kernel::Affine &index : a.index) form += fmt::format("[{}]", fmt::join(index.coefficients, ","));
  };
  for (const kernel::Access &a : k.loads) addAccess(a);
  for (const kernel::Store &s : k.stores) addAccess(s.target);
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
      return timeOfLoops(nest, addresses_, machine_, place, threads(), there, kGridBudget);
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

Result<ChipKernel::Ran> ChipKernel::onLoops(Place place, ChipState &state, Cache *shared) const {
  Ran ran;
  ++state.turn;
  const std::map<int, Touched> use = touched();
  ChipRun loops = loopsAt(place, state, shared);
  // Of the requests to the L3 a tensor has the share that it has of the bytes. Who is asked for too often goes back.
  const double requests = static_cast<double>(loops[Count::kL3Reads] + loops[Count::kL3Writes]);
  std::int64_t bytes = 0;
  for (const auto &[tensor, u] : use) bytes = addSaturated(bytes, std::max(u.read, u.written));
  bool isReleased = false;
  for (const auto &[tensor, u] : use) {
    const auto t = static_cast<std::size_t>(tensor);
    const double own = requests * static_cast<double>(std::max(u.read, u.written)) /
                       static_cast<double>(std::max<std::int64_t>(1, bytes));
    if (state.tensors[t].at != At::kArrays || own <= static_cast<double>(machine_.sram->control->releaseRequests))
      continue;
    release(t, state, ran.time, shared);
    isReleased = true;
  }
  ran.time.add(isReleased ? loopsAt(place, state, shared) : loops);
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
      const std::vector<std::size_t> order = state.those(At::kArrays);
      const auto oldest = std::ranges::find_if(order, [&](std::size_t t) { return wanted(t) == stretch.arrays.end(); });
      if (oldest != order.end()) release(*oldest, state, time, shared), --held;
    }
    const bool isInL3 = s.at == At::kL3, wasDirty = s.isDirty;
    s = {At::kArrays, isInL3 && wasDirty && a.needsFetch, state.turn, stretch.layout, a.row};
    ++held;
    if (a.needsFetch)
      time.add(transposition(part_.graph->tensors[a.tensor], stretch.layout, machine_,
                             isInL3 ? Way::kInFromL3 : Way::kInFromMemory, shared));
  }
}

Status ChipKernel::findStretches(Cache *shared) const {
  if (stretches_ != nullptr) return okStatus();
  Result<Stretches> found = stretchesOf(plan_, mapping_, machine_, isCoarse_, shared);
  if (!found) return found.diagnostics();
  stretches_ = std::make_shared<const Stretches>(std::move(*found));
  return okStatus();
}

Result<std::int64_t> ChipKernel::leastInArrays(Cache *shared) const {
  if (const Status s = findStretches(shared); !s) return s.diagnostics();
  std::int64_t cycles = 0;
  for (const Stretch &stretch : stretches_->list) cycles = addSaturated(cycles, stretch.time.cycles());
  return cycles;
}

Result<ChipKernel::Ran> ChipKernel::inArrays(ChipState &state, Cache *shared) const {
  if (const Status s = findStretches(shared); !s) return s.diagnostics();
  Ran ran;
  ran.arrays = stretches_->arrays;
  ++state.turn;
  const machine::Sram::Control &control = *machine_.sram->control;
  for (const Stretch &stretch : stretches_->list) {
    if (stretch.isStreams) {
      const Place place = machine_.kernels->isNearL3 ? Place::kNearL3 : Place::kCore;
      ran.time.add(loopsAt(place, state, shared));
      for (const auto &[tensor, u] : touched()) keepInL3(tensor, u.written > 0, state);
      makeRoom(state, ran.time);
      continue;
    }
    const std::int64_t before = ran.time[Spent::kMemory];
    bring(stretch, state, ran.time, shared);
    const std::int64_t fetch = ran.time[Spent::kMemory] - before;
    // Lowering, unless these commands were lowered before; what it takes beyond the fetch where they overlap. Of very
    // many kernels hardly one runs twice.
    if (isCoarse_)
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

Result<ChipKernel::Ran> ChipKernel::run(Place place, ChipState &state, Cache *shared) const {
  return place == Place::kInL3 ? inArrays(state, shared) : onLoops(place, state, shared);
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
