#include "pimento/sim/dpu/core.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/isa.h"
#include "pimento/sim/dpu/library_fault.h"

namespace pimento::sim::dpu {

using program::Code;

namespace {

/// Behind the program: IRAM holds nothing there.
Step emptyStep() {
  Instruction i;
  i.op = Op::kFault;
  i.isEstablished = false;
  return Step(i);
}

std::string placeOf(const Code &code, std::uint32_t pc) {
  const Code::Symbol *f = code.functionAt(pc);
  return f == nullptr ? std::string() : fmt::format(" in '{}'", f->name);
}

}  // namespace

std::vector<Step> stepsOf(const Image &image) {
  std::vector<Step> steps;
  steps.reserve(image.instructions.size() + 1);
  for (const Instruction &i : image.instructions) steps.emplace_back(i);
  steps.push_back(emptyStep());
  // A branch out of the program runs past its end.
  for (Step &s : steps)
    if (s.use == ConditionUse::kBranch) s.target = std::min(s.target, static_cast<std::uint32_t>(steps.size()) - 1);
  return steps;
}

Location lineOf(const Code &code, std::uint32_t pc) {
  if (pc >= code.lines.size() || code.lines[pc].file < 0) return {};
  return {code.files[static_cast<std::size_t>(code.lines[pc].file)], code.lines[pc].line, 0};
}

void merge(std::vector<Misaligned> &into, const std::vector<Misaligned> &more) {
  for (const Misaligned &m : more) {
    const auto at = std::ranges::lower_bound(into, m.pc, {}, &Misaligned::pc);
    if (at == into.end() || at->pc != m.pc) into.insert(at, m);
  }
}

Diagnostic warningOf(const Misaligned &m, const Code &code, const machine::Dpu &machine) {
  Diagnostic d =
      error(DiagnosticKind::kInput, "dpu-dma-alignment", lineOf(code, m.pc),
            fmt::format(
                "instruction {}{}: transfer of {} bytes between WRAM address {:#x} and MRAM address {:#x}; DPUs round "
                "both down to multiples of {}",
                m.pc, placeOf(code, m.pc), m.bytes, m.wram, m.mram, machine.transferUnit.value),
            "align both addresses; --set dpu.strict_dma=on makes it a fault");
  d.severity = Severity::kWarning;
  return d;
}

Core::Core(std::shared_ptr<const Image> program, const machine::Dpu &m)
    : machine(m), mram(m.mram.value), issue(m.issueInterval.value, kMaxTasklets), dma(m) {
  load(std::move(program));
}

void Core::load(std::shared_ptr<const Image> program) {
  image = std::move(program);
  wram.assign(static_cast<std::size_t>(machine.wram.value), 0);
  atomics.reset();
  steps = stepsOf(*image);
  products.clear();
  if (machine.multiplier.value > 0) products = findProducts(*image);
  for (std::size_t i = 0; i < products.size(); ++i) {
    steps[products[i].first].kind = Class::kProduct;
    steps[products[i].first].product = static_cast<std::uint32_t>(i);
  }
  fast = products.empty() ? image->fast : nullptr;
  executed.assign(steps.size(), 0);
  waited.assign(steps.size(), 0);
  for (const Code::Segment &s : image->code.segments) {
    if (s.address >= program::kMramBase)
      mram.write(s.address - program::kMramBase, s.bytes);
    else
      std::ranges::copy(s.bytes, wram.begin() + s.address);
  }
}

void Core::launch() {
  issue = Issue(machine.issueInterval.value, kMaxTasklets);
  dma.reset();
  status.fill(Status::kIdle);
  readyAgain.fill(0);
  counts = {};
  misaligned.clear();
  spinning = running = 0;
  std::ranges::fill(executed, 0);
  std::ranges::fill(waited, 0);
  issued = timerBase = 0;
  timerCountsInstructions = false;
  fault.reset();
  start(0, 1);
}

void Core::start(int tasklet, std::int64_t cycle) {
  const auto t = static_cast<std::size_t>(tasklet);
  tasklets[t].reset(tasklet);
  tasklets[t].pc = image->code.entry;
  status[t] = Status::kRunning;
  running |= 1U << tasklet;
  issue.wake(tasklet, std::max(cycle, readyAgain[t]));
}

Counts Core::totals() const {
  Counts c = counts;
  for (std::size_t pc = 0; pc < steps.size(); ++pc) {
    const std::int64_t n = executed[pc];
    const Step &s = steps[pc];
    c.instructions += n;
    if (s.kind == Class::kLoad) {
      c.wramLoads += n;
      c.wramLoadBytes += n * s.bytes;
    } else if (s.kind == Class::kStore) {
      c.wramStores += n;
      c.wramStoreBytes += n * s.bytes;
    } else if (s.op == Op::kMulStep || s.op == Op::kDivStep) {
      c.multiplySteps += n;
    } else if (s.op == Op::kAcquire || s.op == Op::kBoot || s.op == Op::kResume) {
      c.syncAttempts += n;
    }
  }
  c.idleCycles = issue.idle();
  return c;
}

RunResult Core::result(std::int64_t cyclesSkipped) const {
  RunResult r;
  r.cycles = Cycles(issue.now());
  r.cyclesSimulated = Cycles(issue.now() - cyclesSkipped);
  r.counts = totals();
  r.engineTicks = dma.work();
  r.executed = executed;
  r.waited = waited;
  r.misaligned = misaligned;
  r.fault = fault;
  r.isCutOff = isCutOff;
  return r;
}

void Core::fail(int tasklet, std::string code, const std::string &what, std::string hint) {
  if (fault) return;
  const std::uint32_t pc = tasklets[static_cast<std::size_t>(tasklet)].pc;
  const Code &c = image->code;
  const std::string place = fmt::format("tasklet {} at instruction {}{}", tasklet, pc, placeOf(c, pc));
  if (const std::optional<LibraryFault> library = libraryFault(*this, tasklet)) {
    fault = error(DiagnosticKind::kFault, std::move(code), lineOf(c, library->call),
                  fmt::format("{}, called{}: {}{}{}", place, placeOf(c, library->call), library->meaning,
                              library->meaning.empty() ? "" : ": ", what),
                  hint.empty() ? library->hint : std::move(hint));
    return;
  }
  fault = error(DiagnosticKind::kFault, std::move(code), lineOf(c, pc), fmt::format("{}: {}", place, what),
                std::move(hint));
}

void Core::failBounds(int tasklet, std::uint32_t address, int bytes, bool isLoad) {
  fail(tasklet, "dpu-wram-bounds",
       fmt::format("{} of {} bytes at WRAM address {:#x}; WRAM ends at {:#x}", isLoad ? "load" : "store", bytes,
                   address, wram.size()));
}

void Core::failJump(int tasklet, std::uint32_t to) {
  fail(tasklet, "dpu-iram-bounds",
       fmt::format("jump to instruction {}, but the program has {}", to, image->instructions.size()));
}

std::optional<Core::Transfer> Core::transferOf(int tasklet, const Step &s, const Context &k) {
  const std::uint32_t first = k.regs[s.a];
  Transfer t;
  t.isRead = s.op != Op::kSdma;
  t.wram = first & 0xffffffU;
  t.mram = k.regs[s.b];
  t.bytes = 8 * (1 + (((first >> 24) + s.imm) & 255U));
  const auto unit = static_cast<std::uint32_t>(machine.transferUnit.value), mask = unit - 1;
  // Of a power of two without a division.
  const auto beyond = [&](std::uint32_t v) { return (unit & mask) == 0 ? v & mask : v % unit; };
  const bool isMisaligned = beyond(t.wram) != 0 || beyond(t.mram) != 0;
  if ((isMisaligned && machine.hasStrictDma) || beyond(t.bytes) != 0 || t.bytes > machine.transferMax.value) {
    fail(tasklet, "dpu-dma-alignment",
         fmt::format("transfer of {} bytes between WRAM address {:#x} and MRAM address {:#x}", t.bytes, t.wram, t.mram),
         fmt::format("addresses and sizes must be multiples of {} bytes, sizes at most {}", unit,
                     machine.transferMax.value));
    return std::nullopt;
  }
  if (isMisaligned) {
    merge(misaligned, {{k.pc, t.wram, t.mram, t.bytes}});
    t.wram -= beyond(t.wram);
    t.mram -= beyond(t.mram);
  }
  if (t.mram + std::int64_t{t.bytes} > mram.size()) {
    fail(tasklet, "dpu-mram-bounds",
         fmt::format("transfer of {} bytes at MRAM address {:#x}; MRAM ends at {:#x}", t.bytes, t.mram, mram.size()));
    return std::nullopt;
  }
  const std::int64_t local = s.op == Op::kLdmai ? 8 * machine.instructions : machine.wram.value;
  if (t.wram + std::int64_t{t.bytes} > local) {
    fail(tasklet, s.op == Op::kLdmai ? "dpu-iram-bounds" : "dpu-wram-bounds",
         fmt::format("transfer of {} bytes at {} address {:#x}; it ends at {:#x}", t.bytes,
                     s.op == Op::kLdmai ? "IRAM" : "WRAM", t.wram, local));
    return std::nullopt;
  }
  return t;
}

void Core::loadCode(int tasklet, const Transfer &t) {
  std::vector<std::uint8_t> bytes(t.bytes);
  mram.read(t.mram, bytes);
  const std::size_t first = t.wram / 8, count = t.bytes / 8;
  if (steps.size() < first + count + 1) {
    steps.resize(first + count + 1, emptyStep());
    executed.resize(steps.size());
    waited.resize(steps.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[8 * i], 8);
    const auto decoded = pimento::dpu::decode(word);
    if (!decoded) {
      fail(tasklet, "dpu-word-unknown",
           fmt::format("the word {:#014x} loaded as instruction {} is not an instruction", word, first + i));
      return;
    }
    steps[first + i] = Step(*decoded);
  }
}

/// The instructions that it stands for do the arithmetic: they go forward alone, up to its end.
void Core::multiply(const Step &s, Context &k) {
  const std::uint32_t end = products[s.product].end;
  const Step *step = &s;
  do {
    if (step->op == Op::kCall)
      call(0, *step, k);
    else
      executeAlu(*step, k);
    step = &steps[k.pc];
  } while (k.pc != end);
}

void Core::product(int tasklet, const Step &s, Context &k) {
  multiply(s, k);
  const std::int64_t again = issue.now() + std::max(issue.interval(), machine.multiplier.value);
  readyAgain[static_cast<std::size_t>(tasklet)] = again;
  issue.wake(tasklet, again);
}

void Core::control(int tasklet, const Step &s, Context &k) {
  const auto t = static_cast<std::size_t>(tasklet);
  readyAgain[t] = issue.now() + issue.interval();
  switch (s.op) {
    case Op::kStop: {
      const bool isTaken = s.use == ConditionUse::kBranch && holds(s.condition, {}, k.z, k.regs[s.a], 0);
      stoppedAt[t] = k.pc;
      k.pc = isTaken ? s.target : k.pc + 1;
      status[t] = Status::kSuspended;
      running &= ~(1U << tasklet);
      return;
    }
    case Op::kFault:
      if (k.pc >= image->instructions.size())
        fail(tasklet, "dpu-iram-bounds",
             fmt::format("runs past the end of the program, which has {} instructions", image->instructions.size()));
      else
        fail(tasklet, "dpu-fault", fmt::format("the program raised fault {}", s.imm));
      return;
    case Op::kTime:
    case Op::kTimeCfg: {
      const auto read = [&] { return timerCountsInstructions || !isTimed ? issued : issue.now(); };
      const std::int64_t now = read();
      const auto value = static_cast<std::uint32_t>((now - timerBase) / kTimerUnit);
      if (s.op == Op::kTimeCfg) {
        const std::uint32_t setting = s.b == kImmediateSlot ? s.imm : k.regs[s.b];
        if (((setting >> 1) & 3) != 0) timerCountsInstructions = ((setting >> 1) & 3) == 2;
        if ((setting & 1) != 0) timerBase = read();
      }
      if (s.extension == Extension::kNone) {
        k.regs[s.dst] = value;
      } else {
        k.regs[s.dst] = s.extension == Extension::kSigned && (value >> 31) != 0 ? 0xffffffffU : 0;
        k.regs[s.dst + 1] = value;
      }
      ++k.pc;
      break;
    }
    case Op::kAcquire:
    case Op::kRelease:
    case Op::kBoot:
    case Op::kResume:
    case Op::kClrRun:
    case Op::kReadRun:
      synchronise(tasklet, s, k);
      break;
    default:
      fail(tasklet, "dpu-not-established",
           fmt::format("'{}' is undocumented",
                       k.pc < image->instructions.size() ? pimento::dpu::print(image->instructions[k.pc], k.pc) : "?"),
           "public sources do not say what it computes");
      return;
  }
  if (!fault) issue.wake(tasklet, readyAgain[t]);
}

/// boot, resume, clr_run, read_run: whether it succeeded (for the last two: whether the run bit is clear).
bool Core::attempt(int tasklet, const Step &s, std::uint32_t target) {
  if (target >= static_cast<std::uint32_t>(machine.maxTasklets)) {
    fail(tasklet, "dpu-tasklet-bounds",
         fmt::format("unknown tasklet {}; the last is {}", target, machine.maxTasklets - 1));
    return false;
  }
  Status &other = status[target];
  const int id = static_cast<int>(target);
  switch (s.op) {
    case Op::kBoot:
      if (other != Status::kIdle) return false;
      start(id, issue.now() + 1);
      return true;
    case Op::kResume:
      if (other != Status::kSuspended) return false;
      other = Status::kRunning;
      running |= 1U << target;
      issue.wake(id, std::max(issue.now() + 1, readyAgain[target]));
      return true;
    case Op::kReadRun:
      return other != Status::kRunning;
    default:  // clr_run of a running tasklet: not established, and so marked by the decoder
      return other != Status::kRunning;
  }
}

void Core::synchronise(int tasklet, const Step &s, Context &k) {
  const std::uint32_t address = k.regs[s.a] + s.imm;
  AluResult r;
  if (s.op == Op::kAcquire) {
    r.t = atomics[address & 255U] ? 1 : 0;
    atomics[address & 255U] = true;
  } else if (s.op == Op::kRelease) {
    r.t = atomics[address & 255U] ? 1 : 0;
    atomics[address & 255U] = false;
  } else {
    r.t = attempt(tasklet, s, address) ? 0 : 1;
  }
  const bool hasFailed = s.op != Op::kRelease && r.t != 0;
  if (hasFailed) ++counts.failedAttempts;
  if (fault) return;
  const std::uint32_t from = k.pc, bit = 1U << tasklet;
  k.pc = s.use == ConditionUse::kBranch && holds(s.condition, r, k.z, k.regs[s.a], address) ? s.target : k.pc + 1;
  if (!hasFailed || k.pc != from) {
    spinning &= ~bit;
  } else {
    spinning |= bit;
    endIfAllSpin();
  }
}

}  // namespace pimento::sim::dpu
