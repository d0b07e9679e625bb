#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

namespace {
constexpr int kRegisterBank = 1;  // register rows are written through the odd bank of the first block
constexpr int kControlBank = 0;

/// The command `left` places further on, or null; `left` falls by the commands passed.
const program::Command *commandAt(const std::vector<CommandNode> &nodes, std::int64_t &left) {
  for (const CommandNode &n : nodes) {
    if (!n.isLoop) {
      if (left-- == 0) return &n.statement;
      continue;
    }
    for (std::int64_t i = 0; i < n.trip; ++i)
      if (const program::Command *c = commandAt(n.children, left)) return c;
  }
  return nullptr;
}

}  // namespace

Operand affine(std::int64_t base, std::initializer_list<std::pair<int, std::int64_t>> strides) {
  Operand o;
  o.base = base;
  for (const auto &[depth, stride] : strides) o.stride[static_cast<std::size_t>(depth)] = stride;
  return o;
}

CommandNode Stream::read(int bank, Operand row, Operand column, Purpose purpose, bool isBarrier) const {
  program::Command c;
  c.isBarrier = isBarrier;
  c.purpose = purpose;
  c.bank = static_cast<std::uint8_t>(bank);
  c.row = row;
  c.column = column;
  return CommandNode(c);
}

CommandNode Stream::write(int bank, Operand row, Operand column, Purpose purpose, bool isBarrier, int image,
                          Operand burst) const {
  CommandNode n = read(bank, row, column, purpose, isBarrier);
  n.statement.isWrite = true;
  n.statement.image = image;
  n.statement.burst = burst;
  return n;
}

void Stream::park(std::vector<CommandNode> &out) const {
  const machine::Organization &o = machine_.dram->organization;
  for (std::int64_t b = 0; b < o.banksPerGroup; ++b)
    for (std::int64_t g = 0; g < o.bankGroups; ++g)
      out.push_back(
          read(static_cast<int>(g * o.banksPerGroup + b), affine(rowOf("park")), {}, Purpose::kHostRead, false));
  out.back().statement.isBarrier = true;
}

void Stream::enterAllBank(std::vector<CommandNode> &out) const {
  for (const machine::ModeRule &r : pim_.modeRules) {
    if (r.from != machine::PimMode::kSingleBank) continue;
    for (const int b : r.banks)
      out.push_back(write(b, affine(r.row), affine(columnOf("mode")), Purpose::kControl, false));
  }
  out.back().statement.isBarrier = true;
}

void Stream::leaveAllBank(std::vector<CommandNode> &out) const {
  for (const machine::ModeRule &r : pim_.modeRules) {
    if (r.to != machine::PimMode::kSingleBank) continue;
    for (const int b : r.banks)
      out.push_back(write(b, affine(r.row), affine(columnOf("mode")), Purpose::kControl, false));
  }
  out.back().statement.isBarrier = true;
}

void Stream::loadMicrokernel(std::vector<CommandNode> &out, int image, std::int64_t firstBurst,
                             std::int64_t bursts) const {
  for (std::int64_t i = 0; i < bursts; ++i)
    out.push_back(write(kRegisterBank, affine(rowOf("registers")), affine(columnOf("crf") + i), Purpose::kProgram,
                        false, image, affine(firstBurst + i)));
  out.back().statement.isBarrier = true;
}

void Stream::loadScalars(std::vector<CommandNode> &out, int image, std::int64_t burst) const {
  out.push_back(write(kRegisterBank, affine(rowOf("registers")), affine(columnOf("srf")), Purpose::kBroadcast, true,
                      image, affine(burst)));
}

void Stream::control(std::vector<CommandNode> &out, int image, std::int64_t burst) const {
  out.push_back(write(kControlBank, affine(rowOf("registers")), affine(columnOf("control")), Purpose::kControl, true,
                      image, affine(burst)));
}

void Stream::writeInput(std::vector<CommandNode> &out, int image, Operand burst) const {
  for (std::int64_t g = 0; g < pim_.grfEntries; ++g) {
    Operand b = burst;
    b.base += g;
    out.push_back(write(kRegisterBank, affine(rowOf("registers")), affine(columnOf("grf_a") + g), Purpose::kBroadcast,
                        false, image, b));
  }
  out.back().statement.isBarrier = true;
}

void Stream::readColumns(std::vector<CommandNode> &out, int bank, Operand row, Operand column, Purpose purpose) const {
  for (std::int64_t c = 0; c < pim_.grfEntries; ++c) {
    Operand at = column;
    at.base += c;
    out.push_back(read(bank, row, at, purpose, false));
  }
  out.back().statement.isBarrier = true;
}

void Stream::writeColumns(std::vector<CommandNode> &out, int bank, Operand row, Operand column, Purpose purpose,
                          int image) const {
  for (std::int64_t c = 0; c < pim_.grfEntries; ++c) {
    Operand at = column;
    at.base += c;
    out.push_back(write(bank, row, at, purpose, false, image));
  }
  out.back().statement.isBarrier = true;
}

program::Process Stream::process(std::vector<CommandNode> before,
                                 const std::function<void(std::vector<CommandNode> &)> &body) const {
  program::Process p;
  p.name = "channel";
  p.instances = machine_.dram->organization.channels;
  auto &commands = p.body.emplace<program::CommandLoops>(std::move(before));
  park(commands);
  enterAllBank(commands);
  body(commands);
  leaveAllBank(commands);
  park(commands);
  keepBarriers(commands);
  return p;
}

void Stream::keepBarriers(std::vector<CommandNode> &body) const {
  const machine::Controller &c = machine_.dram->controller;
  if (!c.losesBarrierOnFullQueue) return;
  while (true) {
    std::int64_t left = c.transactionQueue - 1;
    const program::Command *last = commandAt(body, left);
    if (last == nullptr || !last->isBarrier) return;
    body.insert(body.begin(), read(0, affine(rowOf("park")), {}, Purpose::kHostRead, false));
  }
}

}  // namespace pimento::targets::hbm_pim
