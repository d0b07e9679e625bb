#include "pimento/sim/dram/bound.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "pimento/base/integer.h"

namespace pimento::sim::dram {

namespace {

using program::FlatLoops;

/// How two banks are related: the waits that hold between their commands.
enum Relation : std::size_t { kSameBank, kSameGroup, kSameRank, kOtherRank, kRelations };

/// Smallest distances between commands, by the relation of their banks; at least one cycle, since the channel issues
/// one command per cycle.
class Waits {
 public:
  Waits(const ChannelSpec &spec, bool isOneBank) : spec_(spec), device_(spec.device), isOneBank_(isOneBank) {
    const std::array<int, 2> column = {spec.read, spec.write};
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t r = 0; r < kRelations; ++r) columns_[k][f][r] = wait(column[k], column[f], Relation(r));
      columnPrecharge[k] = wait(column[k], spec.precharge, kSameBank);
      activateColumn[k] = wait(spec.activate, column[k], kSameBank);
    }
    prechargeActivate = std::max(wait(spec.precharge, spec.activate, kSameBank), device_.prechargeTime);
    activatePrecharge = wait(spec.activate, spec.precharge, kSameBank);
    activateActivate = wait(spec.activate, spec.activate, kSameBank);
    anyColumns = columns_[0][0][0];
    longest = 1;
    for (const auto &a : columns_)
      for (const auto &b : a)
        for (const Tick t : b) {
          anyColumns = std::min(anyColumns, t);
          longest = std::max(longest, t);
        }
    for (const Tick t : {columnPrecharge[0], columnPrecharge[1], activateColumn[0], activateColumn[1],
                         prechargeActivate, activatePrecharge, activateActivate})
      longest = std::max(longest, t);
  }

  Tick columns(bool fromWrite, int fromBank, bool toWrite, int toBank) const {
    return columns_[fromWrite][toWrite][relation(fromBank, toBank)];
  }

  /// Cycles that `count` activates of one rank span at least.
  Tick activates(std::int64_t count) const {
    if (count < 2) return 0;
    Tick apart = std::numeric_limits<Tick>::max(), windows = 0;
    for (const Relation r : {kSameBank, kSameGroup, kSameRank})
      apart = std::min(apart, wait(spec_.activate, spec_.activate, r));
    for (const DeviceSpec::Window &w : device_.windows)
      if (w.following == spec_.activate && w.counts[static_cast<std::size_t>(spec_.activate)] &&
          (w.level == static_cast<int>(machine::ScopeLevel::kChannel) ||
           w.level == static_cast<int>(machine::ScopeLevel::kRank)))
        windows = std::max(windows, (count - 1) / w.size * w.latency);
    return std::max((count - 1) * apart, windows);
  }

  std::array<Tick, 2> columnPrecharge{}, activateColumn{};
  Tick prechargeActivate = 1, activatePrecharge = 1, activateActivate = 1;
  Tick anyColumns = 1;  ///< between any two columns
  Tick longest = 1;

 private:
  Relation relation(int a, int b) const {
    const auto same = [&](machine::ScopeLevel level) {
      const std::vector<std::int16_t> &node = device_.nodeOfBank[static_cast<std::size_t>(level)];
      return node[static_cast<std::size_t>(a)] == node[static_cast<std::size_t>(b)];
    };
    if (a == b || isOneBank_) return kSameBank;
    if (same(machine::ScopeLevel::kBankGroup)) return kSameGroup;
    return same(machine::ScopeLevel::kRank) ? kSameRank : kOtherRank;
  }

  Tick wait(int command, int following, Relation relation) const {
    Tick t = 1;
    for (const DeviceSpec::Consequence &c : device_.consequences[static_cast<std::size_t>(command)]) {
      if (c.following != following) continue;
      const auto level = static_cast<machine::ScopeLevel>(c.level);
      const bool holds = level == machine::ScopeLevel::kChannel ||
                         (level == machine::ScopeLevel::kPseudoChannel && relation <= kSameRank) ||
                         (level == machine::ScopeLevel::kRank && relation <= kSameRank) ||
                         (level == machine::ScopeLevel::kBankGroup && relation <= kSameGroup) ||
                         (level == machine::ScopeLevel::kBank && relation == kSameBank);
      if (holds) t = std::max<Tick>(t, c.latency);
    }
    return t;
  }

  const ChannelSpec &spec_;
  const DeviceSpec &device_;
  bool isOneBank_;
  std::array<std::array<std::array<Tick, kRelations>, 2>, 2> columns_{};
};

/// Columns of one group to one row of a bank.
struct Part {
  int bank = 0;
  std::int32_t row = 0;
  bool isWrite = false;
  int opener = -1;  // first command, which names the row as the loops move it
  std::int64_t count = 0;
};

/// What is known of a bank: lower bounds, in absolute time.
struct BankTimes {
  std::int32_t row = 0;
  int opener = -1;         // -1: never opened
  bool isUnknown = false;  // which row is open
  Tick precharge = 0;      // when the row can close
  Tick activate = 0;       // when it opened
};

enum class Mode : std::uint8_t { kSingle, kEntering, kAllBank, kUnknown };

/// Lower bounds after some groups. A copy is a snapshot.
struct State {
  Tick last = 0;      // the last column of all so far
  Tick head = 0;      // when that column's transaction got to the head of the queue
  int lastBank = -1;  // of that column; -1: none yet
  bool lastIsWrite = false;
  Mode mode = Mode::kSingle;
  ChannelCounts counts;
  std::array<BankTimes, 64> banks{};
  std::array<std::int64_t, 64> activates{};  // by rank
  std::uint64_t used = 0;                    // banks that were opened
};

class Walker {
 public:
  Walker(const ChannelSpec &spec, const FlatLoops &code, const Waits &waits, Overclaim overclaim)
      : spec_(spec),
        code_(code),
        waits_(waits),
        overclaim_(overclaim),
        special_(spec.losesBarriers ? spec.transactionQueue : 0),
        irrelevant_(8 * waits.longest) {}

  /// False where it lost its way.
  bool run() {
    walk(0, static_cast<int>(code_.steps().size()));
    if (!parts_.empty()) close(false);
    return isFollowed_;
  }

  ChannelBound bound() const {
    Tick last = s_.last;
    for (const std::int64_t n : s_.activates) last = std::max(last, 1 + waits_.activates(n));
    const Tick latency = s_.lastIsWrite ? spec_.writeLatency : spec_.readLatency;
    return {Cycles(last + latency + 1), s_.counts};
  }

 private:
  static constexpr int kMostIterations = 16;
  static constexpr std::size_t kMostParts = 64;

  void walk(int begin, int end) {
    for (int i = begin; i < end && isFollowed_; ++i) {
      const FlatLoops::Step &step = code_.steps()[static_cast<std::size_t>(i)];
      if (step.kind == FlatLoops::Kind::kLoop) {
        loop(code_.loops()[static_cast<std::size_t>(step.loop)]);
        i = code_.loops()[static_cast<std::size_t>(step.loop)].end;
      } else if (step.kind == FlatLoops::Kind::kCommand) {
        command(step.command);
      }
    }
  }

  void loop(const FlatLoops::Loop &l) {
    const auto depth = static_cast<std::size_t>(l.depth);
    State before;
    int compared = 0;
    for (std::int64_t i = 0; i < l.trip && isFollowed_; ++i) {
      counter_[depth] = i;
      // The first transactions are walked one by one: one of them may lose its barrier.
      const bool isComparable = i > 0 && s_.counts.columns > special_ && parts_.empty();
      if (isComparable) before = s_;
      walk(l.begin, l.end);
      const std::int64_t left = l.trip - 1 - i;
      if (left == 0 || (i > 0 && s_.counts.columns <= special_)) continue;
      if (isComparable && parts_.empty()) {
        if (l.isUniform && repeats(before, l)) {
          skip(before, l, left);
          break;
        }
        if (++compared == kMostIterations) {
          giveUp(before, left);
          break;
        }
      } else if (i >= special_ + kMostIterations) {
        isFollowed_ = false;  // a group that goes on from one iteration to the next
      }
    }
    counter_[depth] = 0;
  }

  /// `left` more iterations of which only the number of columns is known, that of the last one.
  void giveUp(const State &before, std::int64_t left) {
    const std::int64_t columns = multiplySaturated(s_.counts.columns - before.counts.columns, left);
    s_.head = s_.last;
    s_.last += multiplySaturated(columns, waits_.anyColumns);
    s_.counts.columns += columns;
    s_.mode = Mode::kUnknown;
    for (std::uint64_t m = s_.used; m != 0; m &= m - 1)
      s_.banks[static_cast<std::size_t>(std::countr_zero(m))].isUnknown = true;
  }

  /// Rows by which one iteration of a loop moves a command; 0 where that is outside the loop.
  std::int64_t stride(int command, const FlatLoops::Loop &l) const {
    const FlatLoops::FlatCommand &c = code_.commands()[static_cast<std::size_t>(command)];
    const auto depth = static_cast<std::size_t>(l.depth);
    const bool isInside = l.depth < c.depth && &code_.loops()[static_cast<std::size_t>(c.loops[depth])] == &l;
    return isInside ? c.command.row.stride[depth] : 0;
  }

  /// Did the iteration since `a` end in the state it began in: times relative to the last column, rows moved with
  /// their loops? Times so long past that nothing waits for them count as equal.
  bool repeats(const State &a, const FlatLoops::Loop &l) const {
    const State &b = s_;
    const auto same = [&](Tick x, Tick y) {
      return std::max(x - a.last, -irrelevant_) == std::max(y - b.last, -irrelevant_);
    };
    if (a.lastBank != b.lastBank || a.lastIsWrite != b.lastIsWrite || a.mode != b.mode || a.used != b.used ||
        !same(a.head, b.head))
      return false;
    for (std::uint64_t m = b.used; m != 0; m &= m - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(m));
      const BankTimes &x = a.banks[i], &y = b.banks[i];
      if (x.opener != y.opener || x.isUnknown != y.isUnknown || !same(x.precharge, y.precharge) ||
          !same(x.activate, y.activate))
        return false;
      if (!y.isUnknown && y.row - x.row != stride(y.opener, l)) return false;
    }
    return true;
  }

  /// `left` more iterations like the last one. Times that did not move with it stay where they are.
  void skip(const State &a, const FlatLoops::Loop &l, std::int64_t left) {
    const Tick time = multiplySaturated(s_.last - a.last, left);
    const auto move = [&](Tick &t, Tick last) {
      if (t - last >= -irrelevant_) t += time;
    };
    ChannelCounts per = s_.counts;
    per.add(a.counts, -1);
    s_.counts.add(per, left);
    for (std::size_t r = 0; r < s_.activates.size(); ++r) s_.activates[r] += (s_.activates[r] - a.activates[r]) * left;
    const Tick last = s_.last;
    for (std::uint64_t m = s_.used; m != 0; m &= m - 1) {
      BankTimes &b = s_.banks[static_cast<std::size_t>(std::countr_zero(m))];
      move(b.precharge, last);
      move(b.activate, last);
      b.row += static_cast<std::int32_t>(stride(b.opener, l) * left);
    }
    move(s_.head, last);
    s_.last += time;
  }

  void command(int index) {
    const FlatLoops::FlatCommand &c = code_.commands()[static_cast<std::size_t>(index)];
    std::int64_t row = c.origin.row;
    for (int m = 0; m < c.moveCount; ++m) {
      const FlatLoops::FlatCommand::Move &move = c.moves[static_cast<std::size_t>(m)];
      row += move.row * counter_[static_cast<std::size_t>(move.depth)];
    }
    ++s_.counts.columns;
    ++size_;
    const auto isHere = [&](const Part &p) {
      return p.bank == c.origin.bank && p.row == row && p.isWrite == c.command.isWrite;
    };
    if (parts_.empty() || !isHere(parts_.back())) {
      const auto found = std::find_if(parts_.begin(), parts_.end(), isHere);
      if (found != parts_.end()) {
        std::rotate(found, found + 1, parts_.end());  // the last part is that of the last command
      } else {
        if (parts_.size() == kMostParts) {
          isFollowed_ = false;
          return;
        }
        parts_.push_back({c.origin.bank, static_cast<std::int32_t>(row), c.command.isWrite, index, 0});
      }
    }
    ++parts_.back().count;
    if (c.origin.isBarrier && s_.counts.columns != special_) close(true);
  }

  /// The group in `parts_` is complete; its last command, of the last part, is a barrier (or the program's end).
  void close(bool isBarrier) {
    const bool hasFence = spec_.fence > 0 && s_.lastBank >= 0;
    const Tick lastLatency = s_.lastIsWrite ? spec_.writeLatency : spec_.readLatency;
    // Transactions of this group enter the queue after `arrival`, one per cycle.
    const Tick arrival = hasFence ? s_.last + lastLatency + spec_.fence : 0;
    Tick apart = std::numeric_limits<Tick>::max();
    for (const Part &p : parts_)
      for (const Part &q : parts_)
        if (&p != &q || p.count > 1) apart = std::min(apart, waits_.columns(p.isWrite, p.bank, q.isWrite, q.bank));
    Tick first = std::numeric_limits<Tick>::max(), last = arrival + size_;
    std::array<Tick, kMostParts> ends;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part &p = parts_[i];
      const Tick start = std::max(arrival + 1, startOf(p, i + 1 == parts_.size() && isBarrier, arrival));
      first = std::min(first, start);
      ends[i] = start + (p.count - 1) * waits_.columns(p.isWrite, p.bank, p.isWrite, p.bank);
      last = std::max(last, ends[i]);
    }
    // All columns but the barrier's are in any order; without a barrier the end of the group is that of some column.
    last = std::max(last, first + (size_ - 1) * (size_ > 1 ? apart : 0));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      BankTimes &b = s_.banks[static_cast<std::size_t>(parts_[i].bank)];
      const Tick end = i + 1 == parts_.size() && isBarrier ? last : ends[i];
      b.precharge = std::max(b.precharge, end + waits_.columnPrecharge[parts_[i].isWrite]);
    }
    s_.head = size_ > 1 ? std::max(s_.last + 1, first + (size_ - 2) * apart) : s_.last;
    s_.last = last;
    s_.lastBank = parts_.back().bank;
    s_.lastIsWrite = parts_.back().isWrite;
    if (!isBarrier) {  // the last column may be any of them
      for (const Part &p : parts_)
        if ((p.isWrite ? spec_.writeLatency : spec_.readLatency) <
            (s_.lastIsWrite ? spec_.writeLatency : spec_.readLatency))
          s_.lastIsWrite = p.isWrite;
    }
    trackMode();
    parts_.clear();
    size_ = 0;
  }

  /// Earliest first column of a part; opens its row if it cannot be open already.
  Tick startOf(const Part &p, bool hasBarrier, Tick arrival) {
    Tick start = 1;
    if (s_.lastBank >= 0) start = s_.last + waits_.columns(s_.lastIsWrite, s_.lastBank, p.isWrite, p.bank);
    BankTimes &b = s_.banks[static_cast<std::size_t>(p.bank)];
    const bool isShared =
        std::any_of(parts_.begin(), parts_.end(), [&](const Part &q) { return q.bank == p.bank && q.row != p.row; });
    if (isShared || b.isUnknown) {  // several rows of a bank in one group come in any order
      s_.used |= std::uint64_t{1} << p.bank;
      b.opener = p.opener;
      b.row = p.row;
      b.isUnknown = isShared;
      return start;
    }
    if (b.opener >= 0 && b.row == p.row && overclaim_ != Overclaim::kClosedRows) return start;
    // Of this group only a transaction before the barrier is looked at before the group's turn has come.
    const bool isAlone = (hasBarrier && p.count == 1) || overclaim_ == Overclaim::kLateRows;
    Tick activate = std::max({(isAlone ? s_.last : s_.head) + 1, arrival + 1, Tick{1}});
    if (b.opener >= 0)
      activate = std::max({activate, b.precharge + waits_.prechargeActivate, b.activate + waits_.activateActivate});
    countActivate(p, isAlone);
    b.opener = p.opener;
    b.row = p.row;
    b.activate = activate;
    b.precharge = activate + waits_.activatePrecharge;
    s_.used |= std::uint64_t{1} << p.bank;
    return std::max(start, activate + waits_.activateColumn[p.isWrite]);
  }

  /// An activate that cannot be left out. In all-bank mode one that opens a row in every block is counted apart; where
  /// the mode is not certain such a row counts for nothing.
  void countActivate(const Part &p, bool isAlone) {
    const int rank = p.bank / spec_.device.banksPerRank;
    ++s_.activates[static_cast<std::size_t>(rank)];
    const Modes &m = spec_.modes;
    const bool isControl = m.changes.empty() || p.row >= m.firstControlRow || rank >= m.ranks;
    if (isControl || (s_.mode == Mode::kSingle && !isAlone))
      ++s_.counts.activates;
    else if (s_.mode == Mode::kAllBank && !isAlone)
      ++s_.counts.allBankActivates;
  }

  /// A group that wants the row of an entering rule in all its banks has activated them when it is done; the mode holds
  /// one command latency later, so for the activates of the group after the next. Once the program goes near a row
  /// that leaves the mode, nothing is certain.
  void trackMode() {
    if (s_.mode == Mode::kUnknown || spec_.modes.changes.empty()) return;
    if (s_.mode == Mode::kEntering) s_.mode = Mode::kAllBank;
    for (const Modes::Change &r : spec_.modes.changes) {
      std::uint64_t seen = 0;
      for (const Part &p : parts_)
        if (p.row == r.row && p.bank < spec_.device.banksPerRank * spec_.modes.ranks)
          seen |= std::uint64_t{1} << (p.bank % spec_.device.banksPerRank);
      if ((seen & r.banks) == 0) continue;
      const Tick shortest = std::min(waits_.activateColumn[0], waits_.activateColumn[1]);
      const bool enters = r.to != 0 && r.command == machine::CommandKind::kActivate && s_.mode == Mode::kSingle &&
                          (seen & r.banks) == r.banks && spec_.commandLatency <= shortest;
      s_.mode = enters ? Mode::kEntering : Mode::kUnknown;
      if (s_.mode == Mode::kUnknown) return;
    }
  }

  const ChannelSpec &spec_;
  const FlatLoops &code_;
  const Waits &waits_;
  Overclaim overclaim_;
  std::int64_t special_;  // this transaction has no barrier
  Tick irrelevant_;
  State s_;
  std::vector<Part> parts_;
  std::int64_t size_ = 0;  // columns of the group
  std::array<std::int64_t, program::kMaxDepth> counter_{};
  bool isFollowed_ = true;
};

std::int64_t countColumns(const FlatLoops &code) {
  std::int64_t total = 0;
  for (const FlatLoops::FlatCommand &c : code.commands()) total = addSaturated(total, code.timesOf(c));
  return total;
}

}  // namespace

ChannelBound lowerBound(const ChannelSpec &spec, const FlatLoops &code, Overclaim overclaim) {
  ChannelBound out;
  out.counts.columns = countColumns(code);
  if (out.counts.columns == 0) return {Cycles(1), out.counts};
  // Of named commands, and of devices whose modes or row commands are others, only the number is known.
  const auto isNamed = [](const FlatLoops::FlatCommand &c) { return c.command.named > 0; };
  if (std::any_of(code.commands().begin(), code.commands().end(), isNamed) || !spec.widePrecharges.empty() ||
      spec.modes.modes.size() > 2) {
    const Tick shortest = *std::min_element(spec.latency.begin(), spec.latency.end());
    return {Cycles(addSaturated(out.counts.columns, shortest + 1)), out.counts};
  }
  const Waits waits(spec, overclaim == Overclaim::kOneBank);
  const Tick simple = multiplySaturated(out.counts.columns - 1, waits.anyColumns);
  out.cycles = Cycles(simple + 1 + std::min(spec.readLatency, spec.writeLatency) + 1);
  Walker walker(spec, code, waits, overclaim);
  if (!walker.run()) return out;
  const ChannelBound followed = walker.bound();
  return {std::max(out.cycles, followed.cycles), followed.counts};
}

}  // namespace pimento::sim::dram
