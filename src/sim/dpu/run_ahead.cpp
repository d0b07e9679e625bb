#include "pimento/sim/dpu/run_ahead.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pimento::sim::dpu {

namespace {

constexpr std::int64_t kFarthest = 1 << 16;  // slots computed at once where nothing else ends it
constexpr std::int64_t kProofWork = 3;       // of an instruction in a proof, in executed ones
constexpr int kPatience = 8;                 // proofs of one loop that may fail in a row
constexpr std::size_t kLongestPath = 4096, kMostGuards = 512;

}  // namespace

RunAhead::RunAhead(Core &core)
    : core_(core),
      unknown_(core.wram.size()),
      guards_(core.wram.size()),
      proof_(core.steps, core.wram, unknown_),
      heads_(core.steps.size()) {}

std::optional<RunResult> RunAhead::run(const RunOptions &options) {
  Issue &issue = core_.issue;
  weakening_ = options.weakening;
  turns_.weaken(weakening_);
  mustPay_ = options.mustPay;
  for (;;) {
    turns_.skip(core_, INT64_MAX);
    const int id = issue.next();
    if (id < 0) break;
    Tasklet &t = ahead_[static_cast<std::size_t>(id)];
    turns_.onIssue(id, issue.now());
    ++core_.issued;
    std::int64_t &slots = turns_.slots(id);
    if (core_.failsAgain(id)) {
      core_.failAgain(id, 1);
      issue.wakeAfterInterval(id);
      if (core_.fault) return std::nullopt;
      issue.endCycle();
      continue;
    }
    if (slots == 0 && !t.isAtEvent) {
      if (!compute(id) || core_.issued > options.maxInstructions || !pays()) return std::nullopt;
    }
    if (slots > 0) {
      if (--slots == 0) releaseGuards(id);
      issue.wakeAfterInterval(id);
    } else {
      Context &k = core_.tasklets[static_cast<std::size_t>(id)];
      const Step &s = core_.steps[k.pc];
      if (s.kind == Class::kProduct)
        knowProduct(t, core_.products[s.product]);
      else if (!isEventKnown(t, s))
        return std::nullopt;
      t.isAtEvent = false;
      turns_.leave(id, issue.now());
      ++core_.executed[k.pc];
      core_.event(id, s, k, nullptr, [&](const Core::Transfer &x, Op op) { transfer(id, x, op); });
      if (isUnsure_ || core_.fault) return std::nullopt;
      if (s.op == Op::kTime || s.op == Op::kTimeCfg) knowTime(t, s);
    }
    issue.endCycle();
  }
  core_.finish();
  if (core_.fault) return std::nullopt;
  return core_.result(turns_.skipped());
}

/// A simulation executes kSimulated instructions while this executes one. A few are executed before that says
/// something.
bool RunAhead::pays() const {
  constexpr std::int64_t kSimulated = 8, kBegin = 15'000;
  return !mustPay_ || kSimulated * (work_ - kBegin) < core_.issued - core_.counts.failedAttempts;
}

// Guards.

bool RunAhead::hasKnown(ByteRange r) const {
  return std::memchr(&unknown_[r.first], 0, r.end - r.first) != nullptr;
}

bool RunAhead::guardRead(int tasklet, ByteRange r) {
  if (leavesOut(RunPart::kReads)) return true;
  if (!guards_.mayRead(tasklet, r)) return false;
  guards_.read(tasklet, r);
  ahead_[static_cast<std::size_t>(tasklet)].reads.push_back(r);
  return true;
}

bool RunAhead::guardWrite(int tasklet, ByteRange r) {
  if (leavesOut(RunPart::kWrites)) return true;
  if (!guards_.mayWrite(tasklet, r)) return false;
  guards_.write(tasklet, r);
  ahead_[static_cast<std::size_t>(tasklet)].writes.push_back(r);
  return true;
}

void RunAhead::releaseGuards(int tasklet) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  for (const ByteRange &r : t.reads) guards_.releaseRead(tasklet, r);
  for (const ByteRange &r : t.writes) guards_.releaseWrite(r);
  t.reads.clear();
  t.writes.clear();
}

// One tasklet, ahead of time.

bool RunAhead::compute(int tasklet) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  std::int64_t &slots = turns_.slots(tasklet);
  path_.clear();
  head_ = UINT32_MAX;
  while (slots < kFarthest && t.reads.size() + t.writes.size() < kMostGuards) {
    const std::uint32_t from = k.pc;
    const Step &s = core_.steps[from];
    if (s.kind >= Class::kEvent) {
      t.isAtEvent = true;
      return true;
    }
    ++core_.executed[from];
    ++slots;
    ++work_;
    if (!computeStep(tasklet, s, k)) return false;
    if (path_.size() < kLongestPath) path_.push_back(from);
    const bool isBranch = s.kind == Class::kAlu && s.use == ConditionUse::kBranch;
    const bool isDirectJump =
        s.kind == Class::kCall && s.dst == kDiscardSlot && s.a == pimento::dpu::kZero && s.b == kImmediateSlot;
    if (k.pc <= from && (isBranch || isDirectJump)) sumUpLoop(tasklet, k);
  }
  return true;
}

void RunAhead::sumUpLoop(int tasklet, Context &k) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  const bool isIteration = head_ == k.pc && path_.size() < kLongestPath && path_.front() == k.pc;
  Head &head = heads_[k.pc];
  if (isIteration && head.pause > 0) {
    --head.pause;
  } else if (isIteration) {
    work_ += kProofWork * static_cast<std::int64_t>(path_.size());
    const std::int64_t n = proof_.prove(path_, {&k, &atHead_, t.unknown | unknownAtHead_});
    bool isFree = n > 0;
    for (const ByteRange &r : proof_.reads()) isFree = isFree && guards_.mayRead(tasklet, r);
    for (const ByteRange &r : proof_.writes()) isFree = isFree && (!hasKnown(r) || guards_.mayWrite(tasklet, r));
    if (isFree) {
      for (const ByteRange &r : proof_.reads()) guardRead(tasklet, r);
      for (const ByteRange &r : proof_.writes()) {
        if (!hasKnown(r)) continue;
        guardWrite(tasklet, r);
        std::memset(&unknown_[r.first], 1, r.end - r.first);
      }
      std::copy_n(proof_.registers().begin(), pimento::dpu::kRegisters, k.regs.begin());
      t.unknown = proof_.unknown();
      t.isFlagUnknown = true;
      turns_.slots(tasklet) += n * static_cast<std::int64_t>(path_.size());
      for (const std::uint32_t pc : path_) core_.executed[pc] += n;
      head = {};
      head_ = UINT32_MAX;
      path_.clear();
      return;
    }
    // Where proofs fail again and again, fewer are tried.
    if (++head.failures >= kPatience)
      head.pause = static_cast<std::uint8_t>(2U << std::min(head.failures - kPatience, 4));
    head.failures = std::min<std::uint8_t>(head.failures, 100);
  }
  head_ = k.pc;
  atHead_ = k;
  unknownAtHead_ = t.unknown;
  path_.clear();
}

bool RunAhead::computeStep(int tasklet, const Step &s, Context &k) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  if (t.unknown == 0 && !t.isFlagUnknown && s.kind == Class::kAlu) {
    executeAlu(s, k);
    return true;
  }
  switch (s.kind) {
    case Class::kLoad:
      return computeLoad(tasklet, s, k);
    case Class::kStore:
      return computeStore(tasklet, s, k);
    case Class::kCall:
      if ((((t.unknown >> s.a) | (t.unknown >> s.b)) & 1) != 0) return false;
      if (s.dst != kDiscardSlot) t.unknown &= ~(std::uint64_t{1} << s.dst);
      return core_.call(tasklet, s, k);
    default:
      break;
  }
  const bool readsPair = s.op == Op::kMulStep || s.op == Op::kDivStep || s.op == Op::kMovd || s.op == Op::kSwapd;
  bool isUnknown = (((t.unknown >> s.a) | (t.unknown >> s.b)) & 1) != 0 || (s.readsCarry && t.isFlagUnknown);
  // A step of a multiplication decides, and shifts, by its factors alone; what it adds up may be unknown.
  const bool isFactorUnknown = isUnknown;
  if (readsPair) isUnknown = isUnknown || ((t.unknown >> (s.b + 1)) & 1) != 0;
  const bool isDecided = !(s.op == Op::kMulStep ? isFactorUnknown : isUnknown) && !(s.readsZero && t.isFlagUnknown);
  if (s.use == ConditionUse::kBranch && !isDecided && s.condition != Condition::kTrue &&
      s.condition != Condition::kFalse)
    return false;
  const bool isResultUnknown = s.use == ConditionUse::kSet ? !isDecided : isUnknown;
  std::uint64_t written = std::uint64_t{1} << s.dst;
  if (readsPair || s.extension != Extension::kNone) written |= written << 1;
  written &= (std::uint64_t{1} << pimento::dpu::kRegisters) - 1;
  t.unknown = isResultUnknown ? t.unknown | written : t.unknown & ~written;
  if (s.op == Op::kMulStep && !isFactorUnknown) t.unknown &= ~(std::uint64_t{1} << s.dst);
  if (s.op == Op::kMulStep)
    t.isFlagUnknown = t.isFlagUnknown || isFactorUnknown;  // it leaves C
  else if (!s.keepsFlags)
    t.isFlagUnknown = isUnknown;
  if (leavesOut(RunPart::kFlags)) t.isFlagUnknown = false;
  executeAlu(s, k);
  return true;
}

bool RunAhead::computeLoad(int tasklet, const Step &s, Context &k) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  if (((t.unknown >> s.a) & 1) != 0) return false;
  const std::uint32_t address = k.regs[s.a] + s.imm;
  if (address > core_.wram.size() - s.bytes) return false;  // the simulation says what is wrong
  const ByteRange r{address, address + s.bytes};
  const bool isUnknown = std::memchr(&unknown_[address], 1, s.bytes) != nullptr;
  if (!isUnknown && !guardRead(tasklet, r)) return false;
  std::uint64_t written = std::uint64_t{1} << s.dst;
  if (s.op == Op::kLd || s.extension != Extension::kNone) written |= written << 1;
  written &= (std::uint64_t{1} << pimento::dpu::kRegisters) - 1;
  t.unknown = isUnknown && !leavesOut(RunPart::kRegisters) ? t.unknown | written : t.unknown & ~written;
  return core_.load(tasklet, s, k);
}

bool RunAhead::computeStore(int tasklet, const Step &s, Context &k) {
  Tasklet &t = ahead_[static_cast<std::size_t>(tasklet)];
  if (((t.unknown >> s.a) & 1) != 0) return false;
  const std::uint32_t address = k.regs[s.a] + s.imm;
  if (address > core_.wram.size() - s.bytes) return false;
  const ByteRange r{address, address + s.bytes};
  bool isUnknown = s.b < pimento::dpu::kRegisters && ((t.unknown >> s.b) & 1) != 0;
  if (s.op == Op::kSd && s.b < pimento::dpu::kRegisters) isUnknown = isUnknown || ((t.unknown >> (s.b + 1)) & 1) != 0;
  // Bytes that stay unknown tell nobody when they were written.
  if ((!isUnknown || hasKnown(r)) && !guardWrite(tasklet, r)) return false;
  std::memset(&unknown_[address], isUnknown ? 1 : 0, s.bytes);
  return core_.store(tasklet, s, k);
}

// Events.

bool RunAhead::isEventKnown(const Tasklet &t, const Step &s) const {
  if (s.op == Op::kLdmai) return false;
  if (s.use == ConditionUse::kBranch && s.readsZero && t.isFlagUnknown) return false;
  return (((t.unknown >> s.a) | (t.unknown >> s.b)) & 1) == 0;
}

/// Cycles and instructions are those of the simulation at every event, and so is what the counter says.
void RunAhead::knowTime(Tasklet &t, const Step &s) {
  t.unknown &= ~((s.extension == Extension::kNone ? std::uint64_t{1} : std::uint64_t{3}) << s.dst);
}

/// Its time hangs on no value.
void RunAhead::knowProduct(Tasklet &t, const Product &p) {
  t.isFlagUnknown = (t.unknown & p.reads) != 0;
  t.unknown = (t.isFlagUnknown ? t.unknown | p.writes : t.unknown & ~p.writes) & ~p.link;
}

void RunAhead::transfer(int tasklet, const Core::Transfer &x, Op) {
  const ByteRange r{x.wram, x.wram + x.bytes};
  const std::span<std::uint8_t> bytes{&core_.wram[x.wram], x.bytes}, unknown{&unknown_[x.wram], x.bytes};
  if (x.isRead) {
    isUnsure_ = !guards_.mayWrite(tasklet, r);
    core_.mram.readTracked(x.mram, bytes, unknown);
    if (leavesOut(RunPart::kBytes)) std::ranges::fill(unknown, 0);
  } else {
    isUnsure_ = !guards_.mayRead(tasklet, r);
    core_.mram.writeTracked(x.mram, bytes, unknown);
  }
}

}  // namespace pimento::sim::dpu
