#include "pimento/sim/pim/pim_device.h"

#include <algorithm>
#include <cstring>

namespace pimento::sim::pim {

using machine::CommandKind;
using machine::PimMode;
using program::Purpose;
using program::hbm_pim::Opcode;
using program::hbm_pim::Source;

namespace {
constexpr int kRepeats = 8;                   // commands an AAM instruction or a FILL covers
constexpr int kControlBytes[] = {0, 20, 21};  // PIM on/off, clear GRF_A, clear GRF_B
}  // namespace

PimDevice::PimDevice(const machine::Machine &machine, int channels, std::int64_t rows)
    : unit_(&*machine.pim),
      lanes_(&lanes()),
      channels_(channels),
      banksPerRank_(static_cast<int>(machine.dram->organization.banks())),
      blocks_(static_cast<int>(machine.pim->blocks)),
      grfEntries_(static_cast<int>(machine.pim->grfEntries)),
      columns_(machine.dram->organization.columns),
      banks_(channels, banksPerRank_, rows, columns_) {
  PIMENTO_CHECK(unit_->lanes == kLanes && unit_->type == DType::kF16);
  grf_.assign(static_cast<std::size_t>(2 * channels_ * blocks_ * grfEntries_ * kLanes), 0);
  srf_.assign(kLanes, 0);
  crf_.assign(static_cast<std::size_t>(unit_->crfWords), 0);
  jumpsLeft_.assign(crf_.size(), -1);
  progress_.assign(unit_->modeRules.size(), 0);
}

void PimDevice::onCommand(const dram::IssuedCommand &c) {
  if (c.bank >= banksPerRank_) return;  // ranks without units
  if (c.kind == CommandKind::kRead || c.kind == CommandKind::kWrite) {
    const bool isData = c.row < unit_->firstControlRow;
    if (mode_ == PimMode::kAllBankPim && isData)
      trigger(c);
    else if (c.kind == CommandKind::kWrite && isData)
      writeBank(c);
    else if (c.kind == CommandKind::kWrite && mode_ != PimMode::kSingleBank && c.row == unit_->rows.at("registers"))
      writeRegister(c);
  }
  trackMode(c);
}

void PimDevice::trackMode(const dram::IssuedCommand &c) {
  for (std::size_t i = 0; i < unit_->modeRules.size(); ++i) {
    const machine::ModeRule &r = unit_->modeRules[i];
    if (r.from != mode_ || r.command != c.kind || r.row != c.row) continue;
    if (std::find(r.banks.begin(), r.banks.end(), c.bank) == r.banks.end()) continue;
    if (r.column && *r.column != c.column) continue;
    if (r.value) {
      const Half *burst = imageBurst(c, 0);
      if (burst == nullptr || (*burst & 0xff) != *r.value) continue;
    }
    progress_[i] |= std::uint64_t{1} << c.bank;
    std::uint64_t all = 0;
    for (const int b : r.banks) all |= std::uint64_t{1} << b;
    if (progress_[i] != all) continue;
    std::fill(progress_.begin(), progress_.end(), 0);
    mode_ = r.to;
    if (mode_ == PimMode::kAllBankPim) restart();
    return;
  }
}

void PimDevice::restart() {
  pc_ = repeats_ = 0;
  hasExited_ = false;
  std::fill(jumpsLeft_.begin(), jumpsLeft_.end(), -1);
  decoded_.clear();
  for (const std::uint32_t word : crf_) {
    const Result<Instruction> d = program::hbm_pim::decode(word);
    Instruction i = d ? *d : Instruction{Opcode::kExit};
    if (i.op == Opcode::kJump) {
      if (i.jumpOffset > static_cast<int>(decoded_.size())) i = Instruction{Opcode::kExit};
      // A loop of nothing but JUMPs that are not taken does nothing: with its count 0, every JUMP that is taken leads
      // to an instruction.
      const bool hasWork = std::any_of(decoded_.end() - i.jumpOffset, decoded_.end(),
                                       [](const Instruction &w) { return w.op != Opcode::kJump || w.jumpCount > 0; });
      if (!hasWork) i.jumpCount = 0;
    }
    decoded_.push_back(i);
  }
}

// Register writes in all-bank modes reach all blocks of a channel.
void PimDevice::writeRegister(const dram::IssuedCommand &c) {
  const Half *shared = imageBurst(c, 0);
  if (shared == nullptr) return;
  const auto &columns = unit_->columns;
  const auto entry = [&](const char *name, std::int64_t entries) {
    const std::int64_t i = c.column - columns.at(name);
    return i >= 0 && i < entries ? static_cast<int>(i) : -1;
  };
  if (c.column == columns.at("control")) {
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(shared);
    const std::size_t file = grf_.size() / 2;
    if (bytes[kControlBytes[1]]) std::fill_n(grf_.begin(), file, Half{0});
    if (bytes[kControlBytes[2]]) std::fill_n(grf_.begin() + static_cast<std::ptrdiff_t>(file), file, Half{0});
  } else if (c.column == columns.at("srf")) {
    std::copy_n(shared, kLanes, srf_.begin());
  } else if (const int word = entry("crf", unit_->crfWords / 8); word >= 0) {
    std::memcpy(&crf_[static_cast<std::size_t>(word * 8)], shared, 32);
  } else {
    for (const auto &[file, name] : {std::pair{0, "grf_a"}, std::pair{1, "grf_b"}}) {
      const int i = entry(name, grfEntries_);
      if (i < 0) continue;
      for (int channel = 0; channel < channels_; ++channel)
        for (int block = 0; block < blocks_; ++block)
          std::copy_n(imageBurst(c, channel), kLanes, grf(file, channel, block, i));
    }
  }
}

void PimDevice::writeBank(const dram::IssuedCommand &c) {
  if (imageBurst(c, 0) == nullptr) return;
  const bool isAllBank = mode_ != PimMode::kSingleBank;
  const auto perBlock = static_cast<int>(unit_->banksPerBlock);
  for (int bank = 0; bank < banksPerRank_; ++bank) {
    if (isAllBank ? bank % perBlock != c.bank % perBlock : bank != c.bank) continue;
    for (int channel = 0; channel < channels_; ++channel)
      std::copy_n(imageBurst(c, channel), kLanes, burst(channel, bank, c.row, c.column));
  }
}

// JUMPs are resolved before the instruction that a command triggers; a loop that has ended can be entered again.
const PimDevice::Instruction *PimDevice::currentInstruction() {
  while (!hasExited_ && pc_ < static_cast<int>(decoded_.size())) {
    const Instruction &i = decoded_[static_cast<std::size_t>(pc_)];
    if (i.op != Opcode::kJump && i.op != Opcode::kExit) return &i;
    if (i.op == Opcode::kExit) break;
    std::int64_t &left = jumpsLeft_[static_cast<std::size_t>(pc_)];
    if (left < 0) left = i.jumpCount;
    if (left > 0) {
      --left;
      pc_ -= i.jumpOffset;
    } else {
      left = -1;
      ++pc_;
    }
  }
  hasExited_ = true;
  return nullptr;
}

void PimDevice::trigger(const dram::IssuedCommand &c) {
  const Instruction *i = currentInstruction();
  if (i == nullptr) return;
  ++executed_[static_cast<std::size_t>(c.command->purpose)];
  execute(*i, c);
  const int repeats = i->op == Opcode::kNop ? i->nopCount + 1 : (i->isAam || i->op == Opcode::kFill) ? kRepeats : 1;
  if (++repeats_ < repeats) return;
  repeats_ = 0;
  ++pc_;
}

void PimDevice::execute(const Instruction &i, const dram::IssuedCommand &c) {
  for (int block = 0; block < blocks_; ++block)
    for (int channel = 0; channel < channels_; ++channel) executeOnBlock(i, c, channel, block);
}

void PimDevice::executeOnBlock(const Instruction &i, const dram::IssuedCommand &c, int channel, int block) {
  const int parity = c.bank % static_cast<int>(unit_->banksPerBlock);
  const int bank = block * static_cast<int>(unit_->banksPerBlock) + parity;
  const int low = static_cast<int>(c.column % kRepeats);
  if (i.op == Opcode::kNop) {
    // NOP with a write stores GRF_A to the even or GRF_B to the odd bank.
    if (c.kind == CommandKind::kWrite)
      std::copy_n(grf(parity, channel, block, low), kLanes, burst(channel, bank, c.row, c.column));
    return;
  }
  PIMENTO_CHECK(i.dst == Source::kGrfA || i.dst == Source::kGrfB);
  const bool isAddressed = i.isAam || i.op == Opcode::kFill;
  Half *dst = grf(i.dst == Source::kGrfB, channel, block, isAddressed ? low : i.dstIndex);
  Half scratch0[kLanes], scratch1[kLanes];
  const Half *a = operand(i, 0, c, channel, block, scratch0);
  switch (i.op) {
    case Opcode::kMov:
    case Opcode::kFill:
      for (int l = 0; l < kLanes; ++l) dst[l] = i.isRelu && (a[l] & 0x8000) ? Half{0} : a[l];
      break;
    case Opcode::kAdd:
      lanes_->add(dst, a, operand(i, 1, c, channel, block, scratch1));
      break;
    case Opcode::kMul:
      lanes_->mul(dst, a, operand(i, 1, c, channel, block, scratch1));
      break;
    case Opcode::kMac:
      lanes_->mac(dst, a, operand(i, 1, c, channel, block, scratch1));
      break;
    case Opcode::kMad: {
      Half product[kLanes];
      lanes_->mul(product, a, operand(i, 1, c, channel, block, scratch1));
      lanes_->add(dst, product, operand(i, 2, c, channel, block, scratch1));
      break;
    }
    default:
      PIMENTO_CHECK(!"no data operation");
  }
}

// Register numbers in address-aligned mode: the low three column bits; for MAC, GRF_A takes {row bit 0, column bits
// 4..3}, so that a 64-column tile starting at an even row meets each input burst with each slot. The SRF has one scalar
// per register number.
const Half *PimDevice::operand(const Instruction &i, int which, const dram::IssuedCommand &c, int channel, int block,
                               Half *scratch) {
  const Source s = which == 0 ? i.src0 : which == 1 ? i.src1 : i.src2;
  const int parity = c.bank % static_cast<int>(unit_->banksPerBlock);
  const int low = static_cast<int>(c.column % kRepeats);
  const bool isAddressed = i.isAam || i.op == Opcode::kFill;
  const int own = which == 0 ? i.src0Index : i.src1Index;
  switch (s) {
    case Source::kEvenBank:
    case Source::kOddBank:
      PIMENTO_CHECK((s == Source::kOddBank) == (parity == 1));
      return burst(channel, block * static_cast<int>(unit_->banksPerBlock) + parity, c.row, c.column);
    case Source::kGrfA: {
      const int input = static_cast<int>((c.row & 1) * (columns_ / kRepeats) + c.column / kRepeats) % grfEntries_;
      return grf(0, channel, block, !isAddressed ? own : i.op == Opcode::kMac ? input : low);
    }
    case Source::kGrfB:
      return grf(1, channel, block, isAddressed ? low : own);
    case Source::kSrfM:
    case Source::kSrfA: {
      const int entry = (isAddressed ? low : own) + (s == Source::kSrfA ? kLanes / 2 : 0);
      std::fill_n(scratch, kLanes, srf_[static_cast<std::size_t>(entry)]);
      return scratch;
    }
    case Source::kAOut:
    case Source::kMOut:
      break;
  }
  PIMENTO_CHECK(!"not an operand");
}

}  // namespace pimento::sim::pim
