// A PimDevice on the bench: the host's side of it in one line per action, and looking into banks and registers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/program/hbm_pim_isa.h"
#include "pimento/sim/pim/pim_device.h"
#include "test/support/hand_machine.h"

namespace pimento::test {

using sim::pim::Half;
using sim::pim::kLanes;
using Burst = std::array<Half, kLanes>;

inline Burst filled(Half value) {
  Burst b{};
  b.fill(value);
  return b;
}

class PimBench {
 public:
  static constexpr int kRows = 8;

  explicit PimBench(int channels = 1, const DramNumbers &n = {})
      : machine(handMachine(n)), device(machine, channels, kRows), channels_(channels) {
    images_.resize(2);
    images_[1].isPerChannel = true;
  }
  PimBench(const PimBench &) = delete;
  PimBench &operator=(const PimBench &) = delete;

  // --- commands

  void issue(machine::CommandKind kind, int bank, std::int64_t row, std::int64_t column = 0,
             const program::Command *command = nullptr, std::int64_t burst = 0) {
    device.onCommand({++time_, kind, bank, row, column, command, burst});
  }
  void activate(int bank, std::int64_t row) { issue(machine::CommandKind::kActivate, bank, row); }
  void precharge(int bank, std::int64_t row) { issue(machine::CommandKind::kPrecharge, bank, row); }
  void read(int bank, std::int64_t row, std::int64_t column, program::Purpose p = program::Purpose::kPimRead) {
    program::Command &c = commands_.emplace_back();
    c.purpose = p;
    issue(machine::CommandKind::kRead, bank, row, column, &c);
  }
  /// Reads columns `column` to `column` + 7.
  void readEight(int bank, std::int64_t row, std::int64_t column = 0) {
    for (int i = 0; i < 8; ++i) read(bank, row, column + i);
  }
  /// A write without data: what stores a register.
  void trigger(int bank, std::int64_t row, std::int64_t column) {
    program::Command &c = commands_.emplace_back();
    c.isWrite = true;
    c.purpose = program::Purpose::kPimStore;
    issue(machine::CommandKind::kWrite, bank, row, column, &c);
  }
  void write(int bank, std::int64_t row, std::int64_t column, const Burst &data) { send(bank, row, column, 0, {data}); }
  /// One burst per channel.
  void writeEach(int bank, std::int64_t row, std::int64_t column, const std::vector<Burst> &data) {
    send(bank, row, column, 1, data);
  }

  // --- what hosts do

  void enterAllBank() {
    for (const int b : {0, 1, 8, 9}) activate(b, kEnterRow);
  }
  void leaveAllBank() {
    for (const int b : {0, 1}) precharge(b, kLeaveRow);
  }
  void control(std::uint8_t isOn, bool clearA = false, bool clearB = false) {
    Burst b{};
    b[0] = isOn;
    b[10] = static_cast<Half>((clearA ? 1 : 0) | (clearB ? 0x100 : 0));  // bytes 20 and 21
    write(0, kRegisterRow, 0, b);
  }
  void load(std::string_view assembly) {
    const auto program = program::hbm_pim::parse(assembly);
    if (!program.ok()) {
      ADD_FAILURE() << program.diagnostics().front().str();
      return;
    }
    std::vector<std::uint32_t> words;
    for (const auto &i : *program) words.push_back(program::hbm_pim::encode(i));
    loadWords(words);
  }
  void loadWords(std::vector<std::uint32_t> words) {
    words.resize((words.size() + 7) / 8 * 8, 0xf0000000);
    for (std::size_t w = 0; w < words.size(); w += 8) {
      Burst b{};
      for (std::size_t i = 0; i < 8; ++i) {
        b[2 * i] = static_cast<Half>(words[w + i]);
        b[2 * i + 1] = static_cast<Half>(words[w + i] >> 16);
      }
      write(1, kRegisterRow, static_cast<std::int64_t>(4 + w / 8), b);
    }
  }
  /// From single-bank mode: loads the microkernel and starts it.
  void start(std::string_view assembly) {
    enterAllBank();
    load(assembly);
    control(1);
  }
  void setRegister(char file, int index, Half value) {
    write(1, kRegisterRow, (file == 'a' ? 8 : 0x18) + index, filled(value));
  }

  // --- looking in

  void place(int bank, std::int64_t row, std::int64_t column, Half value, int channel = 0) {
    std::fill_n(device.burst(channel, bank, row, column), kLanes, value);
  }
  Half at(int bank, std::int64_t row, std::int64_t column, int channel = 0, int lane = 0) {
    return device.burst(channel, bank, row, column)[lane];
  }
  /// A register of a block, by storing it: ends the microkernel that runs.
  Half registerOf(char file, int index, int block = 0, int channel = 0, int lane = 0) {
    control(0);
    load("NOP 7\nEXIT");
    control(1);
    const int parity = file == 'a' ? 0 : 1;
    trigger(parity, kRows - 1, index);
    control(0);
    return at(2 * block + parity, kRows - 1, index, channel, lane);
  }

  machine::Machine machine;
  sim::pim::PimDevice device;

 private:
  void send(int bank, std::int64_t row, std::int64_t column, int image, const std::vector<Burst> &bursts) {
    auto &values = images_[static_cast<std::size_t>(image)].values;
    const auto perBurst = static_cast<std::size_t>(kLanes * (image == 1 ? channels_ : 1));
    program::Command &c = commands_.emplace_back();
    c.isWrite = true;
    c.image = image;
    const auto burst = static_cast<std::int64_t>(values.size() / perBurst);
    for (const Burst &b : bursts) values.insert(values.end(), b.begin(), b.end());
    PIMENTO_CHECK(values.size() % perBurst == 0);
    device.setImages(images_);
    issue(machine::CommandKind::kWrite, bank, row, column, &c, burst);
  }

  int channels_;
  std::int64_t time_ = 0;
  std::vector<sim::pim::ImageData> images_;
  std::deque<program::Command> commands_;
};

}  // namespace pimento::test
