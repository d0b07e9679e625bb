// Runs that cannot go on: all tasklets that have not ended wait for one another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pimento/sim/dpu/core.h"
#include "pimento/sim/dpu/library_fault.h"

namespace pimento::sim::dpu {

using program::Code;

namespace {

/// The target of a branch or jump that is always taken and does nothing else; nothing for other instructions.
std::optional<std::uint32_t> jumpOf(const Step &s) {
  if (s.kind == Class::kCall && s.dst == kDiscardSlot && s.a == pimento::dpu::kZero && s.b == kImmediateSlot)
    return s.imm;
  const bool isBranch = s.kind == Class::kAlu && s.use == ConditionUse::kBranch && s.condition == Condition::kTrue;
  return isBranch && s.dst == kDiscardSlot ? std::optional(s.target) : std::nullopt;
}

}  // namespace

/// Does a suspended tasklet have nothing left to do? Programs end in a `stop` that branches to itself or is followed by
/// a jump back, or at the end of the program or of a function: a tasklet that is resumed there stops again or fails.
bool Core::hasEnded(std::size_t tasklet) const {
  const Code &code = image->code;
  std::uint32_t pc = tasklets[tasklet].pc;
  if (pc == stoppedAt[tasklet] + 1 && code.functionAt(pc) != code.functionAt(stoppedAt[tasklet])) return true;
  constexpr int kMostJumps = 8;
  for (int jumps = 0; jumps < kMostJumps; ++jumps) {
    if (pc + 1 >= steps.size() || steps[pc].op == Op::kStop) return true;
    const std::optional<std::uint32_t> to = jumpOf(steps[pc]);
    if (!to) return false;
    pc = *to;
  }
  return true;  // it jumps in circles
}

void Core::finish() {
  if (fault) return;
  for (std::size_t t = 0; t < status.size(); ++t)
    if (status[t] == Status::kSuspended && !hasEnded(t)) return failDeadlock();
}

/// Will the instruction at which a running tasklet spins fail as long as all others spin too?
bool Core::failsForever(std::size_t tasklet) const {
  const Context &k = tasklets[tasklet];
  const Step &s = steps[k.pc];
  const std::uint32_t address = k.regs[s.a] + s.imm;
  switch (s.op) {
    case Op::kAcquire:
      return atomics[address & 255U];
    case Op::kResume:
      return status[address] != Status::kSuspended;
    case Op::kBoot:
      return status[address] != Status::kIdle;
    default:
      return false;
  }
}

void Core::checkSpinning() {
  for (std::size_t t = 0; t < status.size(); ++t)
    if (status[t] == Status::kRunning && !failsForever(t)) return;
  failDeadlock();
}

std::string Core::waitOf(std::size_t tasklet) const {
  if (status[tasklet] == Status::kSuspended) return "stopped until another tasklet resumes it";
  const Context &k = tasklets[tasklet];
  const Step &s = steps[k.pc];
  const std::uint32_t address = k.regs[s.a] + s.imm;
  if (s.op == Op::kAcquire) return fmt::format("waits for atomic bit {}", address & 255U);
  return fmt::format("waits to {} tasklet {}", s.op == Op::kResume ? "resume" : "boot", address);
}

/// In a routine that has called no other, r23 says who called it.
std::optional<std::uint32_t> Core::callOfLeaf(std::size_t tasklet, std::uint32_t pc) const {
  const std::uint32_t call = tasklets[tasklet].regs[pimento::dpu::kRegisters - 1] - 1;
  const Code::Symbol *f = image->code.functionAt(pc);
  const bool isCalled = f != nullptr && call < steps.size() && steps[call].kind == Class::kCall &&
                        steps[call].dst == pimento::dpu::kRegisters - 1 && steps[call].a == pimento::dpu::kZero &&
                        steps[call].imm == (f->address - program::kIramBase) / 8;
  return isCalled ? std::optional(call) : std::nullopt;
}

void Core::failDeadlock() {
  const Code &code = image->code;
  struct Group {
    std::string place;
    std::vector<std::size_t> tasklets;
  };
  std::vector<Group> groups;
  std::vector<std::size_t> ended;
  Location where;
  const auto inFunction = [&](std::uint32_t pc) {
    const Code::Symbol *f = code.functionAt(pc);
    const std::string line = lineOf(code, pc).str();
    return (f == nullptr ? std::string() : fmt::format(" in '{}'", f->name)) +
           (line.empty() ? line : fmt::format(" ({})", line));
  };
  for (std::size_t t = 0; t < status.size(); ++t) {
    if (status[t] == Status::kIdle) continue;
    if (status[t] == Status::kSuspended && hasEnded(t)) {
      ended.push_back(t);
      continue;
    }
    const std::uint32_t pc = status[t] == Status::kSuspended ? stoppedAt[t] : tasklets[t].pc;
    std::string place = fmt::format("at instruction {}{}", pc, inFunction(pc));
    std::optional<std::uint32_t> call = callIntoLibrary(*this, static_cast<int>(t), pc);
    if (!call && lineOf(code, pc).file.empty()) call = callOfLeaf(t, pc);
    if (call) place += ", called" + inFunction(*call);
    place += ": " + waitOf(t);
    if (where.file.empty()) where = lineOf(code, call.value_or(pc));
    const auto same = std::ranges::find(groups, place, &Group::place);
    if (same == groups.end())
      groups.push_back({place, {t}});
    else
      same->tasklets.push_back(t);
  }
  const auto named = [](const std::vector<std::size_t> &ids) {
    return fmt::format("tasklet{} {}", ids.size() == 1 ? "" : "s", fmt::join(ids, ", "));
  };
  std::string message = "no tasklet can go on";
  for (const Group &g : groups) message += fmt::format("; {} {}", named(g.tasklets), g.place);
  if (!ended.empty()) message += fmt::format("; {} {} ended", named(ended), ended.size() == 1 ? "has" : "have");
  fault = error(DiagnosticKind::kFault, "dpu-deadlock", where, message,
                "a barrier needs as many tasklets as it was initialised with; whoever takes a lock must release it");
}

}  // namespace pimento::sim::dpu
