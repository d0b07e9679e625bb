#include "pimento/sim/dpu/untimed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace pimento::sim::dpu {

namespace {

constexpr std::int64_t kTurn = 1 << 14;  // instructions after which another tasklet has its turn
constexpr std::int64_t kSlack = 1 << 16;

}  // namespace

void UntimedRun::run(const RunOptions &options) {
  while (core_.running != 0 && !core_.fault) {
    for (std::uint32_t left = core_.running; left != 0 && !core_.fault; left &= left - 1)
      runTasklet(std::countr_zero(left), options.maxInstructions);
  }
  if (!core_.fault) core_.finish();
  interpreter_.executions().addTo(core_.executed, code_.ops());
}

void UntimedRun::runTasklet(int tasklet, std::int64_t mostInstructions) {
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  const std::int64_t end = core_.issued + kTurn;
  while (core_.issued < end && ((core_.running >> tasklet) & 1) != 0) {
    if (core_.failsAgain(tasklet)) {
      ++core_.issued;
      return core_.failAgain(tasklet, 1);
    }
    if (core_.issued >= mostInstructions) {
      core_.isCutOff = true;
      return core_.fail(tasklet, "dpu-instruction-limit",
                        fmt::format("{} instructions issued without reaching the end", mostInstructions));
    }
    Interpreter::Run run;
    run.end = Interpreter::End::kRefused;
    if (mostInstructions - core_.issued > kTurn + kSlack) run = interpreter_.alone(tasklet, k, end - core_.issued);
    core_.issued += run.instructions;
    if (run.end == Interpreter::End::kLimit) return;
    const Step &s = core_.steps[k.pc];
    ++core_.issued;
    if (s.kind >= Class::kEvent) {
      if (!event(tasklet)) return;
    } else {
      ++core_.executed[k.pc];
      if (!core_.execute(tasklet, s, k)) return;
    }
  }
}

/// False after a fault.
bool UntimedRun::event(int tasklet) {
  Context &k = core_.tasklets[static_cast<std::size_t>(tasklet)];
  const Step &s = core_.steps[k.pc];
  ++core_.executed[k.pc];
  if (s.kind == Class::kProduct) {
    core_.multiply(s, k);
    return true;
  }
  const bool isTransfer = s.op == Op::kLdma || s.op == Op::kSdma;
  if (!isTransfer) {
    core_.control(tasklet, s, k);
    return !core_.fault;
  }
  const auto t = core_.transferOf(tasklet, s, k);
  if (!t) return false;
  core_.countTransfer(*t);
  core_.moveData(*t);
  ++k.pc;
  return true;
}

}  // namespace pimento::sim::dpu
