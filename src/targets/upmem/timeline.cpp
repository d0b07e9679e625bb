#include "pimento/targets/upmem/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::targets::upmem {

using dpu::Instruction;
using dpu::Op;
using sim::dpu::Image;

DpuTimeline::DpuTimeline(std::ostream &out, std::shared_ptr<const Image> image, const machine::Machine &machine,
                         const evaluate::Breakdown &before, std::int64_t maxEvents)
    : events_(out, machine.clockGHz, kDmaTrack, maxEvents), image_(std::move(image)) {
  PIMENTO_CHECK(machine.dpu.has_value());
  tasklets_.resize(static_cast<std::size_t>(machine.dpu->maxTasklets));
  names_.emplace_back("no function");
  const program::Code &code = image_->code;
  for (std::uint32_t pc = 0; pc < image_->instructions.size(); ++pc) {
    const program::Code::Symbol *f = code.functionAt(pc);
    std::int32_t index = 0;
    if (f != nullptr) {
      const auto known = std::find(names_.begin() + 1, names_.end(), f->name);
      index = static_cast<std::int32_t>(known - names_.begin());
      if (known == names_.end()) names_.push_back(f->name);
    }
    functions_.push_back(index);
  }
  events_.nameDevice(fmt::format("{}: one DPU", machine.name));
  events_.nameTrack(kDmaTrack, "DMA engine");
  events_.hostBefore(before);
}

std::int32_t DpuTimeline::functionOf(std::uint32_t pc) const {
  return pc < functions_.size() ? functions_[pc] : 0;
}

/// Whether issuing the instruction again and again is waiting.
bool DpuTimeline::isRetried(std::uint32_t pc) const {
  if (pc >= image_->instructions.size()) return false;
  const Op op = image_->instructions[pc].op;
  return op == Op::kAcquire || op == Op::kResume || op == Op::kBoot;
}

bool DpuTimeline::stops(std::uint32_t pc) const {
  return pc < image_->instructions.size() && image_->instructions[pc].op == Op::kStop;
}

void DpuTimeline::onIssue(std::int64_t cycle, int tasklet, std::uint32_t pc) {
  using State = Tasklet::State;
  if (cycle < now_) closeAll();
  now_ = cycle;
  end_ = std::max(end_, cycle + 1);
  Tasklet &t = tasklets_[static_cast<std::size_t>(tasklet)];
  if (!t.isNamed) {
    t.isNamed = true;
    events_.nameTrack(trackOf(tasklet), fmt::format("tasklet {}", tasklet));
  }
  const bool isAgain = t.state != State::kNothing && pc == t.pc && isRetried(pc);
  if (isAgain && t.state != State::kRetries) {
    close(t, tasklet, t.last);
    t.state = State::kRetries;
    t.since = t.last;
  } else if (!isAgain && (t.state != State::kFunction || functionOf(pc) != t.function)) {
    close(t, tasklet, cycle);
    t.state = State::kFunction;
    t.since = cycle;
    t.function = functionOf(pc);
  }
  t.pc = pc;
  t.last = cycle;
  if (!stops(pc)) return;
  close(t, tasklet, cycle + 1);
  t.state = State::kStopped;
  t.since = cycle + 1;
}

void DpuTimeline::onTransfer(std::int64_t issued, std::int64_t begin, std::int64_t end, std::int64_t done, int tasklet,
                             bool isRead, std::int64_t bytes) {
  Tasklet &t = tasklets_[static_cast<std::size_t>(tasklet)];
  close(t, tasklet, issued);
  t.state = Tasklet::State::kNothing;
  const std::string name = fmt::format("{} {} B", isRead ? "read" : "write", bytes);
  events_.complete(trackOf(tasklet), name, issued, done - issued, fmt::format("\"bytes\":{}", bytes));
  events_.complete(kDmaTrack, name, begin, end - begin, fmt::format("\"bytes\":{},\"tasklet\":{}", bytes, tasklet));
  end_ = std::max({end_, done, end});
}

/// Writes the open interval, which ends at `at`.
void DpuTimeline::close(Tasklet &t, int tasklet, std::int64_t at) {
  using State = Tasklet::State;
  if (t.state == State::kNothing || at <= t.since) return;
  std::string_view name = names_[static_cast<std::size_t>(t.function)];
  if (t.state == State::kStopped) name = "stopped";
  if (t.state == State::kRetries) {
    const Op op = image_->instructions[t.pc].op;
    name = op == Op::kAcquire ? "acquire" : op == Op::kResume ? "resume" : "boot";
  }
  events_.complete(trackOf(tasklet), name, t.since, at - t.since);
}

/// At the end of a launch. Whoever has stopped stays so, which is no wait.
void DpuTimeline::closeAll() {
  for (std::size_t i = 0; i < tasklets_.size(); ++i) {
    Tasklet &t = tasklets_[i];
    if (t.state != Tasklet::State::kStopped) close(t, static_cast<int>(i), std::max(t.last + 1, t.since));
    t.state = Tasklet::State::kNothing;
  }
  events_.advance(end_);
  now_ = -1;
  end_ = 0;
}

Status DpuTimeline::finish(const evaluate::Report &report) {
  closeAll();
  return events_.finish(report, 0);
}

Result<evaluate::TimelineMaker> timelineOf(const std::vector<const evaluate::Runnable *> &runs,
                                           const machine::Machine &machine) {
  if (runs.size() != 1)
    return usageError("trace-graph", "--trace",
                      fmt::format("a timeline shows one program of a DPU, but this run has {}", runs.size()),
                      "choose a kernel that runs on the DPUs, not a graph of several");
  auto image = Image::make(*std::get<program::MachineCode>(runs.front()->program().processes.front().body).code);
  if (!image) return image.diagnostics();
  return evaluate::TimelineMaker(
      [image = *image, &machine](std::ostream &out,
                                 const evaluate::Breakdown &before) -> std::unique_ptr<evaluate::Timeline> {
        return std::make_unique<DpuTimeline>(out, image, machine, before);
      });
}

}  // namespace pimento::targets::upmem
