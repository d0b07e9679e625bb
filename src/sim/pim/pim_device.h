// HBM-PIM's units on real data: modes, registers, microkernels, banks.
//
// Watches the commands the controller issues and does to data what the device would do: tracks the mode, loads
// registers, and in all-bank PIM mode executes one CRF instruction per column command in every block. All channels
// receive one command stream, so one sequencer serves them; banks and registers exist per channel. Semantics: ISCA
// 2021 (HBM-PIM), section IV, and the public simulator's behaviour as recorded in docs/models/hbm-pim.md.
//
// Not here: time. A command's effect is one small function.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/hbm_pim_isa.h"
#include "pimento/program/program.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/banks.h"
#include "pimento/sim/pim/lanes.h"

namespace pimento::sim::pim {

class PimDevice final : public dram::CommandObserver {
 public:
  /// `rows`: data rows that the program touches, from 0. The machine must have a PIM unit of 16 f16 lanes.
  PimDevice(const machine::Machine &machine, int channels, std::int64_t rows);

  /// One burst of a bank (16 halves), for operand placement and read-back by the host.
  Half *burst(int channel, int bank, std::int64_t row, std::int64_t column) {
    return banks_.burst(channel, bank, row, column);
  }
  void setImages(std::vector<ImageData> images) { images_ = std::move(images); }

  void onCommand(const dram::IssuedCommand &command) override;

  /// Instructions executed per block so far, by purpose: checked against the program's own counts.
  const std::array<std::int64_t, program::kPurposes> &executed() const { return executed_; }

 private:
  using Instruction = program::hbm_pim::Instruction;

  void trackMode(const dram::IssuedCommand &c);
  void restart();
  void writeRegister(const dram::IssuedCommand &c);
  void writeBank(const dram::IssuedCommand &c);
  void trigger(const dram::IssuedCommand &c);
  const Instruction *currentInstruction();
  void execute(const Instruction &i, const dram::IssuedCommand &c);
  void executeOnBlock(const Instruction &i, const dram::IssuedCommand &c, int channel, int block);
  const Half *operand(const Instruction &i, int which, const dram::IssuedCommand &c, int channel, int block,
                      Half *scratch);
  Half *grf(int file, int channel, int block, int index) {
    return &grf_[static_cast<std::size_t>(((((file * channels_ + channel) * blocks_) + block) * grfEntries_ + index) *
                                          kLanes)];
  }
  const Half *imageBurst(const dram::IssuedCommand &c, int channel) const {
    return sentBurst(images_, c, channels_, channel);
  }

  const machine::PimUnit *unit_;
  const LaneArithmetic *lanes_;
  int channels_, banksPerRank_, blocks_, grfEntries_;
  std::int64_t columns_;
  BankContents banks_;
  std::vector<Half> grf_, srf_;
  std::vector<std::uint32_t> crf_;
  std::vector<Instruction> decoded_;
  std::vector<ImageData> images_;
  machine::PimMode mode_ = machine::PimMode::kSingleBank;
  std::vector<std::uint64_t> progress_;  // per mode rule
  // sequencer
  int pc_ = 0, repeats_ = 0;
  bool hasExited_ = false;
  std::vector<std::int64_t> jumpsLeft_;  // per CRF word; -1: not started
  std::array<std::int64_t, program::kPurposes> executed_{};
};

}  // namespace pimento::sim::pim
