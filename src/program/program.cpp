#include "pimento/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/program/verify_unit.h"
#include "pimento/program/virtual.h"

namespace pimento::program {

std::string_view name(Purpose p) {
  static constexpr std::string_view kNames[kPurposes] = {"host_read", "host_write", "control", "program",  "broadcast",
                                                         "pim_read",  "pim_mac",    "pim_alu", "pim_move", "pim_store"};
  return kNames[static_cast<int>(p)];
}

Node Node::loop(std::string label, std::int64_t trip, std::vector<Node> children) {
  Node n;
  n.isLoop = true;
  n.label = std::move(label);
  n.trip = trip;
  n.children = std::move(children);
  return n;
}

Node Node::leaf(Command command) {
  Node n;
  n.command = command;
  return n;
}

Node Node::leafOf(Instruction instruction) {
  Node n;
  n.instruction = std::make_shared<const Instruction>(std::move(instruction));
  return n;
}

bool Node::operator==(const Node &o) const {
  if (isLoop != o.isLoop) return false;
  if (isLoop) return label == o.label && trip == o.trip && children == o.children;
  if ((instruction == nullptr) != (o.instruction == nullptr)) return false;
  return instruction == nullptr ? command == o.command : instruction == o.instruction || *instruction == *o.instruction;
}

Range rangeOf(const Operand &operand, const std::vector<std::int64_t> &trips) {
  Range r{operand.base, operand.base};
  for (std::size_t d = 0; d < trips.size() && d < kMaxDepth; ++d) {
    const std::int64_t reach = operand.stride[d] * (trips[d] - 1);
    (reach < 0 ? r.low : r.high) += reach;
  }
  return r;
}

namespace {

constexpr std::int64_t kMaxTrip = std::int64_t{1} << 40;
constexpr std::int64_t kMaxStride = std::int64_t{1} << 32;

class Verifier {
 public:
  Verifier(const Program &program, const machine::Machine &machine, const Places *places)
      : program_(program), machine_(machine), places_(places) {}

  Status run() {
    if (hasCode(program_)) return runOfCode();
    if (isVirtual(program_)) return verifyUnits(program_, machine_, places_);
    if (!machine_.dram)
      return error("no-dram", {}, fmt::format("machine '{}' has no DRAM to run commands on", machine_.name),
                   "choose a DRAM-based target");
    for (const Process &p : program_.processes) {
      process_ = &p;
      commands_ = 0;
      where_ = placeOf(&Places::processes, processes_++);
      if (p.instances < 1 || p.instances > machine_.dram->organization.channels)
        report("instances", fmt::format("process '{}' names {} channels, the machine has {}", p.name, p.instances,
                                        machine_.dram->organization.channels));
      for (const Node &n : p.body) visit(n);
    }
    if (!found_.empty()) return found_;
    return okStatus();
  }

 private:
  Status runOfCode() {
    if (!machine_.dpu)
      return error("no-dpu", {}, fmt::format("machine '{}' has no DPUs to run machine code on", machine_.name),
                   "choose a machine of family upmem");
    for (const Process &p : program_.processes) checkCode(p);
    if (!found_.empty()) return found_;
    return okStatus();
  }

  void checkCode(const Process &p) {
    if (p.code == nullptr || !p.body.empty())
      return report("mixed", fmt::format("process '{}' has commands beside a process of machine code", p.name));
    std::int64_t dpus = 1;
    for (const machine::Level &l : machine_.levels)
      if (l.name != "tasklet") dpus = multiplySaturated(dpus, l.count);
    if (p.instances < 1 || p.instances > dpus)
      report("instances", fmt::format("process '{}' names {} DPUs, the machine has {}", p.name, p.instances, dpus));
    const machine::Dpu &dpu = *machine_.dpu;
    const auto size = static_cast<std::int64_t>(p.code->instructions.size());
    if (size > dpu.instructions)
      report("iram", fmt::format("process '{}' has {} instructions, IRAM holds {}: {} too many", p.name, size,
                                 dpu.instructions, size - dpu.instructions));
    if (p.code->tasklets < 1 || p.code->tasklets > dpu.maxTasklets)
      report("tasklets", fmt::format("process '{}' was linked for {} tasklets, a DPU has {}", p.name, p.code->tasklets,
                                     dpu.maxTasklets));
    if (p.code->wramUsed > dpu.wram.value)
      report("wram", fmt::format("process '{}' takes {} B of WRAM, a DPU has {}: {} too many", p.name, p.code->wramUsed,
                                 dpu.wram.value, p.code->wramUsed - dpu.wram.value));
    if (p.code->mramUsed > dpu.mram.value)
      report("mram", fmt::format("process '{}' takes {} B of MRAM, a DPU has {}: {} too many", p.name, p.code->mramUsed,
                                 dpu.mram.value, p.code->mramUsed - dpu.mram.value));
  }

  Location placeOf(std::vector<Location> Places::*list, std::size_t i) const {
    return places_ != nullptr && i < (places_->*list).size() ? (places_->*list)[i] : Location{};
  }

  void report(std::string code, std::string message) {
    if (found_.size() >= 20) return;
    const char *stage = hasCode(program_) ? "asm" : "llvcnm";
    found_.push_back(error("program-" + code, where_, std::move(message),
                           fmt::format("see `pimento compile --emit {}` for a valid program", stage)));
  }

  void visit(const Node &n) {
    if (!n.isLoop) return check(n.command);
    if (trips_.size() >= kMaxDepth) return report("depth", fmt::format("loops nest deeper than {}", kMaxDepth));
    if (n.trip < 1 || n.trip > kMaxTrip)
      return report("trip", fmt::format("loop '{}' has trip count {}; 1 to 2^40 are possible", n.label, n.trip));
    trips_.push_back(n.trip);
    for (const Node &c : n.children) visit(c);
    trips_.pop_back();
  }

  void bounds(const char *what, const Operand &o, std::int64_t limit) {
    for (const std::int64_t s : o.stride)
      if (s > kMaxStride || s < -kMaxStride) return report(what, fmt::format("{} stride {} is too large", what, s));
    if (o.base > kMaxStride || o.base < -kMaxStride)
      return report(what, fmt::format("{} {} is too large", what, o.base));
    double reach = 0;  // of both directions together: a huge rise and a huge fall must not cancel
    for (std::size_t d = 0; d < trips_.size(); ++d)
      reach += std::abs(static_cast<double>(o.stride[d])) * static_cast<double>(trips_[d] - 1);
    if (reach > 1e15) return report(what, fmt::format("{} runs far out of range", what));
    const Range r = rangeOf(o, trips_);
    if (r.low < 0 || r.high >= limit)
      report(what, fmt::format("command {} of process '{}': {} runs from {} to {}, legal are 0 to {}", commands_,
                               process_->name, what, r.low, r.high, limit - 1));
  }

  void check(const Command &c) {
    ++commands_;
    where_ = placeOf(&Places::commands, allCommands_++);
    const machine::Organization &o = machine_.dram->organization;
    if (c.rank >= o.ranks) report("rank", fmt::format("command {}: rank {} of {}", commands_, c.rank, o.ranks));
    if (c.bank >= o.banks()) report("bank", fmt::format("command {}: bank {} of {}", commands_, c.bank, o.banks()));
    bounds("row", c.row, o.rows);
    bounds("column", c.column, o.columns);
    if (!c.isWrite || c.image < 0) return;
    if (c.image >= static_cast<int>(program_.images.size()))
      return report("image", fmt::format("command {}: image {} does not exist", commands_, c.image));
    bounds("burst", c.burst, program_.images[static_cast<std::size_t>(c.image)].bursts);
  }

  const Program &program_;
  const machine::Machine &machine_;
  const Process *process_ = nullptr;
  std::vector<std::int64_t> trips_;
  std::int64_t commands_ = 0;  // of the process
  const Places *places_;
  Location where_;
  std::size_t processes_ = 0, allCommands_ = 0;
  Diagnostics found_;
};

void count(const std::vector<Node> &nodes, std::int64_t times, std::array<std::int64_t, kPurposes> &out) {
  for (const Node &n : nodes) {
    if (n.isLoop) {
      count(n.children, multiplySaturated(times, n.trip), out);
      continue;
    }
    std::int64_t &total = out[static_cast<std::size_t>(n.command.purpose)];
    total = addSaturated(total, times);
  }
}

}  // namespace

bool isVirtual(const Program &program) {
  return std::any_of(program.processes.begin(), program.processes.end(),
                     [](const Process &p) { return p.unit.has_value(); });
}

bool hasCode(const Program &program) {
  return std::any_of(program.processes.begin(), program.processes.end(),
                     [](const Process &p) { return p.code != nullptr; });
}

Status verify(const Program &program, const machine::Machine &machine, const Places *places) {
  return Verifier(program, machine, places).run();
}

std::array<std::int64_t, kPurposes> countCommands(const Process &process) {
  std::array<std::int64_t, kPurposes> out{};
  count(process.body, 1, out);
  return out;
}

}  // namespace pimento::program
