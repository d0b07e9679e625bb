#include "pimento/sim/dpu/dpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/dpu/isa.h"
#include "pimento/sim/dpu/core.h"
#include "pimento/sim/dpu/fast_run.h"
#include "pimento/sim/dpu/hazard.h"
#include "pimento/sim/dpu/run_ahead.h"
#include "pimento/sim/dpu/untimed_run.h"

namespace pimento::sim::dpu {

Result<std::shared_ptr<const Image>> Image::make(program::Code code) {
  auto image = std::make_shared<Image>();
  Diagnostics found;
  for (std::size_t pc = 0; pc < code.instructions.size(); ++pc) {
    const auto decoded = pimento::dpu::decode(code.instructions[pc]);
    if (decoded) {
      image->instructions.push_back(*decoded);
      continue;
    }
    Location where;
    if (pc < code.lines.size() && code.lines[pc].file >= 0)
      where = {code.files[static_cast<std::size_t>(code.lines[pc].file)], code.lines[pc].line, 0};
    found.push_back(
        error("dpu-word-unknown", where,
              fmt::format("instruction {}: the word {:#014x} is not an instruction", pc, code.instructions[pc])));
    if (found.size() >= 20) break;
  }
  if (!found.empty()) return found;
  image->code = std::move(code);
  image->fast = std::make_shared<const FastCode>(stepsOf(*image));
  return std::shared_ptr<const Image>(std::move(image));
}

struct Dpu::State {
  Core core;
};

Dpu::Dpu(std::shared_ptr<const Image> image, const machine::Dpu &machine)
    : state_(std::make_unique<State>(Core(std::move(image), machine))) {}
Dpu::~Dpu() = default;
Dpu::Dpu(const Dpu &o) : state_(std::make_unique<State>(*o.state_)) {}

void Dpu::load(std::shared_ptr<const Image> image) {
  state_->core.load(std::move(image));
}

namespace {

std::span<const std::uint8_t> raw(std::span<const std::byte> b) {
  return {reinterpret_cast<const std::uint8_t *>(b.data()), b.size()};
}
std::span<std::uint8_t> raw(std::span<std::byte> b) {
  return {reinterpret_cast<std::uint8_t *>(b.data()), b.size()};
}

}  // namespace

void Dpu::writeMram(std::uint32_t offset, std::span<const std::byte> bytes) {
  state_->core.mram.write(offset, raw(bytes));
}
void Dpu::fillMram(std::uint32_t offset, std::int64_t size, std::span<const std::byte> pattern) {
  state_->core.mram.fill(offset, size, raw(pattern));
}
void Dpu::readMram(std::uint32_t offset, std::span<std::byte> bytes) const {
  state_->core.mram.read(offset, raw(bytes));
}
void Dpu::writeWram(std::uint32_t address, std::span<const std::byte> bytes) {
  std::ranges::copy(raw(bytes), state_->core.wram.begin() + address);
}
void Dpu::readWram(std::uint32_t address, std::span<std::byte> bytes) const {
  std::copy_n(state_->core.wram.begin() + address, bytes.size(), raw(bytes).begin());
}

namespace {

/// Data of a transfer, moved at its issue.
void move(Core &core, int tasklet, const Core::Transfer &t, Op op) {
  if (op == Op::kLdmai)
    core.loadCode(tasklet, t);
  else
    core.moveData(t);
}

template <bool kIsObserved>
void runAll(Core &core, const RunOptions &options) {
  const bool hasHazard = core.machine.registerHazard == "even-odd";
  Hazard hazard;
  Issue &issue = core.issue;
  for (;;) {
    const int t = issue.next();
    if (t < 0) return core.finish();
    Context &k = core.tasklets[static_cast<std::size_t>(t)];
    const Step &s = core.steps[k.pc];
    ++core.executed[k.pc];
    if (++core.issued > options.maxInstructions) {
      core.isCutOff = true;
      return core.fail(t, "dpu-instruction-limit",
                       fmt::format("{} instructions issued without reaching the end", options.maxInstructions));
    }
    if constexpr (kIsObserved) options.observer->onIssue(issue.now(), t, k.pc);
    const std::int64_t penalty = hasHazard ? hazard.issue(t, s) : 0;
    if (s.kind < Class::kEvent) {
      if (!core.execute(t, s, k)) return;
      issue.wakeAfterInterval(t);
    } else {
      core.event(t, s, k, options.observer,
                 [&](const Core::Transfer &transfer, Op op) { move(core, t, transfer, op); });
      if (core.fault) return;
    }
    issue.endCycle();
    if (penalty > 0) issue.stall(penalty);
  }
}

}  // namespace

RunResult Dpu::simulate(const RunOptions &options) {
  Core &core = state_->core;
  core.launch();
  if (!core.fast) core.fast = std::make_shared<const FastCode>(core.steps);
  const bool isPlain = options.isPlain || options.observer != nullptr || core.machine.registerHazard != "none" ||
                       core.fast->changesItself();
  core.isTimed = options.isTimed || isPlain;
  if (!isPlain && !options.isTimed) {
    UntimedRun(core, *core.fast).run(options);
    return core.result(0);
  }
  if (!isPlain) {
    FastRun(core, *core.fast).run(options);
    return core.result(0);
  }
  if (options.observer != nullptr)
    runAll<true>(core, options);
  else
    runAll<false>(core, options);
  return core.result(0);
}

std::optional<RunResult> Dpu::estimate(const RunOptions &options) {
  Core &core = state_->core;
  if (core.machine.registerHazard != "none") return std::nullopt;
  core.launch();
  RunAhead runAhead(core);
  return runAhead.run(options);
}

}  // namespace pimento::sim::dpu
