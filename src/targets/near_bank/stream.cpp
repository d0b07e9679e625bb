#include "pimento/targets/near_bank/stream.h"

#include <algorithm>
#include <numeric>

namespace pimento::targets::near_bank {

using program::Command;
using program::Purpose;

namespace {

/// What commands of the published models are for.
Purpose purposeOf(std::string_view command) {
  struct Row {
    std::string_view name;
    Purpose purpose;
  };
  static constexpr Row kRows[] = {
      {"RD", Purpose::kHostRead},     {"WR", Purpose::kHostWrite},      {"WRGB", Purpose::kBroadcast},
      {"MACAB", Purpose::kPimMac},    {"MVSB", Purpose::kPimMove},      {"MVGB", Purpose::kPimMove},
      {"SFM", Purpose::kPimAlu},      {"BARRIER", Purpose::kControl},   {"LD_OP1", Purpose::kPimRead},
      {"ADD_OP1", Purpose::kPimAlu},  {"MAC_OP1", Purpose::kPimMac},    {"WB_ACC", Purpose::kPimStore},
      {"WB_RES", Purpose::kPimStore}, {"ACC_RESET", Purpose::kPimMove}, {"RELU", Purpose::kPimAlu}};
  const auto *found = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &r) { return r.name == command; });
  PIMENTO_CHECK(found != std::end(kRows));
  return found->purpose;
}

}  // namespace

Address moved(Address a, int depth, std::int64_t stride) {
  a.stride[static_cast<std::size_t>(depth)] += stride;
  return a;
}

Stream::Stream(const machine::Machine &machine)
    : dram_(*machine.dram), organization_(machine.dram->organization), lists_(1) {
  program_.target = machine.name;
}

std::uint8_t Stream::named(std::string_view command, bool isWrite) {
  auto &names = program_.commands;
  auto found = std::find_if(names.begin(), names.end(), [&](const auto &n) { return n.name == command; });
  if (found == names.end()) found = names.insert(names.end(), {std::string(command), isWrite});
  return static_cast<std::uint8_t>(found - names.begin() + 1);
}

void Stream::send(std::string_view command, std::int64_t b, std::int64_t first, std::int64_t count, const Address &a,
                  std::int64_t step) {
  Command c;
  c.purpose = purposeOf(command);
  const machine::Command &row = dram_.commands[static_cast<std::size_t>(dram_.commandNamed(command))];
  c.isWrite = row.kind == machine::CommandKind::kWrite;
  if (command != "RD" && command != "WR") c.named = named(command, c.isWrite);
  const std::int64_t bank = b % banks(), perRank = organization_.banks();
  c.rank = static_cast<std::uint8_t>(bank / perRank);
  c.bank = static_cast<std::uint8_t>(bank % perRank);
  c.isLinear = true;
  c.column = a;
  first += b / banks();
  // A command goes to a channel once; the next time around is another command.
  const std::int64_t most = channels() / std::gcd(step, channels());
  for (; count > 0; count -= most, first += most * step) {
    c.channels = {static_cast<std::uint8_t>(first % channels()), static_cast<std::uint8_t>(std::min(count, most)),
                  static_cast<std::uint8_t>(step)};
    lists_.back().emplace_back(c);
  }
}

void Stream::barrier() {
  send("BARRIER", 0, 0, channels(), {});
}

void Stream::each(int command, std::int64_t b, const Address &a, Purpose purpose, const StreamData &data,
                  std::int32_t length) {
  const machine::Command &row = dram_.commands[static_cast<std::size_t>(command)];
  Command c;
  c.purpose = purpose;
  c.isWrite = row.kind == machine::CommandKind::kWrite;
  const bool isPlain = command == dram_.plainCommand(machine::CommandKind::kRead) ||
                       command == dram_.plainCommand(machine::CommandKind::kWrite);
  if (!isPlain) c.named = named(row.name, c.isWrite);
  c.rank = static_cast<std::uint8_t>(b / organization_.banks());
  c.bank = static_cast<std::uint8_t>(b % organization_.banks());
  c.isLinear = true;
  c.column = a;
  c.image = data.image;
  c.burst = data.burst;
  c.length = length;
  lists_.back().emplace_back(c);
}

void Stream::fence() {
  each(dram_.commandOf(machine::CommandKind::kBarrier, machine::ScopeLevel::kChannel), 0, {}, Purpose::kControl);
}

void Stream::await() {
  const auto waits = std::find_if(dram_.commands.begin(), dram_.commands.end(),
                                  [](const machine::Command &c) { return c.awaitsData; });
  if (waits == dram_.commands.end()) return fence();
  each(static_cast<int>(waits - dram_.commands.begin()), 0, {}, Purpose::kControl);
}

int Stream::image(std::string name, std::int64_t bursts, bool isPerChannel) {
  program_.images.push_back({std::move(name), bursts, isPerChannel});
  return static_cast<int>(program_.images.size()) - 1;
}

void Stream::close(std::string_view process, std::int64_t channels) {
  program_.processes.push_back({std::string(process), channels, std::move(lists_.front())});
  lists_.assign(1, {});
}

program::Program Stream::takeForEach(std::string_view process, std::int64_t channels) {
  close(process, channels);
  return take();
}

program::Program Stream::take(std::string_view process) {
  program::Process p{std::string(process), organization_.channels, std::move(lists_.front())};
  p.isShared = true;
  program_.processes.push_back(std::move(p));
  return std::move(program_);
}

}  // namespace pimento::targets::near_bank
