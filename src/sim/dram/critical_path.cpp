#include "pimento/sim/dram/critical_path.h"

#include <algorithm>
#include <bit>
#include <set>

namespace pimento::sim::dram {

using machine::CommandKind;
using program::Transaction;

namespace {

constexpr std::size_t kFoldAfter = std::size_t{1} << 20;

int indexOf(const std::string &name, Phases &phases) {
  const auto at = std::find(phases.names.begin(), phases.names.end(), name);
  if (at != phases.names.end()) return static_cast<int>(at - phases.names.begin());
  phases.names.push_back(name);
  return static_cast<int>(phases.names.size()) - 1;
}

void fileCommands(const program::CommandLoops &nodes, const std::string &label, Phases &phases) {
  for (const program::CommandNode &n : nodes) {
    if (n.isLoop)
      fileCommands(n.children, label, phases);
    else
      phases.ofCommand.push_back(indexOf(label + ": " + std::string(program::name(n.statement.purpose)), phases));
  }
}

}  // namespace

std::string_view name(Wait w) {
  constexpr std::array<std::string_view, 14> kNames = {
      "constraint",  "completion.precharge", "completion.refresh", "arrival",
      "fence",       "mode change",          "barrier order",      "rows closed for refresh",
      "command bus", "refresh due",          "completion.read",    "completion.write",
      "first cycle", "unattributed"};
  return kNames[static_cast<std::size_t>(w)];
}

Phases::Phases(const program::CommandLoops &nodes) {
  bool isBehindLoop = false;
  for (const program::CommandNode &n : nodes) {
    if (n.isLoop) {
      fileCommands(n.children, n.label, *this);
      isBehindLoop = true;
      continue;
    }
    ofCommand.push_back(indexOf(isBehindLoop ? "epilogue" : "prologue", *this));
  }
  names.emplace_back("refresh");
}

Cycles CriticalPathResult::total() const {
  Cycles sum;
  for (const PathShare &s : shares) sum += Cycles(s.cycles);
  return sum;
}

CriticalPath::CriticalPath(const machine::Dram &dram, const ChannelSpec &spec, const program::FlatLoops &code,
                           const Phases &phases)
    : dram_(&dram),
      spec_(&spec),
      code_(&code),
      phases_(&phases),
      cursor_(code),
      lastOrigin_{-1, 0},
      freed_(static_cast<std::size_t>(spec.commandQueue)),
      last_(static_cast<std::size_t>(spec.device.allNodes * spec.device.commands)),
      lengths_(last_.size()),
      windows_(dram.constraints.size() * static_cast<std::size_t>(spec.device.allNodes)),
      banks_(static_cast<std::size_t>(spec.device.banks)),
      foldAt_(kFoldAfter) {
  PIMENTO_CHECK(phases.ofCommand.size() == code.commands().size());
  longest_ = std::max({spec.device.prechargeTime, spec.device.refreshTime, spec.commandLatency, Tick{1}});
  for (const machine::TimingConstraint &c : dram.constraints)
    longest_ = std::max(longest_, c.after(program::kMostLength));
}

std::size_t CriticalPath::nodeOf(machine::ScopeLevel level, int bank) const {
  return static_cast<std::size_t>(
      spec_->device.nodeOfBank[static_cast<std::size_t>(level)][static_cast<std::size_t>(bank)]);
}

void CriticalPath::onCommand(const IssuedCommand &c) {
  admit(c.time);
  ++commands_;
  const Packet *packet = packetFor(c);
  const int phase = phaseFor(c, packet);
  const Event event = add(causeOf(c, packet), c.time, phase);
  const bool isBarrier = c.command != nullptr && packet != nullptr && packet->t.isBarrier;
  if (c.command != nullptr) removePacket(c, event, phase);
  remember(c, event, phase);
  previous_ = event;
  previousCommand_ = c;
  previousIsBarrier_ = isBarrier;
  if (links_.size() >= foldAt_) fold(c.time);
}

// The same arrivals as Channel::admit: one per cycle while there is room, a cycle after the column that made it, or
// when a fence is over. A transaction that arrives in one cycle is seen in the next.
void CriticalPath::admit(Tick now) {
  while (!cursor_.isDone() && !isFenced_ && static_cast<std::int64_t>(pending_.size()) < spec_->commandQueue) {
    Tick visible = lastVisible_ + 1;
    Event origin = lastOrigin_;
    if (fetched_ >= spec_->commandQueue) {
      const Event &freed = freed_[static_cast<std::size_t>(fetched_ % spec_->commandQueue)];
      if (freed.time + 1 >= visible) {
        visible = freed.time + 1;
        origin = freed;
      }
    }
    if (hasRelease_ && release_.time + 1 >= visible) {
      visible = release_.time + 1;
      origin = release_;
    }
    if (visible > now) return;
    Packet p{cursor_.peek(), visible, origin};
    if (spec_->losesBarriers && fetched_ + 1 == spec_->transactionQueue) p.t.isBarrier = false;
    lastVisible_ = visible;
    lastOrigin_ = origin;
    hasRelease_ = false;
    isFenced_ = p.t.isBarrier && spec_->fence > 0;
    pending_.push_back(p);
    ++fetched_;
    cursor_.advance();
  }
}

/// The queued transaction that a column command serves, or that a row is opened for.
const CriticalPath::Packet *CriticalPath::packetFor(const IssuedCommand &c) const {
  if (c.kind == CommandKind::kPrecharge || c.kind == CommandKind::kRefresh) return nullptr;
  for (const Packet &p : pending_) {
    if (p.t.row != c.row || (p.t.isWide ? (spec_->reach(p.t) & c.banks) == 0 : p.t.bank != c.bank)) continue;
    if (c.kind == CommandKind::kActivate) return &p;
    if (p.t.bank == c.bank && p.t.column == c.column &&
        c.command == &code_->commands()[static_cast<std::size_t>(p.t.command)].command)
      return &p;
  }
  return nullptr;
}

int CriticalPath::phaseFor(const IssuedCommand &c, const Packet *packet) const {
  if (packet != nullptr) return phases_->ofCommand[static_cast<std::size_t>(packet->t.command)];
  if (c.kind == CommandKind::kRefresh) return phases_->refresh();
  return banks_[static_cast<std::size_t>(c.bank)].phase;
}

CriticalPath::Cause CriticalPath::causeOf(const IssuedCommand &c, const Packet *packet) {
  Cause best;
  for (std::uint64_t m = c.banks; m != 0; m &= m - 1) considerConstraints(c.op, std::countr_zero(m), c.time, best);
  if (best.isFound) return best;
  considerBanks(c, best);
  if (best.isFound) return best;
  considerArrival(c, packet, best);
  if (best.isFound) return best;
  if (c.kind == CommandKind::kActivate && mode_.time >= 0 &&
      c.time == mode_.time + std::max(spec_->commandLatency, Tick{1}))
    return {mode_, Wait::kMode, -1, true};
  const bool isDue = isRefreshDue(c.time);
  const Event before = previous_.time < 0 ? Event{-1, 0} : previous_;
  if (isDue && c.kind == CommandKind::kRefresh) return {before, Wait::kRefreshDue, -1, true};
  if (previous_.time >= 0 && previous_.time == c.time - 1) return afterPrevious(c, packet);
  if (isDue) return {before, Wait::kRefreshDue, -1, true};
  return {before, Wait::kUnattributed, -1, true};
}

void CriticalPath::considerConstraints(int command, int bank, Tick t, Cause &best) const {
  const auto consider = [&](const Event &e, Tick latency, std::size_t constraint) {
    if (e.time < 0 || e.time + latency != t || latency == 0) return;
    if (best.isFound && best.from.time >= e.time) return;
    best = {e, Wait::kConstraint, static_cast<int>(constraint), true};
  };
  for (std::size_t i = 0; i < dram_->constraints.size(); ++i) {
    const machine::TimingConstraint &r = dram_->constraints[i];
    if (std::find(r.following.begin(), r.following.end(), command) == r.following.end()) continue;
    const std::size_t node = nodeOf(r.level, bank);
    if (r.window > 1) {
      const std::deque<Event> &w = windows_[i * static_cast<std::size_t>(spec_->device.allNodes) + node];
      if (static_cast<int>(w.size()) == r.window) consider(w.front(), r.latency.value, i);
      continue;
    }
    for (const int p : r.preceding) {
      const std::size_t at = node * static_cast<std::size_t>(spec_->device.commands) + static_cast<std::size_t>(p);
      consider(last_[at], r.after(lengths_[at]), i);
    }
  }
}

void CriticalPath::considerBanks(const IssuedCommand &c, Cause &best) const {
  const auto consider = [&](int bank) {
    const BankTimes &b = banks_[static_cast<std::size_t>(bank)];
    const Event &e = b.isRefresh ? b.refreshed : b.precharged;
    const Tick busy = b.isRefresh ? spec_->device.refreshTime : spec_->device.prechargeTime;
    if (e.time < 0 || busy == 0 || e.time + busy != c.time) return;
    if (best.isFound && best.from.time >= e.time) return;
    best = {e, b.isRefresh ? Wait::kRefreshing : Wait::kPrecharging, -1, true};
  };
  if (c.kind == CommandKind::kActivate || (c.kind == CommandKind::kRefresh && spec_->refreshWaits))
    for (std::uint64_t m = c.banks; m != 0; m &= m - 1) consider(std::countr_zero(m));
}

void CriticalPath::considerArrival(const IssuedCommand &c, const Packet *packet, Cause &best) const {
  const auto consider = [&](const Packet &p) {
    if (p.visible == c.time) best = {p.origin, Wait::kArrival, -1, true};
  };
  if (packet != nullptr) return consider(*packet);
  // A row is closed on conflict when the first transaction for another one arrives.
  if (c.kind != CommandKind::kPrecharge) return;
  for (const Packet &p : pending_)
    if ((spec_->reach(p.t) & c.banks) != 0 && p.t.row != c.row) consider(p);
}

CriticalPath::Cause CriticalPath::afterPrevious(const IssuedCommand &c, const Packet *packet) const {
  const auto is = [&](Wait w) { return Cause{previous_, w, -1, true}; };
  if (c.kind == CommandKind::kRefresh && previousCommand_.kind == CommandKind::kPrecharge &&
      previousCommand_.bank / spec_->device.banksPerRank == c.bank / spec_->device.banksPerRank)
    return is(Wait::kRowsClosed);
  const bool isColumnBefore = previousCommand_.command != nullptr;
  const bool isBarrier = c.command != nullptr && packet != nullptr && packet->t.isBarrier;
  const bool isLookAhead =
      c.kind == CommandKind::kActivate && isColumnBefore && !pending_.empty() && pending_.front().t.isBarrier;
  if (previousIsBarrier_ || (isColumnBefore && (isBarrier || isLookAhead))) return is(Wait::kBarrierOrder);
  return is(Wait::kCommandBus);
}

bool CriticalPath::isRefreshDue(Tick t) const {
  if (!spec_->hasRefresh) return false;
  for (int r = 0; r < spec_->device.ranks; ++r) {
    const Tick first = spec_->refreshInterval / spec_->device.ranks * (r + 1);
    if (t >= first && (t - first) % spec_->refreshInterval == 0) return true;
  }
  return false;
}

CriticalPath::Event CriticalPath::add(const Cause &cause, Tick time, int phase) {
  const Id id = base_ + static_cast<Id>(links_.size());
  PIMENTO_CHECK(cause.from.link >= base_ - 1 && "causes that were folded cannot bind any more");
  links_.push_back({static_cast<std::int32_t>(id - cause.from.link), static_cast<std::int32_t>(time - cause.from.time),
                    static_cast<std::int16_t>(cause.constraint), static_cast<std::uint16_t>(phase), cause.wait});
  return {id, time};
}

void CriticalPath::remember(const IssuedCommand &c, const Event &event, int phase) {
  const auto command = static_cast<std::size_t>(c.op);
  for (std::uint64_t m = c.banks; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    for (int level = 0; level < DeviceSpec::kLevels; ++level) {
      const std::size_t at =
          nodeOf(static_cast<machine::ScopeLevel>(level), b) * static_cast<std::size_t>(spec_->device.commands) +
          command;
      last_[at] = event;
      lengths_[at] = c.command != nullptr ? c.command->length : 0;
    }
    BankTimes &bank = banks_[static_cast<std::size_t>(b)];
    if (c.kind == CommandKind::kActivate) bank.phase = phase;
    if (c.kind == CommandKind::kPrecharge) bank.precharged = event;
    if (c.kind == CommandKind::kRefresh) bank.refreshed = event;
    if (c.kind == CommandKind::kPrecharge || c.kind == CommandKind::kRefresh)
      bank.isRefresh = c.kind == CommandKind::kRefresh;
  }
  for (std::size_t i = 0; i < dram_->constraints.size(); ++i) {
    const machine::TimingConstraint &r = dram_->constraints[i];
    if (r.window < 2 || std::find(r.preceding.begin(), r.preceding.end(), c.op) == r.preceding.end()) continue;
    std::set<std::size_t> nodes;
    for (std::uint64_t m = c.banks; m != 0; m &= m - 1) nodes.insert(nodeOf(r.level, std::countr_zero(m)));
    for (const std::size_t node : nodes) {
      std::deque<Event> &w = windows_[i * static_cast<std::size_t>(spec_->device.allNodes) + node];
      w.push_back(event);
      if (static_cast<int>(w.size()) > r.window) w.pop_front();
    }
  }
  for (const Modes::Change &r : spec_->modes.changes)
    if (r.command == c.kind && r.row == c.row) mode_ = event;
}

void CriticalPath::removePacket(const IssuedCommand &c, const Event &event, int phase) {
  const Packet *packet = packetFor(c);
  PIMENTO_CHECK(packet != nullptr && "every column command was queued");
  const Tick latency = spec_->latency[static_cast<std::size_t>(c.op)];
  if (event.time + latency > completion_ || completing_.time < 0) {
    completing_ = event;
    completion_ = event.time + latency;
    isCompletingWrite_ = c.kind == CommandKind::kWrite;
    completingPhase_ = phase;
  }
  if (packet->t.isBarrier && isFenced_) {
    isFenced_ = false;
    hasRelease_ = true;
    release_ = add({event, Wait::kFence, -1, true}, event.time + latency + spec_->fence, phase);
  }
  freed_[static_cast<std::size_t>(issuedColumns_++ % spec_->commandQueue)] = event;
  pending_.erase(pending_.begin() + (packet - pending_.data()));
}

// Everything that can still be a cause goes back to one link: up to there the chain is settled, whichever it will be.
void CriticalPath::fold(Tick now) {
  std::vector<Id> live;
  const auto keep = [&](const Event &e) {
    if (e.time >= 0 && e.time + longest_ >= now) live.push_back(e.link);
  };
  for (const Event &e : last_) keep(e);
  for (const std::deque<Event> &w : windows_)
    for (const Event &e : w) keep(e);
  for (const Event &e : freed_)
    if (e.time >= lastVisible_) live.push_back(e.link);
  for (const Packet &p : pending_)
    if (p.visible > now) live.push_back(p.origin.link);
  if (!cursor_.isDone()) live.push_back(lastOrigin_.link);
  if (hasRelease_) live.push_back(release_.link);
  keep(mode_);
  live.push_back(previous_.link);
  if (completing_.time >= 0) live.push_back(completing_.link);
  const Id meet = meetingPoint(std::move(live));
  if (meet >= base_) {
    addChain(meet, base_ - 1, settled_);
    links_.erase(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(meet - base_ + 1));
    base_ = meet + 1;
  }
  foldAt_ = links_.size() + kFoldAfter;
}

CriticalPath::Id CriticalPath::meetingPoint(std::vector<Id> live) const {
  std::set<Id> open(live.begin(), live.end());
  while (open.size() > 1) {
    const Id last = *open.rbegin();
    open.erase(last);
    if (last < base_) return base_ - 1;
    open.insert(last - link(last).back);
  }
  return *open.begin();
}

void CriticalPath::addChain(Id from, Id downTo, Sums &sums) const {
  for (Id id = from; id > downTo; id -= link(id).back) {
    const Link &l = link(id);
    auto &[count, cycles] = sums[{l.wait, l.constraint, l.phase}];
    count += l.wait == Wait::kArrival ? l.lag : 1;  // one transaction per cycle
    cycles += l.lag;
  }
}

CriticalPathResult CriticalPath::result() const {
  CriticalPathResult out;
  out.commands = commands_;
  Sums sums = settled_;
  if (completing_.time >= 0) {
    addChain(completing_.link, base_ - 1, sums);
    for (const auto &[key, value] : sums)
      if (key.wait != Wait::kArrival && key.wait != Wait::kFence) out.onPath += value.first;
    sums[{isCompletingWrite_ ? Wait::kWriteCompletion : Wait::kReadCompletion, -1, completingPhase_}] = {
        1, completion_ - completing_.time};
  }
  sums[{Wait::kFirstCycle, -1, 0}] = {1, 1};
  for (const auto &[key, value] : sums)
    out.shares.push_back({key.wait, key.constraint, key.phase, value.first, value.second});
  return out;
}

}  // namespace pimento::sim::dram
