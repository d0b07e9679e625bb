#include "pimento/sim/dram/four_queues.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using machine::CommandKind;
using program::Transaction;
using Rule = ChannelSpec::Rule;

FourQueues::FourQueues(const ChannelSpec &spec, const program::FlatLoops *code, CommandObserver *observer)
    : ChannelCore(spec, code, observer) {
  PIMENTO_CHECK(spec.device.commands <= kMostCommands);
  for (Requests *queue : {&opening_, &pim_, &reads_, &writes_})
    queue->reserve(static_cast<std::size_t>(spec.commandQueue));
}

// Asked for every request that is looked at.

[[gnu::always_inline]] inline std::uint64_t FourQueues::holding(std::int32_t row) const {
  if (row != heldRow_) {
    held_ = rows_.holding(row);
    heldRow_ = row;
  }
  return held_;
}

[[gnu::always_inline]] inline int FourQueues::next(const Transaction &t) const {
  const Rule &rule = spec_->rules[static_cast<std::size_t>(t.op)];
  if (!rule.needsRow) return t.op;
  if (!rule.isWide) {
    if (!rows_.isOpen(t.bank)) return rule.opens;
    return ((holding(t.row) >> t.bank) & 1U) != 0 ? t.op : rule.closes;
  }
  const std::uint64_t banks = spec_->device.reach(t.op, t.bank), lacking = banks & ~holding(t.row);
  if (lacking == 0) return t.op;
  // With several open rows the first bank that is not ready decides; else nothing opens while a row is in the way.
  const std::uint64_t asked = spec_->hasSeveralRows ? lacking & -lacking : banks;
  return (rows_.open() & asked) != 0 ? rule.closes : rule.opens;
}

[[gnu::always_inline]] inline bool FourQueues::isRowHit(const Transaction &t) const {
  return spec_->rules[static_cast<std::size_t>(t.op)].needsRow && ((holding(t.row) >> t.bank) & 1U) != 0;
}

[[gnu::always_inline]] inline Tick FourQueues::readyAt(int command, int bank, Tick t) const {
  if (spec_->device.namedBankOnly || spec_->device.width[static_cast<std::size_t>(command)] == 1)
    return device_.earliest(command, bank, t);
  return device_.earliestForAll(command, bank, t);
}

bool FourQueues::accepts(const Transaction &t, Tick now) const {
  const auto hasRoom = [this](const Requests &queue) {
    return static_cast<std::int64_t>(queue.size()) < spec_->commandQueue;
  };
  if (t.op == spec_->write) return hasRoom(writes_);
  if (t.op == spec_->read) {
    // A write that waits has its data.
    for (const Request &w : writes_)
      if (w.t.bank == t.bank && w.t.row == t.row && w.t.column == t.column) return true;
    return hasRoom(reads_);
  }
  const Rule &rule = spec_->rules[static_cast<std::size_t>(t.op)];
  if (rule.isBarrier && (spec_->drainsBeforeBarrier || rule.awaitsData))
    return opening_.empty() && hasNoRequests() && (!rule.awaitsData || lastData_ <= now);
  return hasRoom(pim_);
}

void FourQueues::take(const Transaction &t, Tick now, bool /*mayContinue*/, std::int64_t burst) {
  wake_ = now;
  progress_ = now;
  Queue which = Queue::kPim;
  if (t.op == spec_->write) {
    which = Queue::kWrite;
  } else if (t.op == spec_->read) {
    which = Queue::kRead;
    for (const Request &w : writes_)
      if (w.t.bank == t.bank && w.t.row == t.row && w.t.column == t.column) {
        lastData_ = std::max(now + 1, lastData_ + 1);
        return;
      }
  }
  Request r{now, t, static_cast<std::int16_t>(next(t)), burst};
  r.t.isBarrier = spec_->rules[static_cast<std::size_t>(t.op)].isBarrier;
  Tick &first = notBefore_[static_cast<std::size_t>(which)];
  if (first > now) first = std::min(first, readyAt(r.next, t.bank, now));
  of(which).push_back(r);
  noteSlot(which, r.next);
  if (isRowHit(t)) hits_[static_cast<std::size_t>(which)] |= std::uint64_t{1} << t.bank;
}

void FourQueues::requestRefresh(std::uint64_t /*ranks*/) {
  const int perPseudoChannel =
      spec_->device.banks / spec_->device.nodes[static_cast<std::size_t>(machine::ScopeLevel::kPseudoChannel)];
  for (int b = 0; b < spec_->device.banks; b += perPseudoChannel) maintenance_.push_back(b);
  wake_ = 0;
}

FourQueues::Requests &FourQueues::of(Queue q) {
  switch (q) {
    case Queue::kPim:
      return pim_;
    case Queue::kRead:
      return reads_;
    case Queue::kWrite:
      return writes_;
    case Queue::kOpening:
    case Queue::kMaintenance:
      break;
  }
  return opening_;
}

int FourQueues::nextOfRefresh(int bank) const {
  const int refresh = spec_->refresh;
  return (rows_.open() & spec_->device.reach(refresh, bank)) != 0
             ? spec_->rules[static_cast<std::size_t>(refresh)].closes
             : refresh;
}

[[gnu::always_inline]] inline Device::Hold FourQueues::holdOf(int command, int bank, Tick t) const {
  if (spec_->device.namedBankOnly || spec_->device.width[static_cast<std::size_t>(command)] == 1)
    return device_.hold(command, bank, t);
  return {device_.earliestForAll(command, bank, t), std::uint64_t{1} << bank};
}

// Until a request leaves or rows change.
std::uint64_t FourQueues::hitBanks(Queue which) {
  std::uint64_t &banks = hits_[static_cast<std::size_t>(which)];
  const std::uint32_t bit = 1U << static_cast<int>(which);
  if ((knownHits_ & bit) != 0) return banks;
  knownHits_ |= bit;
  banks = 0;
  for (const Request &r : of(which))
    if (isRowHit(r.t)) banks |= std::uint64_t{1} << r.t.bank;
  return banks;
}

// Requests in the order in which they came: the head if it is ready, else the first ready one, but none that closes a
// row (or goes to one that is closed) where another request hits. Behind a barrier only row commands go.
FourQueues::Found FourQueues::bestInOrder(Queue which, Tick t) {
  Tick &notBefore = notBefore_[static_cast<std::size_t>(which)];
  if (notBefore > t) {
    wake_ = std::min(wake_, notBefore);
    return {};
  }
  const Requests &queue = of(which);
  bool isBehind = false, isHeldBack = false;
  // Banks where a command must wait; meaningful for the commands in `asked`.
  std::array<std::uint64_t, kMostCommands> waiting;
  std::uint64_t asked = 0;
  Tick earliest = kNever;
  const int n = static_cast<int>(queue.size());
  for (int i = 0; i < n; ++i) {
    const Request &r = queue[static_cast<std::size_t>(i)];
    const int command = r.next;
    std::uint64_t &banks = waiting[static_cast<std::size_t>(command)];
    if (((asked >> command) & 1U) == 0) {
      if (r.t.isBarrier) {
        isBehind = true;
        continue;
      }
      asked |= std::uint64_t{1} << command;
      banks = 0;
    } else if (((banks >> r.t.bank) & 1U) != 0) {
      continue;
    }
    if (isBehind && slotOf(command) != 0) continue;
    const Device::Hold hold = holdOf(command, r.t.bank, t);
    if (hold.until > t) {
      earliest = std::min(earliest, hold.until);
      banks |= hold.banks;
      continue;
    }
    if (i > 0 && !isRowHit(r.t) && ((hitBanks(which) >> r.t.bank) & 1U) != 0) {
      isHeldBack = true;
      continue;
    }
    return {which, i, command};
  }
  wake_ = std::min(wake_, earliest);
  if (!isHeldBack) notBefore = earliest;
  return {};
}

// They stand in the order in which they were opened: the older of two that are equally ready wins.
FourQueues::Found FourQueues::bestOpening(Tick t) {
  Tick &notBefore = notBefore_[static_cast<std::size_t>(Queue::kOpening)];
  if (notBefore > t) {
    wake_ = std::min(wake_, notBefore);
    return {};
  }
  int best = -1, bestCommand = -1;
  bool isReady = false, isAnyReady = false;
  Tick earliest = kNever;
  for (int i = 0; i < static_cast<int>(opening_.size()); ++i) {
    const Request &r = opening_[static_cast<std::size_t>(i)];
    const int command = r.next;
    const Tick at = readyAt(command, r.t.bank, t);
    const bool isThisReady = at <= t;
    isAnyReady |= isThisReady;
    if (!isThisReady) earliest = std::min(earliest, at);
    bool isBetter = best < 0;
    if (best >= 0 && isReady == isThisReady) {
      isBetter = r.age < opening_[static_cast<std::size_t>(best)].age;
    } else if (best >= 0 && isThisReady) {
      if (!isRowHit(r.t)) {
        isBetter = ((hitBanks(Queue::kOpening) >> r.t.bank) & 1U) == 0;
      } else {
        isBetter = true;
      }
    }
    if (!isBetter) continue;
    best = i;
    bestCommand = command;
    isReady = isThisReady;
  }
  wake_ = std::min(wake_, earliest);
  if (!isAnyReady) notBefore = earliest;
  return isReady ? Found{Queue::kOpening, best, bestCommand} : Found{};
}

FourQueues::Found FourQueues::look(Tick t, int taken) {
  const auto isFree = [&](const Found &f) { return f.index >= 0 && slotOf(f.command) != taken; };
  if (wants(Queue::kOpening, taken))
    if (const Found f = bestOpening(t); isFree(f)) return f;
  wasPim_ = false;
  if (!maintenance_.empty()) {
    const int command = nextOfRefresh(maintenance_.front());
    if (taken != slotOf(command)) {
      const Tick at = readyAt(command, maintenance_.front(), t);
      if (at <= t) return {Queue::kMaintenance, 0, command};
      wake_ = std::min(wake_, at);
      headCommand_ = command;
      return {};
    }
    // In the published models columns pass a refresh whose rows cannot close yet, and so keep them open for ever.
    if (!spec_->device.namedBankOnly) return {};
  }
  while (!pim_.empty() && pim_.front().t.isBarrier) {
    pim_.erase(pim_.begin());
    knownHits_ = 0;
    notBefore_[static_cast<std::size_t>(Queue::kPim)] = 0;
    progress_ = t;
    hasChanged_ = true;
  }
  if (wants(Queue::kPim, taken))
    if (const Found f = bestInOrder(Queue::kPim, t); isFree(f)) {
      wasPim_ = true;
      return f;
    }
  const auto writes = static_cast<std::int64_t>(writes_.size());
  if (isWriting_)
    isWriting_ = !(writes < spec_->writesEnd && !reads_.empty());
  else
    isWriting_ = writes >= spec_->writesBegin || reads_.empty();
  const Queue last = isWriting_ ? Queue::kWrite : Queue::kRead;
  if (wants(last, taken))
    if (const Found f = bestInOrder(last, t); isFree(f)) return f;
  return {};
}

// A row that an opening request has opened is not closed before it was used.
bool FourQueues::isVetoed(const Found &f) const {
  if (f.queue == Queue::kMaintenance ||
      spec_->device.kind[static_cast<std::size_t>(f.command)] != CommandKind::kPrecharge)
    return false;
  const int bank = (f.queue == Queue::kOpening ? opening_
                    : f.queue == Queue::kPim   ? pim_
                    : f.queue == Queue::kRead  ? reads_
                                               : writes_)[static_cast<std::size_t>(f.index)]
                       .t.bank;
  if (spec_->device.namedBankOnly)
    return std::any_of(opening_.begin(), opening_.end(), [&](const Request &r) { return r.t.bank == bank; });
  const std::uint64_t banks = spec_->device.reach(f.command, bank);
  for (const Request &r : opening_)
    if (((banks >> r.t.bank) & 1U) != 0 && isRowHit(r.t)) return true;
  return false;
}

// Requests of the bank need another command now, and those that need rows in many; others the same as before.
void FourQueues::forgetRows(bool isMany, int bank) {
  heldRow_ = -1;
  knownHits_ = 0;
  for (const Queue which : {Queue::kOpening, Queue::kPim, Queue::kRead, Queue::kWrite}) {
    slots_[static_cast<std::size_t>(which)] = 0;
    for (Request &r : of(which)) {
      if (isMany || r.t.isWide || r.t.bank == bank) r.next = static_cast<std::int16_t>(next(r.t));
      noteSlot(which, r.next);
    }
  }
  if (isMany) return notBefore_.fill(0);
  const Tick any = std::min({device_.earliest(spec_->activate, bank, 0), device_.earliest(spec_->precharge, bank, 0),
                             device_.earliest(spec_->read, bank, 0), device_.earliest(spec_->write, bank, 0)});
  for (Tick &first : notBefore_) first = std::min(first, any);
  notBefore_[static_cast<std::size_t>(Queue::kPim)] = 0;
}

void FourQueues::moveRows(int command, const Transaction &t) {
  const std::uint64_t banks = spec_->device.reach(command, t.bank);
  const bool isMany = spec_->device.width[static_cast<std::size_t>(command)] > 1;
  switch (spec_->device.kind[static_cast<std::size_t>(command)]) {
    case CommandKind::kActivate:
      rows_.add(banks, t.row, t.command);
      forgetRows(isMany, t.bank);
      ++(isMany ? counts_.allBankActivates : counts_.activates);
      break;
    case CommandKind::kPrecharge:
      rows_.close(banks);
      forgetRows(isMany, t.bank);
      ++(isMany ? counts_.allBankPrecharges : counts_.precharges);
      break;
    case CommandKind::kRefresh:
      ++counts_.refreshes;
      break;
    case CommandKind::kRead:
    case CommandKind::kWrite:
      ++counts_.columns;
      break;
    case CommandKind::kBarrier:
      break;
  }
}

void FourQueues::issue(const Found &f, Tick t) {
  hasChanged_ = true;
  if (f.queue == Queue::kMaintenance) {
    Transaction refresh;
    refresh.bank = static_cast<std::uint8_t>(maintenance_.front());
    device_.mark(f.command, refresh.bank, t, true);
    moveRows(f.command, refresh);
    notify(t, f.command, refresh.bank, 0, 0, -1);
    if (f.command == spec_->refresh) maintenance_.erase(maintenance_.begin());
    return;
  }
  Requests &queue = of(f.queue);
  const auto at = queue.begin() + f.index;
  const Request r = *at;
  device_.mark(f.command, r.t.bank, t, false, f.command == r.t.op ? lengthOf(r.t.command) : 0);
  moveRows(f.command, r.t);
  notify(t, f.command, r.t.bank, r.t.row, r.t.column, r.t.command, r.burst);
  if (f.command == r.t.op) {
    queue.erase(at);
    knownHits_ &= ~(1U << static_cast<int>(f.queue));
    progress_ = t;
    const auto op = static_cast<std::size_t>(f.command);
    if (spec_->hasData[op]) lastData_ = std::max(t + spec_->latency[op], lastData_ + 1);
    return;
  }
  const bool isOpening = spec_->device.kind[static_cast<std::size_t>(f.command)] == CommandKind::kActivate;
  if (!isOpening || f.queue == Queue::kPim || (f.queue == Queue::kOpening && wasPim_)) return;
  const Request opened = *at;  // its next command is another one now
  queue.erase(at);
  opening_.push_back(opened);
  noteSlot(Queue::kOpening, opened.next);
  notBefore_[static_cast<std::size_t>(Queue::kOpening)] = 0;
}

void FourQueues::cycle(Tick t) {
  wake_ = kNever;
  hasChanged_ = false;
  headCommand_ = -1;
  const Found first = look(t, -1);
  const bool isFound = first.index >= 0;
  if (!isFound && headCommand_ < 0) {
    if (hasChanged_) wake_ = t + 1;
    return;
  }
  const int slot = slotOf(isFound ? first.command : headCommand_);
  const bool isVeto = isFound && isVetoed(first);
  if (isFound && !isVeto) issue(first, t);
  const Found second = look(t, slot);
  bool isSecondVeto = false;
  if (second.index >= 0) {
    isSecondVeto = isVetoed(second);
    if (!isSecondVeto) issue(second, t);
  }
  if (hasChanged_ || isVeto || isSecondVeto) wake_ = t + 1;
}

}  // namespace pimento::sim::dram
