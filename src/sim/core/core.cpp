#include "pimento/sim/core/core.h"

#include <algorithm>
#include <bit>

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
    case kCim:
      return in.stores ? CoreOperation::kStore : CoreOperation::kLoad;
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

namespace {

int lineShift(const machine::Machine &machine, int cache) {
  return std::countr_zero(static_cast<std::uint64_t>(machine.caches[static_cast<std::size_t>(cache)].line.value));
}

}  // namespace

Core::Core(const machine::Machine &machine, cache::Behind *behind, int number)
    : machine_(machine),
      core_(*machine.core),
      caches_(machine, behind, number),
      pages_(machine),
      predictor_(core_),
      frontEnd_(static_cast<int>(core_.frontEnd.value) * core_.fetchWidth),
      rob_(core_.robEntries),
      loads_(core_.loadQueue),
      storeRoom_(core_.storeQueue),
      waiting_(core_.issueQueue),
      issue_(core_.issueWidth),
      stores_(static_cast<std::size_t>(core_.storeQueue)),
      instructionShift_(lineShift(machine, caches_.instructionCache())),
      dataShift_(lineShift(machine, caches_.dataCache())) {
  for (const machine::Core::Unit &u : core_.units) units_.emplace_back(u.count);
  computed_.at.resize(machine.caches.size());
  if (machine.translation) {
    std::vector<cache::Tlb::Level> levels;
    for (const machine::Translation::Level &l : machine.translation->levels)
      levels.push_back({l.entries, l.ways, l.latency.value});
    tlb_.emplace(levels, machine.translation->walk.value);
    if (const auto size = machine.numbers.find("pages.size"); size != machine.numbers.end())
      pageShift_ = std::countr_zero(static_cast<std::uint64_t>(size->second.canonical));
  }
}

Step Core::prepare(const trace::Instruction &in) const {
  Step s;
  s.in = &in;
  s.address = in.address;
  s.after = in.address + in.bytes;
  s.of = classOf(in);
  const machine::Core::Execution &e = core_.of(s.of);
  s.latency = static_cast<std::int32_t>(e.latency.value);
  s.busy = static_cast<std::int32_t>(e.busy.value);
  s.unit = static_cast<std::uint8_t>(e.unit);
  s.loads = in.loads;
  s.stores = in.stores;
  s.isBranch = trace::isBranch(in.operation);
  s.hasEarlyBase = in.writesBack && in.loads;
  s.isCim = in.operation == trace::Operation::kCim;
  if (s.isCim) {
    // A stream of another machine may name a cache that is not here.
    int level = caches_.dataCache();
    while (level != in.cim.level && machine_.caches[static_cast<std::size_t>(level)].next >= 0)
      level = machine_.caches[static_cast<std::size_t>(level)].next;
    s.cimLevel = static_cast<std::uint8_t>(level);
  }
  s.readCount = static_cast<std::uint8_t>(in.reads.size());
  s.writeCount = static_cast<std::uint8_t>(in.writes.size());
  if (s.readCount <= Step::kInline) std::copy(in.reads.begin(), in.reads.end(), s.firstReads.begin());
  if (s.writeCount <= Step::kInline) std::copy(in.writes.begin(), in.writes.end(), s.firstWrites.begin());
  return s;
}

/// The cycle in which it is fetched: at most so many per cycle, none after a wrong guess until it is known, and none
/// while the stages before dispatch are full.
Tick Core::fetch(const Step &s) {
  if (const Tick room = std::max(redirect_, frontEnd_.room()); room > fetchCycle_) {
    fetchCycle_ = room;
    fetchedInCycle_ = 0;
  } else if (fetchedInCycle_ == core_.fetchWidth) {
    ++fetchCycle_;
    fetchedInCycle_ = 0;
  }
  const std::uint64_t line = s.address >> instructionShift_;
  if (line != fetchLine_) {
    fetchLine_ = line;
    // A hit is part of the front end.
    const cache::Answer a = caches_.access(caches_.instructionCache(), pages_.physical(s.address), false, fetchCycle_);
    const Tick late = a.ready - machine_.caches[static_cast<std::size_t>(caches_.instructionCache())].latency.value;
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
Tick Core::dispatch(const Step &s, Tick fetched) {
  Tick at = std::max({fetched + core_.frontEnd.value, lastDispatch_, rob_.room()});
  if (s.loads) at = std::max(at, loads_.room());
  if (s.stores) at = std::max(at, storeRoom_.room());
  at = waiting_.room(at);
  if (at == lastDispatch_ && dispatchedInCycle_ == core_.dispatchWidth) ++at;
  if (at > lastDispatch_) dispatchedInCycle_ = 0;
  ++dispatchedInCycle_;
  lastDispatch_ = at;
  frontEnd_.add(at);
  return at;
}

/// The first cycle that has both a unit and a slot to issue.
Tick Core::issue(const Step &s, Tick ready) {
  Calendar &unit = units_[s.unit];
  const bool isPipelined = s.busy == 1;
  for (Tick at = ready;;) {
    const Tick free = isPipelined ? unit.first(at) : unit.first(at, s.busy);
    at = issue_.first(free);
    if (at != free) continue;
    if (isPipelined)
      unit.book(at);
    else
      unit.book(at, s.busy);
    issue_.book(at);
    return at;
  }
}

bool Core::forward(const trace::Access &a, Tick &at) {
  bool isShared = false;
  visitPieces(a.address, a.bytes, [&](std::size_t p) { isShared |= storesAt_[p] != 0; });
  if (!isShared) return false;
  for (std::size_t n = 0, i = nextStore_; n < stores_.size(); ++n) {
    i = i == 0 ? stores_.size() - 1 : i - 1;
    const Store &s = stores_[i];
    if (s.bytes == 0 || s.gone <= at) continue;
    if (a.address + a.bytes <= s.address || s.address + s.bytes <= a.address) continue;
    if (!s.isCim && s.address <= a.address && a.address + a.bytes <= s.address + s.bytes) {
      at = std::max(at, s.ready) + core_.forward.value;
      return true;
    }
    // A part of it is elsewhere, or all of it: it waits until the store is in the cache.
    at = std::max(at, s.gone);
    return false;
  }
  return false;
}

/// From the youngest store that overlaps it, else from the caches.
Tick Core::load(const Step &s, const trace::Access &a, Tick at, Times &times) {
  ++counts_.loads;
  if (forward(a, at)) {
    ++counts_.forwarded;
    times.level = -1;
    return at;
  }
  Tick ready = at;
  const std::uint64_t end = a.address + a.bytes;
  for (std::uint64_t first = a.address; first < end; first = ((first >> dataShift_) + 1) << dataShift_) {
    const std::uint64_t place = pages_.physical(first);
    const cache::Answer answer = caches_.access(caches_.dataCache(), place, false, translated(first, at), s.address);
    ready = std::max(ready, answer.ready);
    times.level = std::max(times.level, answer.level);
    if (first == a.address) times.place = place;
  }
  return ready;
}

/// A result that is stored is computed in the order of stores, after the commit; when it is there.
Tick Core::computeInOrder(const Step &s, std::span<const trace::Access> accesses, Times &times) {
  ++counts_.stores;
  const Tick at = std::max(times.committed, lastDrain_), gone = compute(s, accesses, at, times);
  lastDrain_ = at + 1;
  lastComputed_ = std::max(lastComputed_, gone);
  for (const trace::Access &a : accesses)
    if (a.isStore) enqueue({a.address, a.bytes, gone, gone, true});
  return gone;
}

Tick Core::commit(Tick done) {
  Tick at = std::max(done, lastCommit_);
  if (at == lastCommit_ && committedInCycle_ == core_.commitWidth) ++at;
  if (at > lastCommit_) committedInCycle_ = 0;
  ++committedInCycle_;
  return at;
}

/// After its commit a store goes to the cache, in order; when it is there.
Tick Core::drain(const Step &s, const trace::Access &a, Tick committed, Tick ready) {
  ++counts_.stores;
  Tick at = std::max(committed, lastDrain_);
  if (at < lastComputed_ && timing_.order) at = afterStores(a.address, a.bytes, at, true);
  Tick gone = at;
  const std::uint64_t end = a.address + a.bytes;
  for (std::uint64_t first = a.address; first < end; first = ((first >> dataShift_) + 1) << dataShift_)
    gone = std::max(
        gone,
        caches_.access(caches_.dataCache(), pages_.physical(first), true, translated(first, at), s.address).ready);
  lastDrain_ = at + 1;
  enqueue({a.address, a.bytes, ready, gone});
  return gone;
}

/// Among the last stores.
void Core::enqueue(const Store &store) {
  Store &place = stores_[nextStore_];
  if (place.bytes > 0) visitPieces(place.address, place.bytes, [&](std::size_t p) { --storesAt_[p]; });
  visitPieces(store.address, store.bytes, [&](std::size_t p) { ++storesAt_[p]; });
  place = store;
  nextStore_ = nextStore_ + 1 == stores_.size() ? 0 : nextStore_ + 1;
}

/// When the stores to the lines of some bytes are in the cache; `cimAlone`: those of caches.
Tick Core::afterStores(std::uint64_t address, std::uint64_t bytes, Tick at, bool cimAlone) const {
  const std::uint64_t first = address >> dataShift_, last = (address + bytes - 1) >> dataShift_;
  Tick out = at;
  for (const Store &s : stores_)
    if (s.bytes > 0 && s.gone > out && (s.isCim || !cimAlone) && s.address >> dataShift_ <= last &&
        (s.address + s.bytes - 1) >> dataShift_ >= first)
      out = s.gone;
  return out;
}

/// Whether two operands lie as near as they must.
bool Core::isNear(int cache, std::uint64_t a, std::uint64_t b) const {
  using Locality = machine::Cim::Locality;
  const Locality locality = machine_.cim ? machine_.cim->locality : Locality::kLevel;
  if (locality == Locality::kLevel) return true;
  const auto line = static_cast<std::uint64_t>(machine_.caches[static_cast<std::size_t>(cache)].line.value);
  return caches_.isSameBank(cache, a, b) && (locality == Locality::kBank || a % line == b % line);
}

/// The cycles of all operations, one after the other; they are counted.
Tick Core::count(const trace::CimWork &work, int level, CimCounts::At &to) const {
  using enum trace::Operation;
  const Tick read = machine_.caches[static_cast<std::size_t>(level)].latency.value;
  Tick cycles = 0;
  for (const trace::CimStep &s : work.steps) {
    if (s.kind != trace::CimStep::Kind::kOperation) continue;
    cycles += read;
    if (s.operation == kOr || s.operation == kOrNot) {
      ++to.logicOr;
    } else if (s.operation == kAnd || s.operation == kAndNot) {
      ++to.logicAnd;
    } else if (s.operation == kXor) {
      ++to.logicXor;
    } else {
      ++to.sums;
      cycles += machine_.cim ? machine_.cim->addExtra.value : 0;
    }
  }
  return cycles;
}

/// A cache computes from cycle `at` on: when the result is there. Operands are gathered in the cache; those that lie in
/// another bank than the first one are copied to its bank; each operation takes a read of the cache, a sum more; the
/// result is written where its line is, or read for the core.
Tick Core::compute(const Step &s, std::span<const trace::Access> accesses, Tick at, Times &times) {
  const int level = s.cimLevel;
  const machine::CacheLevel &cache = machine_.caches[static_cast<std::size_t>(level)];
  CimCounts::At &counts = computed_.at[static_cast<std::size_t>(level)];
  ++computed_.instructions;
  std::optional<std::uint64_t> place;
  Tick ready = at;
  for (const trace::Access &a : accesses) {
    if (a.isStore) continue;
    ++computed_.operands;
    Tick asked = timing_.order ? afterStores(a.address, a.bytes, at, false) : at;
    asked = translated(a.address, asked);
    const std::uint64_t here = pages_.physical(a.address);
    Tick there = caches_.gather(level, here, false, asked);
    if (!place) {
      place = here;
    } else if (!isNear(level, *place, here)) {
      ++counts.copies;
      if (moves_ != nullptr) moves_->onCopy(level, *place);
      if (timing_.moves) {
        const Tick read = caches_.occupy(level, here, there, 1) + cache.latency.value;
        there = caches_.occupy(level, *place, read, cache.writeBusy) + cache.writeBusy;
      }
    }
    ready = std::max(ready, there);
  }
  std::uint64_t result = 0;
  if (s.stores) {
    for (const trace::Access &a : accesses)
      if (a.isStore) {
        const Tick asked = timing_.order ? afterStores(a.address, a.bytes, at, false) : at;
        result = pages_.physical(a.address);
        ready = std::max(ready, caches_.gather(level, result, true, translated(a.address, asked)));
      }
  }
  times.level = level;
  times.place = place.value_or(result);
  const Tick cycles = count(s.in->cim, level, counts);
  Tick end = ready;
  if (timing_.operations) {
    if (timing_.banks && cycles > 0) end = caches_.occupy(level, times.place, ready, cycles);
    end += cycles;
  }
  if (s.stores) {
    ++computed_.stored;
    ++counts.writes;
    if (timing_.banks) end = caches_.occupy(level, result, end, cache.writeBusy);
    return end + (timing_.operations ? cache.writeBusy : 0);
  }
  ++counts.results;
  if (timing_.banks) end = caches_.occupy(level, times.place, end, 1);
  return end + cache.latency.value;
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

Times Core::run(const Step &s, std::span<const trace::Access> accesses, std::uint64_t next) {
  Times t;
  t.fetched = fetch(s);
  t.dispatched = dispatch(s, t.fetched);
  ++counts_.instructions;
  ++counts_.executed[static_cast<std::size_t>(s.of)];

  Tick ready = t.dispatched + 1;
  for (const trace::Register r : s.reads()) ready = std::max(ready, ready_[r]);
  if (core_.isInOrder) ready = std::max(ready, lastIssue_);
  t.issued = issue(s, ready);
  lastIssue_ = t.issued;
  waiting_.add(t.issued);

  t.done = t.issued + s.latency;
  if (s.isCim) {
    ++counts_.loads;
    if (!s.stores) t.done = compute(s, accesses, t.done, t);
  }
  for (const trace::Access &a : accesses)
    if (!a.isStore && !s.isCim) t.done = std::max(t.done, load(s, a, t.issued + s.latency, t));
  for (const trace::Register r : s.writes()) ready_[r] = t.done;
  // What changes its base has it as soon as an addition.
  if (s.hasEarlyBase)
    for (const trace::Register r : s.in->addressRegisters)
      if (s.in->writes.has(r)) ready_[r] = t.issued + core_.of(machine::CoreOperation::kInteger).latency.value;

  t.committed = commit(t.done);
  Cause late = Cause::kExecute;
  if (t.level == caches_.memoryLevel())
    late = Cause::kMemory;
  else if (t.level > caches_.dataCache())
    late = Cause::kCache;
  blame(t, late, t.committed);
  lastCommit_ = t.committed;
  rob_.add(t.committed);
  if (s.loads) loads_.add(t.committed);
  Tick gone = t.committed;
  if (s.isCim && s.stores)
    gone = computeInOrder(s, accesses, t);
  else
    for (const trace::Access &a : accesses)
      if (a.isStore) gone = drain(s, a, t.committed, t.done);
  if (s.stores) storeRoom_.add(gone);
  if (s.isBranch) branch(s, t, next);
  // The line after a jump comes in the next cycle.
  if (next != s.after) fetchedInCycle_ = core_.fetchWidth;
  return t;
}

void Core::branch(const Step &s, const Times &t, std::uint64_t next) {
  ++counts_.branches;
  switch (predictor_.branch(*s.in, next)) {
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

std::vector<std::uint16_t> Core::marksOf(std::span<const Step> steps) const {
  std::vector<std::uint16_t> marks;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (i == 0 || steps[i].isBranch ||
        steps[i].address >> instructionShift_ != steps[i - 1].address >> instructionShift_)
      marks.push_back(static_cast<std::uint16_t>(i));
  return marks;
}

void Core::warm(std::span<const Step> steps, std::span<const std::uint16_t> marks,
                std::span<const trace::Access> accesses, std::uint64_t next) {
  auto access = accesses.begin();
  const auto warmData = [&](std::size_t before) {
    for (; access != accesses.end() && access->instruction < before; ++access) {
      const std::uint64_t end = access->address + access->bytes;
      for (std::uint64_t first = access->address; first < end; first = ((first >> dataShift_) + 1) << dataShift_)
        caches_.warm(caches_.dataCache(), pages_.physical(first), access->isStore);
    }
  };
  for (const std::size_t mark : marks) {
    if (mark >= steps.size()) break;
    // Lines of code and of data meet in the caches behind the first ones, in this order.
    warmData(mark);
    const Step &s = steps[mark];
    if (const std::uint64_t line = s.address >> instructionShift_; line != fetchLine_) {
      fetchLine_ = line;
      caches_.warm(caches_.instructionCache(), pages_.physical(s.address), false);
    }
    if (s.isBranch) predictor_.branch(*s.in, mark + 1 < steps.size() ? steps[mark + 1].address : next);
  }
  warmData(steps.size());
}

}  // namespace pimento::sim::core
