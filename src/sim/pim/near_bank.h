// Units beside banks whose commands are rows of the machine's table: what each command does to data is one function,
// found by the command's name.
//
// For devices without modes and microkernels, in the manner of AttAcc and of SK hynix's AiM. Adding a command is a row
// in the machine file, which says what it addresses, needs and waits for, and a row here, which says what it does; of
// machines with a section `near_bank`, that section says which command has which of unitEffects(). HBM-PIM's units are
// pim_device.h.
//
// Not here: time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/banks.h"
#include "pimento/sim/pim/softmax_unit.h"

namespace pimento::sim::pim {

class NearBankDevice;

/// What a command does to data. `c.banks` are the banks that it addresses.
struct Effect {
  std::string_view command;  ///< its name in the machine's table
  void (*apply)(NearBankDevice &device, const dram::IssuedCommand &c);
};

class NearBankDevice final : public dram::CommandObserver {
 public:
  /// `rows`: data rows that the program touches, from 0. Every column command that runs must have an effect; those of
  /// commands that the machine does not have are left out. Units have the lanes of a burst.
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
  /// The units of a machine with a section `near_bank`.
  const machine::NearBankUnit &unit() const { return *unit_; }
  /// Operand buffer, accumulators, and products so far since they were cleared, of one unit.
  Half *entry(int channel, int bank, std::int64_t entry) { return entries_.burst(channel, bank, 0, entry); }
  float *sums(int channel, int bank) {
    return &sums_[static_cast<std::size_t>((bank * channels_ + channel) * unit_->accumulators)];
  }
  std::int64_t &products(int channel, int bank) {
    return products_[static_cast<std::size_t>(bank * channels_ + channel)];
  }
  /// What the function of a unit left.
  float &functionOf(int channel, int bank) { return functions_[static_cast<std::size_t>(bank * channels_ + channel)]; }
  int banksPerGroup() const { return banksPerGroup_; }
  /// Columns that make a result, of the units of a channel.
  std::int64_t &columnsPerResult(int channel) { return columnsPerResult_[static_cast<std::size_t>(channel)]; }
  /// The softmax units of a machine with a section `near_bank.softmax`.
  SoftmaxUnits &softmax() { return *softmax_; }
  int banks() const { return bankCount_; }
  std::int64_t columns() const { return columns_; }
  /// Results that have left the units: burst `number` of a channel. As many as setResults() said.
  Half *result(int channel, std::int64_t number) {
    return &results_[static_cast<std::size_t>((number * channels_ + channel) * kLanes)];
  }
  void setResults(std::int64_t bursts) { results_.assign(static_cast<std::size_t>(bursts * channels_ * kLanes), 0); }
  /// What reads have sent to the host, burst after burst.
  std::vector<Half> &host() { return host_; }

 private:
  int channels_, bankCount_, banksPerGroup_;
  std::int64_t columns_;
  const machine::NearBankUnit *unit_;  // null: the machine says nothing of its units
  BankContents banks_, buffers_, accumulators_, entries_;
  std::vector<float> sums_, functions_;
  std::optional<SoftmaxUnits> softmax_;
  std::vector<std::int64_t> products_, columnsPerResult_;
  std::vector<Half> results_;
  std::vector<ImageData> images_;
  std::vector<Half> host_;
  std::vector<void (*)(NearBankDevice &, const dram::IssuedCommand &)> effects_;  // by command; null: none
};

/// Effects that most devices have: a write to banks, and a read of them to the host.
void writeBanks(NearBankDevice &device, const dram::IssuedCommand &c);
void readBanks(NearBankDevice &device, const dram::IssuedCommand &c);

/// What the commands do that the machine's section `near_bank` names, and its plain read and write:
///   multiply     the column of each bank times the unit's next buffer entry, lane by lane, rounded to its type; the
///                products are summed by a balanced tree, in the accumulators' type, onto the accumulator whose turn it
///                is
///   load(_all)   a burst that the host sends, into buffer entry `column` of each unit
///   result       the accumulators of the units, rounded, as result burst `burst`; then they are 0, and the first has
///                its turn
///   merged_result  likewise, but the sums of all banks of the command's node, in their order and the accumulators'
///   type set_columns  the first half of a burst: so many products make a result; the first accumulator has its turn
///   multiply_elements  in every bank group, the first bank's burst times the second's, lane by lane, rounded to the
///                unit's type, into the third's
///   preload      an element of a burst onto the first accumulator of each unit, which has its turn
///   function     relu of the unit's first accumulator, rounded, into a register beside it
///   function_result    those registers, as result burst `burst`
///   copy_out     a burst of a bank into the entry of its column, of the channel's buffer
///   copy_in      likewise from there into the bank
/// and those of softmaxEffects().
std::vector<Effect> unitEffects(const machine::Machine &machine);

}  // namespace pimento::sim::pim
