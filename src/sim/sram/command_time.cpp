#include "pimento/sim/sram/command_time.h"

#include <algorithm>
#include <numeric>

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"
#include "pimento/sim/sram/command_operation.h"

namespace pimento::sim::sram {

using machine::Sram;
using machine::SramClass;
using program::SramCommand;
using program::SramPattern;
using Kind = program::SramCommandKind;

namespace {

SramClass classOf(const Operation &o) {
  if (isFloat(o.type) || isFloat(o.argument)) return SramClass::kFloat;
  if (o.op == kernel::Op::kMul) return SramClass::kIntMul;
  if (o.op == kernel::Op::kDiv || o.op == kernel::Op::kRem) return SramClass::kIntDiv;
  return SramClass::kIntAlu;
}

/// Arrays whose data turn around at a level: `length` neighbours, `trips` times.
struct Turns {
  std::int64_t length = 0, trips = 0;
  std::int64_t arrays() const { return std::max<std::int64_t>(0, length) * std::max<std::int64_t>(0, trips); }
};

/// Of `degree` subtrees of `size` arrays, at distance `t` in tiles: the two parts of the sheet's rule.
std::array<Turns, 2> turnsAt(std::int64_t t, std::int64_t size, std::int64_t degree) {
  const std::int64_t away = t < 0 ? -t : t;
  if (away >= size * degree) return {};
  const std::int64_t m = away / size, n = away % size;
  std::array<Turns, 2> turns;
  if (away >= size) turns[0] = {size - n, degree - m};
  turns[1] = {n, degree - m - 1};
  return turns;
}

/// Elements that a bank's move takes from the arrays of its tiles.
struct BankShare {
  std::int64_t active = 0, leaving = 0;
};

BankShare shareOf(const SramPattern &tiles, std::int64_t distance, std::int64_t bank, std::int64_t perBank) {
  const std::int64_t low = bank * perBank, high = low + perBank;
  BankShare s;
  s.active = tiles.countWithin(low, high);
  const std::int64_t stayLow = std::clamp(low - distance, low, high), stayHigh = std::clamp(high - distance, low, high);
  s.leaving = s.active - (stayLow < stayHigh ? tiles.countWithin(stayLow, stayHigh) : 0);
  return s;
}

std::int64_t furthest(std::int64_t distance, std::int64_t reach) {
  const std::int64_t end = distance + reach;
  return (end < 0 ? -end : end) > (distance < 0 ? -distance : distance) ? end : distance;
}

}  // namespace

std::int64_t TileShiftTime::total() const {
  return std::accumulate(levels.begin(), levels.end(), std::int64_t{0});
}

CommandTime::CommandTime(const Sram &sram, std::int64_t perBitline) : sram_(sram), perBitline_(perBitline) {}

Cycles CommandTime::intraShift(std::int64_t distance, int bits) const {
  if (distance == 0) return Cycles(0);
  return Cycles(bits * (sram_.hasParallelIntraShift ? 1 : distance < 0 ? -distance : distance));
}

Cycles CommandTime::sync() const {
  const std::int64_t hops = sram_.meshColumns - 1 + sram_.meshRows - 1;
  return Cycles(2 * (hops * (sram_.router.value + sram_.link.value) + sram_.router.value));
}

TileShiftTime CommandTime::tileShift(std::int64_t distance, std::int64_t bitlines, int bits, std::int64_t active,
                                     std::int64_t leaving) const {
  TileShiftTime time;
  const std::int64_t each = ceilDiv(bitlines, sram_.leafBits) * bits;
  for (std::int64_t size = 1; size < sram_.arraysPerWay; size *= 2) {
    std::int64_t arrays = 0;
    for (const Turns &t : turnsAt(distance, size, 2)) arrays += t.arrays();
    if (!sram_.hasParallelInterShift) arrays *= sram_.arraysPerWay / (2 * size);
    time.levels.push_back(std::min(arrays, active) * each);
  }
  std::int64_t arrays = 0, ways = 0;
  for (const Turns &t : turnsAt(distance, sram_.arraysPerWay, sram_.ways)) {
    arrays += t.arrays();
    if (t.length > 0) ways = std::max(ways, t.trips);
  }
  time.levels.push_back(std::min(sram_.hasParallelWayRead ? std::min(arrays, ways) : arrays, active) * each);
  std::int64_t first = 0;
  for (const Turns &t : turnsAt(distance, sram_.arraysPerBank(), sram_.banks()))
    if (t.trips > 0) first = std::max(first, t.length);
  first = std::min(first, active);
  time.levels.push_back((sram_.hasParallelWayRead ? std::min(first, sram_.ways) : first) * each);
  time.packets = ceilDiv(leaving * bitlines * bits, 8 * sram_.packet.value);
  return time;
}

Cycles CommandTime::move(const SramCommand &c, std::int64_t bank, std::int64_t &packets) const {
  if (c.kind == Kind::kCopy) return Cycles(c.bits);
  const std::int64_t tiles = furthest(c.tileDistance, c.tileCopies.last());
  if (tiles == 0) return intraShift(furthest(c.bitlineDistance, c.bitlineCopies.last()), c.bits);
  const BankShare share = shareOf(c.tiles, tiles, bank, sram_.arraysPerBank());
  const TileShiftTime time =
      tileShift(tiles, ceilDiv(c.bitlines.count(), perBitline_), c.bits, share.active, share.leaving);
  packets += time.packets;
  return Cycles(time.total());
}

Result<Cycles> CommandTime::compute(const SramCommand &c) {
  const auto key = std::tuple(c.op, c.type, c.argument);
  if (const auto at = computed_.find(key); at != computed_.end()) return at->second;
  const Operation o = operationOf(c);
  Cycles cycles;
  if (sram_.times == Sram::Times::kCounted) {
    const Result<MicroProgram> program = microProgram(o);
    if (!program) return program.diagnostics();
    cycles = Cycles(program->cycles());
  } else {
    const Sram::CostTable &table = sram_.times == Sram::Times::kPaper ? sram_.paper : sram_.artifact;
    cycles = table[static_cast<std::size_t>(classOf(o))].of(std::max(bitsOf(o.type), bitsOf(o.argument)));
  }
  computed_.emplace(key, cycles);
  return cycles;
}

Result<Cycles> CommandTime::of(const SramCommand &c, std::int64_t bank) {
  std::int64_t packets = 0;
  switch (c.kind) {
    case Kind::kSync:
      return sync();
    case Kind::kStream:
      return Cycles(0);
    case Kind::kCompute: {
      Result<Cycles> one = compute(c);
      if (one) *one = Cycles(one->value * perBitline_);
      return one;
    }
    case Kind::kConstant:
      return Cycles(sram_.artifact[static_cast<std::size_t>(SramClass::kConstant)].of(c.bits).value * perBitline_);
    default:
      return Cycles(move(c, bank, packets).value * perBitline_);
  }
}

void CommandListTime::add(const CommandListTime &o) {
  total += o.total;
  compute += o.compute;
  intra += o.intra;
  inter += o.inter;
  sync += o.sync;
  for (const auto &[to, from] :
       {std::pair(&computeCommands, o.computeCommands), std::pair(&moveCommands, o.moveCommands),
        std::pair(&syncs, o.syncs), std::pair(&packets, o.packets), std::pair(&bitsRead, o.bitsRead),
        std::pair(&bitsWritten, o.bitsWritten), std::pair(&treeBits, o.treeBits)})
    *to = addSaturated(*to, from);
}

Status CommandTime::count(const SramCommand &c, CommandListTime &sum) {
  const std::int64_t elements = c.bitlines.count() * c.tiles.count();
  if (c.kind == Kind::kCompute) {
    ++sum.computeCommands;
    const Result<Cycles> one = compute(c);
    if (!one) return one.diagnostics();
    sum.bitsRead += 2 * one->value * elements;
    sum.bitsWritten += one->value * elements;
    return okStatus();
  }
  if (c.kind == Kind::kStream) return okStatus();
  ++sum.moveCommands;
  const std::int64_t bits = c.bits * elements;
  if (c.kind == Kind::kTileShift || c.kind == Kind::kBroadcast) {
    sum.treeBits += 2 * bits;
    return okStatus();
  }
  if (c.kind != Kind::kConstant) sum.bitsRead += bits;
  sum.bitsWritten += bits;
  return okStatus();
}

Result<CommandGroup> CommandTime::groupAt(const program::SramCommands &commands, std::size_t first) {
  const std::vector<SramCommand> &list = commands.list;
  const auto isAlike = [](const SramCommand &a, const SramCommand &b) {
    return a.kind == b.kind && a.op == b.op && a.type == b.type && a.argument == b.argument && a.bits == b.bits;
  };
  CommandGroup group;
  group.first = first;
  group.last = first + 1;
  const auto isApart = [&](const SramCommand &c) {
    return std::none_of(list.begin() + static_cast<std::ptrdiff_t>(first),
                        list.begin() + static_cast<std::ptrdiff_t>(group.last),
                        [&](const SramCommand &other) { return other.tiles.meets(c.tiles); });
  };
  while (group.last < list.size() && isAlike(list[first], list[group.last]) && isApart(list[group.last])) ++group.last;
  group.cycles.assign(static_cast<std::size_t>(sram_.banks()), 0);
  group.longest.assign(group.cycles.size(), nullptr);
  for (std::size_t j = first; j < group.last; ++j)
    for (std::size_t b = 0; b < group.cycles.size(); ++b) {
      if (!list[j].banks.test(b)) continue;
      const Result<Cycles> time = of(list[j], static_cast<std::int64_t>(b));
      if (!time) return time.diagnostics();
      if (group.longest[b] == nullptr || time->value > group.cycles[b]) group.longest[b] = &list[j];
      group.cycles[b] = std::max(group.cycles[b], time->value);
    }
  return group;
}

std::vector<BankPackets> CommandTime::leaving(const SramCommand &c, std::int64_t bank) const {
  if (c.kind != Kind::kTileShift && c.kind != Kind::kBroadcast) return {};
  const std::int64_t perBank = sram_.arraysPerBank(), low = bank * perBank;
  const std::int64_t bits = ceilDiv(c.bitlines.count(), perBitline_) * c.bits * perBitline_;
  std::vector<std::int64_t> tiles(static_cast<std::size_t>(sram_.banks()), 0);  // that go there
  c.tileCopies.forEach([&](std::int64_t more) {
    const std::int64_t distance = c.tileDistance + more;
    for (std::int64_t to = 0; to < sram_.banks(); ++to) {
      if (to == bank) continue;
      const std::int64_t from = std::max(low, to * perBank - distance);
      const std::int64_t end = std::min(low + perBank, (to + 1) * perBank - distance);
      if (from < end) tiles[static_cast<std::size_t>(to)] += c.tiles.countWithin(from, end);
    }
  });
  std::vector<BankPackets> out;
  for (std::size_t to = 0; to < tiles.size(); ++to)
    if (tiles[to] > 0)
      out.push_back({static_cast<int>(to), ceilDiv(multiplySaturated(tiles[to], bits), 8 * sram_.packet.value)});
  return out;
}

TilesMoved CommandTime::tilesMoved(const SramCommand &c) const {
  TilesMoved moved;
  const std::int64_t tiles = c.tiles.count();
  if (c.kind == Kind::kShift) return {tiles, 0, 0};
  c.tileCopies.forEach([&](std::int64_t more) {
    const std::int64_t distance = c.tileDistance + more;
    if (distance == 0) {
      moved.inArray += tiles;
      return;
    }
    std::int64_t leave = 0;
    for (std::int64_t b = 0; b < sram_.banks(); ++b)
      leave += shareOf(c.tiles, distance, b, sram_.arraysPerBank()).leaving;
    moved.between += leave;
    moved.inBank += tiles - leave;
  });
  return moved;
}

Result<CommandListTime> CommandTime::of(const program::SramCommands &commands, CommandObserver *observer) {
  CommandListTime sum;
  struct Bank {
    std::int64_t total = 0, compute = 0, intra = 0, inter = 0;
  };
  std::vector<Bank> banks(static_cast<std::size_t>(sram_.banks()));
  const auto join = [&] {
    const Bank &slowest =
        *std::max_element(banks.begin(), banks.end(), [](const Bank &a, const Bank &b) { return a.total < b.total; });
    sum.total += Cycles(slowest.total);
    sum.compute += Cycles(slowest.compute);
    sum.intra += Cycles(slowest.intra);
    sum.inter += Cycles(slowest.inter);
    std::fill(banks.begin(), banks.end(), Bank{});
  };
  for (std::size_t i = 0; i < commands.list.size();) {
    const SramCommand &first = commands.list[i];
    if (first.kind == Kind::kSync) {
      join();
      if (observer != nullptr) observer->onSync(sum.total.value, sync().value);
      sum.sync += sync();
      sum.total += sync();
      ++sum.syncs;
      ++i;
      continue;
    }
    const Result<CommandGroup> group = groupAt(commands, i);
    if (!group) return group.diagnostics();
    for (std::size_t j = i; j < group->last; ++j) {
      const SramCommand &c = commands.list[j];
      if (const Status status = count(c, sum); !status) return status.diagnostics();
      for (std::size_t b = 0; c.isMove() && b < banks.size(); ++b)
        if (c.banks.test(b)) move(c, static_cast<std::int64_t>(b), sum.packets);
    }
    for (std::size_t b = 0; b < banks.size(); ++b) {
      Bank &bank = banks[b];
      const std::int64_t longest = group->cycles[b];
      if (observer != nullptr && group->longest[b] != nullptr)
        observer->onCommand(*group->longest[b], static_cast<std::int64_t>(b), sum.total.value + bank.total, longest);
      bank.total += longest;
      (first.kind == Kind::kCompute || first.kind == Kind::kConstant      ? bank.compute
       : first.kind == Kind::kTileShift || first.kind == Kind::kBroadcast ? bank.inter
                                                                          : bank.intra) += longest;
    }
    i = group->last;
  }
  join();
  return sum;
}

}  // namespace pimento::sim::sram
