#include "pimento/sim/core/core.h"

#include <algorithm>
#include <functional>

namespace pimento::sim::core {

std::string_view name(Cause cause) {
  constexpr std::string_view kNames[kCauses] = {"base", "fetch", "branch", "execute", "cache", "memory"};
  return kNames[static_cast<std::size_t>(cause)];
}

machine::CoreOperation classOf(const trace::Instruction &in) {
  using enum trace::Operation;
  using machine::CoreOperation;
  switch (in.operation) {
    case kShift:
      return CoreOperation::kShift;
    case kMultiply:
      return CoreOperation::kMultiply;
    case kDivide:
      return CoreOperation::kDivide;
    case kLoad:
      return CoreOperation::kLoad;
    case kStore:
    case kLoadStore:
      return CoreOperation::kStore;
    case kBranch:
    case kCall:
    case kIndirect:
    case kIndirectCall:
    case kReturn:
      return in.loads ? CoreOperation::kLoad : CoreOperation::kBranch;
    case kFloatAdd:
    case kFloatOther:
      return CoreOperation::kFloatAdd;
    case kFloatMultiply:
      return CoreOperation::kFloatMultiply;
    case kFloatMultiplyAdd:
      return CoreOperation::kFloatMultiplyAdd;
    case kFloatDivide:
      return CoreOperation::kFloatDivide;
    case kFloatSqrt:
      return CoreOperation::kFloatSqrt;
    case kVector:
      return CoreOperation::kVector;
    case kVectorMultiply:
      return CoreOperation::kVectorMultiply;
    case kSystem:
      return CoreOperation::kSystem;
    default:
      break;
  }
  const bool isShifted = std::any_of(in.operands.begin(), in.operands.begin() + in.operandCount,
                                     [](const trace::Operand &o) { return o.isShifted; });
  return isShifted ? CoreOperation::kShift : CoreOperation::kInteger;
}

Core::Core(const machine::Machine &machine)
    : machine_(machine),
      core_(*machine.core),
      caches_(machine),
      predictor_(core_),
      frontEnd_(static_cast<int>(core_.frontEnd.value) * core_.fetchWidth),
      rob_(core_.robEntries),
      loads_(core_.loadQueue),
      storeRoom_(core_.storeQueue),
      issue_(core_.issueWidth),
      stores_(static_cast<std::size_t>(core_.storeQueue)) {
  for (const machine::Core::Unit &u : core_.units) units_.emplace_back(u.count);
  waiting_.reserve(static_cast<std::size_t>(core_.issueQueue) + 1);
}

/// The cycle in which it is fetched: at most so many per cycle, none after a wrong guess until it is known, and none
/// while the stages before dispatch are full.
Tick Core::fetch(const trace::Instruction &in) {
  if (const Tick room = std::max(redirect_, frontEnd_.room()); room > fetchCycle_) {
    fetchCycle_ = room;
    fetchedInCycle_ = 0;
  } else if (fetchedInCycle_ == core_.fetchWidth) {
    ++fetchCycle_;
    fetchedInCycle_ = 0;
  }
  const machine::CacheLevel &c = machine_.caches[static_cast<std::size_t>(caches_.instructionCache())];
  const std::uint64_t line = in.address / static_cast<std::uint64_t>(c.line.value);
  if (line != fetchLine_) {
    fetchLine_ = line;
    // A hit is part of the front end.
    const cache::Answer a = caches_.access(caches_.instructionCache(), in.address, false, fetchCycle_);
    const Tick late = a.ready - c.latency.value;
    if (late > fetchCycle_) {
      fetchCycle_ = late;
      fetchedInCycle_ = 0;
      redirect_ = late;
      redirectCause_ = Cause::kFetch;
    }
  }
  ++fetchedInCycle_;
  return fetchCycle_;
}

/// In order, at most so many per cycle, where reorder buffer and queues have room.
Tick Core::dispatch(const trace::Instruction &in, Tick fetched) {
  Tick at = std::max({fetched + core_.frontEnd.value, lastDispatch_, rob_.room()});
  if (in.loads) at = std::max(at, loads_.room());
  if (in.stores) at = std::max(at, storeRoom_.room());
  while (!waiting_.empty() &&
         (waiting_.front() <= at || waiting_.size() == static_cast<std::size_t>(core_.issueQueue))) {
    at = std::max(at, waiting_.front());
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    waiting_.pop_back();
  }
  if (at == lastDispatch_ && dispatchedInCycle_ == core_.dispatchWidth) ++at;
  if (at > lastDispatch_) dispatchedInCycle_ = 0;
  ++dispatchedInCycle_;
  lastDispatch_ = at;
  frontEnd_.add(at);
  return at;
}

/// The first cycle that has both a unit and a slot to issue.
Tick Core::issue(const machine::Core::Execution &e, Tick ready) {
  Calendar &unit = units_[static_cast<std::size_t>(e.unit)];
  for (Tick at = ready;;) {
    const Tick free = unit.first(at, e.busy.value);
    at = issue_.first(free);
    if (at != free) continue;
    unit.book(at, e.busy.value);
    issue_.book(at);
    return at;
  }
}

/// From the youngest store that overlaps it, else from the caches.
Tick Core::load(const trace::Access &a, Tick at, int &level) {
  ++counts_.loads;
  for (std::size_t n = 1; n <= stores_.size(); ++n) {
    const Store &s = stores_[(nextStore_ + stores_.size() - n) % stores_.size()];
    if (s.bytes == 0 || s.gone <= at) continue;
    if (a.address + a.bytes <= s.address || s.address + s.bytes <= a.address) continue;
    if (s.address <= a.address && a.address + a.bytes <= s.address + s.bytes) {
      ++counts_.forwarded;
      level = -1;
      return std::max(at, s.ready) + core_.forward.value;
    }
    // A part of it is elsewhere: it waits until the store is in the cache.
    at = std::max(at, s.gone);
    break;
  }
  const auto line =
      static_cast<std::uint64_t>(machine_.caches[static_cast<std::size_t>(caches_.dataCache())].line.value);
  Tick ready = at;
  for (std::uint64_t first = a.address; first < a.address + a.bytes; first = (first / line + 1) * line) {
    const cache::Answer answer = caches_.access(caches_.dataCache(), first, false, at);
    ready = std::max(ready, answer.ready);
    level = std::max(level, answer.level);
  }
  return ready;
}

Tick Core::commit(Tick done) {
  Tick at = std::max(done, lastCommit_);
  if (at == lastCommit_ && committedInCycle_ == core_.commitWidth) ++at;
  if (at > lastCommit_) committedInCycle_ = 0;
  ++committedInCycle_;
  return at;
}

/// After its commit a store goes to the cache, in order.
void Core::drain(const trace::Access &a, Tick committed, Tick ready) {
  ++counts_.stores;
  const auto line =
      static_cast<std::uint64_t>(machine_.caches[static_cast<std::size_t>(caches_.dataCache())].line.value);
  Tick gone = std::max(committed, lastDrain_);
  for (std::uint64_t first = a.address; first < a.address + a.bytes; first = (first / line + 1) * line)
    gone = std::max(gone, caches_.access(caches_.dataCache(), first, true, std::max(committed, lastDrain_)).ready);
  lastDrain_ = std::max(committed, lastDrain_) + 1;
  stores_[nextStore_] = {a.address, a.bytes, ready, gone};
  nextStore_ = (nextStore_ + 1) % stores_.size();
}

void Core::blame(const Times &t, Cause late, Tick commit) {
  const Tick gap = commit - lastCommit_;
  if (gap == 0) return;
  stack_[static_cast<std::size_t>(Cause::kBase)] += 1;
  if (gap == 1) return;
  Cause cause = late;
  // What was fetched late, and waited for nothing else, is late for that reason.
  if (t.fetched == redirect_ && t.dispatched == t.fetched + core_.frontEnd.value && redirectCause_ != Cause::kBase &&
      t.issued == t.dispatched + 1)
    cause = redirectCause_;
  stack_[static_cast<std::size_t>(cause)] += gap - 1;
}

Times Core::run(const trace::Instruction &in, std::span<const trace::Access> accesses, std::uint64_t next) {
  Times t;
  t.fetched = fetch(in);
  t.dispatched = dispatch(in, t.fetched);
  const machine::CoreOperation of = classOf(in);
  const machine::Core::Execution &e = core_.of(of);
  ++counts_.instructions;
  ++counts_.executed[static_cast<std::size_t>(of)];

  Tick ready = t.dispatched + 1;
  for (const trace::Register r : in.reads) ready = std::max(ready, ready_[r]);
  if (core_.isInOrder) ready = std::max(ready, lastIssue_);
  t.issued = issue(e, ready);
  lastIssue_ = t.issued;
  waiting_.push_back(t.issued);
  std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());

  t.done = t.issued + e.latency.value;
  for (const trace::Access &a : accesses)
    if (!a.isStore) t.done = std::max(t.done, load(a, t.issued + e.latency.value, t.level));
  for (const trace::Register r : in.writes) ready_[r] = t.done;
  // What changes its base has it as soon as an addition.
  if (in.writesBack && in.loads)
    for (const trace::Register r : in.addressRegisters)
      if (in.writes.has(r)) ready_[r] = t.issued + core_.of(machine::CoreOperation::kInteger).latency.value;

  t.committed = commit(t.done);
  Cause late = Cause::kExecute;
  if (t.level == caches_.levels())
    late = Cause::kMemory;
  else if (t.level > caches_.dataCache())
    late = Cause::kCache;
  blame(t, late, t.committed);
  lastCommit_ = t.committed;
  rob_.add(t.committed);
  if (in.loads) loads_.add(t.committed);
  Tick gone = t.committed;
  for (const trace::Access &a : accesses)
    if (a.isStore) {
      drain(a, t.committed, t.done);
      gone = std::max(gone, stores_[(nextStore_ + stores_.size() - 1) % stores_.size()].gone);
    }
  if (in.stores) storeRoom_.add(gone);

  const bool isTaken = next != in.address + in.bytes;
  if (trace::isBranch(in.operation)) {
    ++counts_.branches;
    switch (predictor_.branch(in, next)) {
      case Guess::kRight:
        break;
      case Guess::kLateTarget:
        ++counts_.lateTargets;
        redirect_ = t.fetched + core_.frontEnd.value;
        redirectCause_ = Cause::kBranch;
        break;
      case Guess::kWrong:
        ++counts_.wrongGuesses;
        redirect_ = t.done;
        redirectCause_ = Cause::kBranch;
        break;
    }
  }
  // The line after a jump comes in the next cycle.
  if (isTaken) fetchedInCycle_ = core_.fetchWidth;
  return t;
}

void Core::warm(const trace::Instruction &in, std::span<const trace::Access> accesses, std::uint64_t next) {
  const auto lineOf = [&](int cache) {
    return static_cast<std::uint64_t>(machine_.caches[static_cast<std::size_t>(cache)].line.value);
  };
  const int code = caches_.instructionCache(), data = caches_.dataCache();
  if (const std::uint64_t line = in.address / lineOf(code); line != fetchLine_) {
    fetchLine_ = line;
    caches_.warm(code, in.address, false);
  }
  const std::uint64_t bytes = lineOf(data);
  for (const trace::Access &a : accesses)
    for (std::uint64_t first = a.address; first < a.address + a.bytes; first = (first / bytes + 1) * bytes)
      caches_.warm(data, first, a.isStore);
  if (trace::isBranch(in.operation)) predictor_.branch(in, next);
}

}  // namespace pimento::sim::core
