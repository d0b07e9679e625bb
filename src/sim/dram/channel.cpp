#include "pimento/sim/dram/channel.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using machine::CommandKind;
using program::Transaction;

ChannelCounts &ChannelCounts::add(const ChannelCounts &o, std::int64_t times) {
  activates += o.activates * times;
  allBankActivates += o.allBankActivates * times;
  precharges += o.precharges * times;
  allBankPrecharges += o.allBankPrecharges * times;
  refreshes += o.refreshes * times;
  lostRefreshes += o.lostRefreshes * times;
  columns += o.columns * times;
  return *this;
}

ChannelSpec::ChannelSpec(const machine::Machine &machine) : device(*machine.dram) {
  const machine::Dram &d = *machine.dram;
  for (std::size_t i = 0; i < d.commands.size(); ++i) {
    const int index = static_cast<int>(i);
    switch (d.commands[i].kind) {
      case CommandKind::kActivate:
        activate = index;
        break;
      case CommandKind::kPrecharge:
        precharge = index;
        break;
      case CommandKind::kRead:
        read = index;
        break;
      case CommandKind::kWrite:
        write = index;
        break;
      case CommandKind::kRefresh:
        refresh = index;
        break;
    }
  }
  PIMENTO_CHECK(activate >= 0 && precharge >= 0 && read >= 0 && write >= 0 && device.banks <= 64);
  const machine::Controller &c = d.controller;
  transactionQueue = c.transactionQueue;
  commandQueue = c.commandQueue;
  isEagerPrecharge = c.prechargePolicy == "eager";
  hasSingleRefreshSlot = c.refreshPolicy == "single-slot";
  hasRefresh = c.refreshPolicy != "none" && refresh >= 0 && d.refreshInterval.value > 0;
  refreshWaits = c.refreshWaitsForPrecharge;
  losesBarriers = c.losesBarrierOnFullQueue;
  fence = c.fence.value;
  commandLatency = c.commandLatency.value;
  readLatency = d.readLatency.value;
  writeLatency = d.writeLatency.value;
  refreshInterval = d.refreshInterval.value;
  columns = d.organization.columns;
  Tick longest = hasRefresh ? refreshInterval : 0;
  for (const machine::TimingConstraint &t : d.constraints) longest = std::max(longest, t.latency.value);
  patience = 256 * longest + fence;
  if (!machine.pim) return;
  const machine::PimUnit &p = *machine.pim;
  allBankLimit = static_cast<int>(p.banksPerBlock);
  pimRanks = static_cast<int>(p.pimRanks);
  firstControlRow = p.firstControlRow;
  reservedRows.push_back(firstControlRow);
  for (const auto &[name, row] : p.rows) reservedRows.push_back(row);
  for (const machine::ModeRule &r : p.modeRules) {
    // Writes switch between the two all-bank modes, which share one timing.
    if (r.command == CommandKind::kWrite || r.command == CommandKind::kRead) continue;
    std::uint64_t mask = 0;
    for (const int b : r.banks) mask |= std::uint64_t{1} << b;
    modeRules.push_back({r.to != machine::PimMode::kSingleBank, r.command, r.row, mask});
    reservedRows.push_back(r.row);
  }
  std::sort(reservedRows.begin(), reservedRows.end());
  reservedRows.erase(std::unique(reservedRows.begin(), reservedRows.end()), reservedRows.end());
}

Channel::Channel(const ChannelSpec &spec, const program::FlatLoops &code, CommandObserver *observer)
    : spec_(&spec),
      observer_(observer),
      cursor_(code),
      device_(spec.device),
      queue_(static_cast<std::size_t>(2 * spec.commandQueue)),
      progress_(spec.modeRules.size(), 0) {
  if (!spec.hasRefresh) return;
  for (int r = 0; r < spec.device.ranks; ++r) due_.push_back(spec.refreshInterval / spec.device.ranks * (r + 1));
  nextDue_ = *std::min_element(due_.begin(), due_.end());
}

Checkpoint Channel::run() {
  for (;;) {
    if (nextDue_ <= t_) {
      takeRefreshRequests();
      admit();
      return {isStarved() ? Checkpoint::Kind::kStuck : Checkpoint::Kind::kEvent, -1};
    }
    if (modeAt_ <= t_) {
      isAllBank_ = willBeAllBank_;
      modeAt_ = kNever;
    }
    if (admit()) return {Checkpoint::Kind::kIteration, crossed_};
    if (count_ == 0 && cursor_.isDone()) return {Checkpoint::Kind::kDone, -1};
    Tick limit = kNever;
    const Choice choice = decide(limit);
    if (choice.time < limit) {
      execute(choice);
      t_ = choice.time + 1;
      // With refresh, events look for this, so that a fast-forwarded run stops in the same place.
      if (choice.act == Act::kPrecharge && nextDue_ == kNever && isStarved()) return {Checkpoint::Kind::kStuck, -1};
    } else if (choice.act == Act::kNone && isStuck()) [[unlikely]] {
      return {Checkpoint::Kind::kStuck, -1};
    } else {
      t_ = limit;
    }
  }
}

// One transaction enters the command queue per cycle while there is room; the transaction queue behind it never runs
// dry, since the host has queued everything at cycle 0. Returns true if that completed an iteration worth a look.
bool Channel::admit() {
  bool isCrossed = false;
  while (nextArrival_ < t_ && count_ < spec_->commandQueue && !cursor_.isDone()) {
    Transaction t = cursor_.peek();
    // The transaction queue is exactly full and nothing has overflowed yet: the barrier has nowhere to go.
    if (spec_->losesBarriers && fetched_ + 1 == spec_->transactionQueue) t.isBarrier = false;
    enqueue(t);
    ++fetched_;
    nextArrival_ = (t.isBarrier && spec_->fence > 0) ? kNever : nextArrival_ + 1;
    const int crossed = cursor_.advance();
    if (crossed >= 0 && fetched_ > spec_->transactionQueue &&
        isWorthCheckpoint(cursor_.code().loops()[static_cast<std::size_t>(crossed)])) {
      crossed_ = crossed;
      isCrossed = true;
    }
  }
  if (nextArrival_ < t_) nextArrival_ = t_;
  return isCrossed;
}

// Commands at consecutive columns of a row form one run: only the first of them can be next, so decisions look at runs.
void Channel::enqueue(const Transaction &t) {
  ++count_;
  const program::FlatLoops::FlatCommand &f = cursor_.code().commands()[static_cast<std::size_t>(t.command)];
  if (f.continuesPrevious && runs_ > 0 && !t.isBarrier) {
    Run &last = queue_[static_cast<std::size_t>(head_ + runs_ - 1)];
    if (!last.first.isBarrier && last.first.command + last.length == t.command && last.first.row == t.row &&
        last.first.column + last.length == t.column) {
      ++last.length;
      return;
    }
  }
  makeRoom();
  Run &run = queue_[static_cast<std::size_t>(head_ + runs_++)];
  run.first = t;
  run.length = 1;
  if (observer_ == nullptr) return;
  run.burst = f.command.burst.base;
  for (int d = 0; d < f.depth; ++d)
    run.burst += f.command.burst.stride[static_cast<std::size_t>(d)] * cursor_.counter(d);
}

void Channel::makeRoom() {
  if (head_ + runs_ < static_cast<int>(queue_.size())) return;
  std::copy(queue_.begin() + head_, queue_.begin() + head_ + runs_, queue_.begin());
  head_ = 0;
}

// The earliest thing that can happen, by the controller's priority where times tie: refresh, column, activate,
// precharge. `limit` is the first cycle at which something from outside may change the answer.
Channel::Choice Channel::decide(Tick &limit) const {
  limit = std::min(nextDue_, modeAt_);
  Choice best = refreshChoice();
  const Walk walk = walkQueue();
  if (walk.isOpen && count_ < spec_->commandQueue && !cursor_.isDone()) limit = std::min(limit, nextArrival_ + 1);
  if (walk.column.time < best.time) best = walk.column;
  if (walk.activate.time < best.time) best = walk.activate;
  const Choice pre = prechargeChoice(walk);
  if (pre.time < best.time) best = pre;
  return best;
}

// Nothing can issue now: could a mode change, an arrival or the precharges of a refresh change that?
bool Channel::isStuck() const {
  if (modeAt_ != kNever || (device_.active() != 0 && nextDue_ != kNever)) return false;
  return count_ == spec_->commandQueue || cursor_.isDone() || nextArrival_ == kNever || !walkQueue().isOpen;
}

Channel::Choice Channel::refreshChoice() const {
  Choice best;
  const int perRank = spec_->device.banksPerRank;
  for (std::uint64_t ranks = pending_; ranks != 0; ranks &= ranks - 1) {
    const int rank = std::countr_zero(ranks);
    const std::uint64_t mask = (perRank == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << perRank) - 1))
                               << (rank * perRank);
    const std::uint64_t open = device_.active() & mask;
    if (open == 0) {
      Tick at = device_.earliest(spec_->refresh, rank * perRank, t_);
      if (spec_->refreshWaits)
        for (int b = rank * perRank; b < (rank + 1) * perRank; ++b) at = std::max(at, device_.bank(b).idleAt);
      if (at < best.time) best = {at, Act::kRefresh, rank};
    }
    for (std::uint64_t m = open; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      const Tick at = device_.earliest(spec_->precharge, b, t_);
      if (at < best.time) best = {at, Act::kPrecharge, b};
    }
  }
  return best;
}

// One pass from the head of the queue. Columns and wanted rows: up to the first barrier (a barrier-tagged packet issues
// only from the head). Activates: up to the first barrier that is not the head.
Channel::Walk Channel::walkQueue() const {
  Walk w;
  std::uint64_t idleSeen = 0;
  int lastBank = -1;
  bool lastIsWrite = false;
  for (int i = 0; i < runs_; ++i) {
    const Transaction &p = queued(i).first;
    const std::uint64_t bit = std::uint64_t{1} << p.bank;
    const bool isLater = i > 0 && p.isBarrier;
    if (device_.isActive(p.bank)) {
      if (device_.bank(p.bank).row != p.row) {
        w.conflicted |= bit;
      } else {
        w.needed |= bit;
        // A packet behind an equal one can never be first.
        if (!isLater && !(lastBank == p.bank && lastIsWrite == p.isWrite)) {
          const Tick at = device_.earliest(p.isWrite ? spec_->write : spec_->read, p.bank, t_);
          const int offset = at < w.column.time ? firstWithoutHazard(i) : -1;
          if (offset >= 0) {
            w.column = {at, Act::kColumn, i, offset};
            lastBank = p.bank;
            lastIsWrite = p.isWrite;
          }
        }
      }
    } else if (!isLater) {
      considerActivate(i, idleSeen, w);
    }
    if (!p.isBarrier) continue;
    if (isLater) {
      w.isOpen = false;
      return w;
    }
    // The head carries the barrier: rows of the next group may open early, nothing else.
    for (int j = 1; j < runs_; ++j) {
      const Transaction &q = queued(j).first;
      if (q.isBarrier) {
        w.isOpen = false;
        return w;
      }
      if (!device_.isActive(q.bank)) considerActivate(j, idleSeen, w);
    }
    return w;
  }
  return w;
}

void Channel::considerActivate(int index, std::uint64_t &seen, Walk &walk) const {
  const Transaction &p = queued(index).first;
  const std::uint64_t bit = std::uint64_t{1} << p.bank;
  if (seen & bit) return;
  seen |= bit;
  const int rank = p.bank / spec_->device.banksPerRank;
  if (isAllBank_ && rank < spec_->pimRanks && p.bank % spec_->device.banksPerRank >= spec_->allBankLimit) return;
  // A refresh that waits for precharging banks must not be starved by new activates.
  if (spec_->refreshWaits && ((pending_ >> rank) & 1U)) return;
  const Tick at = std::max(device_.earliest(spec_->activate, p.bank, t_), device_.bank(p.bank).idleAt);
  if (at < walk.activate.time) walk.activate = {at, Act::kActivate, index};
}

// An older packet to the same burst goes first. Position in the run of the first packet that has none, or -1.
int Channel::firstWithoutHazard(int index) const {
  const Run &run = queued(index);
  for (int k = 0; k < run.length; ++k) {
    bool isFree = true;
    for (int i = 0; i < index && isFree; ++i) {
      const Run &q = queued(i);
      const int distance = run.first.column + k - q.first.column;
      isFree = q.first.bank != run.first.bank || q.first.row != run.first.row || distance < 0 || distance >= q.length;
    }
    if (isFree) return k;
  }
  return -1;
}

// Rows that the current barrier group does not want are closed early; the round-robin pointer (bank-major, rank
// fastest) breaks ties and stays where it closed one.
Channel::Choice Channel::prechargeChoice(const Walk &walk) const {
  Choice best;
  std::uint64_t candidates = device_.active() & ~walk.needed;
  if (!spec_->isEagerPrecharge) candidates &= walk.conflicted;
  const int perRank = spec_->device.banksPerRank, ranks = spec_->device.ranks, all = spec_->device.banks;
  int bestDistance = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const int b = std::countr_zero(candidates);
    const Tick at = device_.earliest(spec_->precharge, b, t_);
    if (at > best.time) continue;
    const int distance = (b % perRank * ranks + b / perRank - pointer_ + all) % all;
    if (at < best.time || distance < bestDistance) {
      best = {at, Act::kPrecharge, b};
      bestDistance = distance;
    }
  }
  if (best.act == Act::kPrecharge) best.index |= 0x100;  // by the eager policy: moves the pointer
  return best;
}

void Channel::execute(const Choice &choice) {
  t_ = choice.time;
  switch (choice.act) {
    case Act::kColumn:
      issueColumn(choice.index, choice.offset);
      break;
    case Act::kActivate: {
      const Transaction &p = queued(choice.index).first;
      device_.issue(spec_->activate, p.bank, p.row, p.command, t_);
      ++(reachesAllBlocks(p.bank, p.row) ? counts_.allBankActivates : counts_.activates);
      notify(spec_->activate, p.bank, p.row);
      trackMode(CommandKind::kActivate, p.bank, p.row);
      break;
    }
    case Act::kPrecharge: {
      const int b = choice.index & 0xff;
      if (choice.index & 0x100)
        pointer_ = b % spec_->device.banksPerRank * spec_->device.ranks + b / spec_->device.banksPerRank;
      const std::int64_t row = device_.bank(b).row;
      device_.issue(spec_->precharge, b, 0, -1, t_);
      ++(reachesAllBlocks(b, row) ? counts_.allBankPrecharges : counts_.precharges);
      notify(spec_->precharge, b, row);
      trackMode(CommandKind::kPrecharge, b, row);
      break;
    }
    case Act::kRefresh:
      device_.issue(spec_->refresh, choice.index * spec_->device.banksPerRank, 0, -1, t_);
      pending_ &= ~(std::uint64_t{1} << choice.index);
      ++counts_.refreshes;
      notify(spec_->refresh, choice.index * spec_->device.banksPerRank, 0);
      break;
    case Act::kNone:
      PIMENTO_CHECK(!"nothing can ever issue");
  }
}

void Channel::issueColumn(int index, int offset) {
  const Run run = queued(index);
  Transaction t = run.first;
  t.command += offset;
  t.column = static_cast<std::int16_t>(t.column + offset);
  const int command = t.isWrite ? spec_->write : spec_->read;
  const Tick latency = t.isWrite ? spec_->writeLatency : spec_->readLatency;
  device_.issue(command, t.bank, t.row, t.command, t_);
  lastCompletion_ = std::max(lastCompletion_, t_ + latency);
  ++counts_.columns;
  if (t.isBarrier && spec_->fence > 0 && nextArrival_ == kNever) nextArrival_ = t_ + latency + spec_->fence;
  if (observer_ != nullptr) notify(command, t.bank, t.row, t.column, &t, run.burst + offset);
  removeFromRun(index, offset);
}

void Channel::removeFromRun(int index, int offset) {
  --count_;
  Run &run = queue_[static_cast<std::size_t>(head_ + index)];
  if (offset > 0) {  // an older packet to the same burst held the front of the run back
    const int behind = run.length - offset - 1;
    run.length = offset;
    if (behind > 0) insertRest(index, offset + 1, behind);
    return;
  }
  if (--run.length > 0) {
    ++run.first.command;
    ++run.first.column;
    ++run.burst;
    return;
  }
  for (int i = index; i > 0; --i)
    queue_[static_cast<std::size_t>(head_ + i)] = queue_[static_cast<std::size_t>(head_ + i - 1)];
  ++head_;
  --runs_;
}

/// Makes the last `length` packets of run `index`, from `offset` on, a run of their own.
void Channel::insertRest(int index, int offset, int length) {
  makeRoom();
  for (int i = runs_; i > index + 1; --i)
    queue_[static_cast<std::size_t>(head_ + i)] = queue_[static_cast<std::size_t>(head_ + i - 1)];
  Run &rest = queue_[static_cast<std::size_t>(head_ + index + 1)];
  rest = queued(index);
  rest.first.command += offset;
  rest.first.column = static_cast<std::int16_t>(rest.first.column + offset);
  rest.burst += offset;
  rest.length = length;
  ++runs_;
}

void Channel::trackMode(CommandKind kind, int bank, std::int64_t row) {
  if (spec_->modeRules.empty() || row < spec_->reservedRows.front()) return;
  for (std::size_t i = 0; i < spec_->modeRules.size(); ++i) {
    const ChannelSpec::Rule &r = spec_->modeRules[i];
    // Commands arrive in order, so this one meets the mode that the ones before it will have set.
    if (r.command != kind || r.row != row || r.toAllBank == willBeAllBank_) continue;
    const std::uint64_t bit = std::uint64_t{1} << (bank % spec_->device.banksPerRank);
    if (bank >= spec_->device.banksPerRank * spec_->pimRanks || !(r.banks & bit)) continue;
    progress_[i] |= bit;
    if (progress_[i] != r.banks) continue;
    progress_[i] = 0;
    willBeAllBank_ = r.toAllBank;
    modeAt_ = t_ + spec_->commandLatency;
  }
}

void Channel::notify(int command, int bank, std::int64_t row, std::int64_t column, const Transaction *transaction,
                     std::int64_t burst) const {
  if (observer_ == nullptr) return;
  IssuedCommand c{t_, spec_->device.kind[static_cast<std::size_t>(command)], bank, row, column, nullptr, burst};
  if (transaction != nullptr)
    c.command = &cursor_.code().commands()[static_cast<std::size_t>(transaction->command)].command;
  observer_->onCommand(c);
}

void Channel::takeRefreshRequests() {
  for (int r = 0; r < spec_->device.ranks; ++r) {
    Tick &due = due_[static_cast<std::size_t>(r)];
    if (due > t_) continue;
    due += spec_->refreshInterval;
    const std::uint64_t bit = std::uint64_t{1} << r;
    if (spec_->hasSingleRefreshSlot) {
      if (pending_ != 0) ++counts_.lostRefreshes;
      pending_ = bit;
    } else {
      if (pending_ & bit) ++counts_.lostRefreshes;
      pending_ |= bit;
    }
  }
  nextDue_ = *std::min_element(due_.begin(), due_.end());
}

Transaction Channel::normalised(const Transaction &t, int scope) const {
  Transaction n = t;
  const program::FlatLoops &code = cursor_.code();
  const program::FlatLoops::FlatCommand &f = code.commands()[static_cast<std::size_t>(t.command)];
  const int deepest = std::min({scope, f.depth - 1, cursor_.depth() - 1});
  for (int d = 0; d <= deepest; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const int loop = cursor_.loopAt(d);
    if (f.loops[i] != loop) break;
    if (!code.loops()[static_cast<std::size_t>(loop)].isUniform) continue;
    n.row -= static_cast<std::int32_t>(f.command.row.stride[i] * cursor_.counter(d));
    n.column = static_cast<std::int16_t>(n.column - f.command.column.stride[i] * cursor_.counter(d));
  }
  return n;
}

void Channel::encode(int scope, bool withCountdowns, StateWords &out) const {
  out.put(cursor_.step(), scope);
  for (int d = 0; d < cursor_.depth(); ++d)
    if (d > scope || !cursor_.code().loops()[static_cast<std::size_t>(cursor_.loopAt(d))].isUniform)
      out.put(cursor_.counter(d));
  out.put((isAllBank_ ? 1 : 0) | (willBeAllBank_ ? 2 : 0) | (pointer_ << 2), runs_);
  out.put(modeAt_ == kNever ? -1 : modeAt_ - t_);
  // A completion still ahead may be the last one of all; one that has passed cannot.
  out.put(std::max<Tick>(lastCompletion_ - t_, 0));
  out.put(static_cast<std::int64_t>(pending_));
  out.put(nextArrival_ == kNever ? -1 : std::max<Tick>(nextArrival_ - t_, 0));
  out.put(std::min(fetched_, spec_->transactionQueue));
  for (const std::uint64_t p : progress_) out.put(static_cast<std::int64_t>(p));
  for (int i = 0; i < runs_; ++i) {
    const Run &run = queued(i);
    const Transaction t = normalised(run.first, scope);
    out.put(t.row, t.column);
    out.put(t.command, 2 * run.length + (run.first.isBarrier ? 1 : 0));
  }
  out.put(static_cast<std::int64_t>(device_.active()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const Bank &b = device_.bank(std::countr_zero(m));
    Transaction t;
    t.row = b.row;
    t.command = b.opener;
    out.put(normalised(t, scope).row, b.opener);
  }
  device_.encode(t_, out);
  if (!withCountdowns) return;
  out.put(-7);
  for (const Tick due : due_) out.put(due - t_);
}

void Channel::shift(const LoopShift &by, Tick time, bool withEvents) {
  const program::FlatLoops &code = cursor_.code();
  const auto moved = [&](int command, std::int64_t &row, std::int64_t &column) {
    const program::FlatLoops::FlatCommand &f = code.commands()[static_cast<std::size_t>(command)];
    row = column = 0;
    for (int d = 0; d < std::min(f.depth, cursor_.depth()); ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (f.loops[i] != cursor_.loopAt(d)) break;
      row += f.command.row.stride[i] * by[i];
      column += f.command.column.stride[i] * by[i];
    }
  };
  std::int64_t row = 0, column = 0;
  for (int i = 0; i < runs_; ++i) {
    Transaction &t = queue_[static_cast<std::size_t>(head_ + i)].first;
    moved(t.command, row, column);
    t.row += static_cast<std::int32_t>(row);
    t.column = static_cast<std::int16_t>(t.column + column);
  }
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    moved(device_.bank(b).opener, row, column);
    device_.shiftRow(b, row);
  }
  for (int d = 0; d < program::kMaxDepth; ++d)
    if (by[static_cast<std::size_t>(d)] != 0) cursor_.shift(d, by[static_cast<std::size_t>(d)]);
  device_.shiftTimes(time);
  t_ += time;
  lastCompletion_ += time;
  if (nextArrival_ != kNever) nextArrival_ += time;
  if (modeAt_ != kNever) modeAt_ += time;
  if (!withEvents) return;
  for (Tick &due : due_) due += time;
  if (nextDue_ != kNever) nextDue_ += time;
}

}  // namespace pimento::sim::dram
