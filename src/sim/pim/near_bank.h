// Units beside banks whose commands are rows of the machine's table: what each command does to data is one function,
// found by the command's name.
//
// For devices without modes and microkernels, in the manner of SK hynix's AiM: a global buffer per channel, and beside
// every bank a multiplier for each lane with an accumulator. Adding a command is a row in the machine file, which says
// what it addresses, needs and waits for, and a row here, which says what it does. HBM-PIM's units are pim_device.h.
//
// Not here: time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/banks.h"

namespace pimento::sim::pim {

class NearBankDevice;

/// What a command does to data. `c.banks` are the banks that it addresses.
struct Effect {
  std::string_view command;  ///< its name in the machine's table
  void (*apply)(NearBankDevice &device, const dram::IssuedCommand &c);
};

class NearBankDevice final : public dram::CommandObserver {
 public:
  /// `rows`: data rows that the program touches, from 0. Every column command of the machine must have an effect; those
  /// of commands that it does not have are left out.
  NearBankDevice(const machine::Machine &machine, int channels, std::int64_t rows, std::span<const Effect> effects);

  void onCommand(const dram::IssuedCommand &c) override;

  int channels() const { return channels_; }
  void setImages(std::vector<ImageData> images) { images_ = std::move(images); }
  /// The burst that a write sends to a channel; null where it sends none.
  const Half *sent(const dram::IssuedCommand &c, int channel) const {
    return sentBurst(images_, c, channels_, channel);
  }
  /// A burst of 16 halves of a bank, of the global buffer (as many as a row has), and of a bank's accumulator.
  Half *burst(int channel, int bank, std::int64_t row, std::int64_t column) {
    return banks_.burst(channel, bank, row, column);
  }
  Half *buffer(int channel, std::int64_t entry) { return buffers_.burst(channel, 0, 0, entry); }
  Half *accumulator(int channel, int bank) { return accumulators_.burst(channel, bank, 0, 0); }
  /// What reads have sent to the host, burst after burst.
  std::vector<Half> &host() { return host_; }

 private:
  int channels_;
  BankContents banks_, buffers_, accumulators_;
  std::vector<ImageData> images_;
  std::vector<Half> host_;
  std::vector<void (*)(NearBankDevice &, const dram::IssuedCommand &)> effects_;  // by command; null: none
};

/// Effects that most devices have: a write to banks, and a read of them to the host.
void writeBanks(NearBankDevice &device, const dram::IssuedCommand &c);
void readBanks(NearBankDevice &device, const dram::IssuedCommand &c);

}  // namespace pimento::sim::pim
