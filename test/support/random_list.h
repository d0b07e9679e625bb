// Random machines with four queues, and random lists for 1 to 16 unequal channels of them.
//
// Draws what is hard on the grouping of channels and on fast-forward: commands to some of the channels, refusals in the
// middle of a command's channels, linear addresses that cross rows, rows that stay where others move, barriers of both
// kinds and those that wait for data, commands that take longer for more, short queues, refresh intervals coprime to
// the bodies, with the quirks of the published models and without.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/program/text.h"
#include "test/support/machine_file.h"

namespace pimento::test {

struct RandomList {
  machine::Machine machine;
  program::Program program;

  const program::Process &process() const { return program.processes.front(); }
  std::string str() const {
    const machine::Dram &d = *machine.dram;
    return fmt::format("queue {} barrier {} writes {}..{} refi {} quirks {} {}\n{}", d.controller.commandQueue,
                       static_cast<int>(d.controller.barrier), d.controller.writesBegin, d.controller.writesEnd,
                       d.refreshInterval.value, d.quirks.severalOpenRows, d.quirks.namedBankOnly,
                       program::print(program));
  }
};

class ListMaker {
 public:
  /// `commands`: about so many, inner loops counted.
  ListMaker(std::uint64_t seed, std::int64_t commands) : rng_(seed), budget_(commands) {}

  RandomList make() {
    RandomList c;
    static const machine::Machine kBase = load("attacc-published");
    c.machine = kBase;
    c.machine.dram->commands.push_back({"WAIT", machine::CommandKind::kBarrier, machine::ScopeLevel::kChannel});
    c.machine.dram->commands.back().needs = machine::Command::usualNeeds(machine::CommandKind::kBarrier);
    c.machine.dram->commands.back().awaitsData = true;
    drawMachine(*c.machine.dram);
    dram_ = &*c.machine.dram;
    channels_ = rng_.integer(1, 16);
    c.program.target = "attacc-published";
    c.program.commands = {{"MACAB", false}, {"WRGB", true}, {"SFM", false}, {"BARRIER", false}, {"WAIT", false}};
    program::Process p{"list", channels_, block(0, budget_)};
    p.isShared = true;
    c.program.processes.push_back(std::move(p));
    return c;
  }

 private:
  bool chance(int percent) { return rng_.integer(0, 99) < percent; }

  void drawMachine(machine::Dram &d) {
    machine::Organization &o = d.organization;
    constexpr std::array<std::array<int, 4>, 5> kShapes = {
        {{2, 4, 4, 4}, {2, 4, 4, 4}, {1, 1, 2, 2}, {2, 2, 2, 4}, {1, 2, 4, 2}}};
    const auto &shape = kShapes[rng_.below(kShapes.size())];
    o.pseudoChannels = shape[0];
    o.ranks = shape[1];
    o.bankGroups = shape[2];
    o.banksPerGroup = shape[3];
    for (machine::TimingConstraint &c : d.constraints)
      if (chance(60)) c.latency = Cycles(std::max<std::int64_t>(1, c.latency.value + rng_.integer(-8, 8)));
    // The third of the commands waits for its like, and loads for it, the longer the more it did.
    if (chance(50))
      d.constraints.push_back({chance(70) ? machine::ScopeLevel::kChannel : machine::ScopeLevel::kRank,
                               {d.commandNamed("SFM")},
                               {d.commandNamed("SFM"), d.commandNamed("WRGB")},
                               Cycles(rng_.integer(0, 20)),
                               1,
                               "",
                               "length",
                               Cycles(rng_.integer(1, 4))});
    d.readLatency = Cycles(rng_.integer(1, 40));
    machine::Controller &k = d.controller;
    k.barrier = chance(50) ? machine::BarrierRule::kDrain : machine::BarrierRule::kInOrder;
    if (chance(50)) k.commandQueue = rng_.integer(1, 33);
    k.writesBegin = rng_.integer(1, k.commandQueue);
    k.writesEnd = rng_.integer(0, k.writesBegin);
    if (chance(15)) k.refreshPolicy = "none";
    d.refreshInterval = Cycles(rng_.integer(1200, chance(50) ? 1700 : 6000));
    for (const char *name : {"WRGB", "SFM"})
      if (chance(30))
        d.commands[static_cast<std::size_t>(d.commandNamed(name))].completion = Cycles(rng_.integer(1, 60));
    if (chance(35)) d.quirks = {};
    if (d.quirks == machine::Quirks{})
      for (machine::Command &c : d.commands) c.checks = machine::ScopeLevel::kBank;
  }

  program::CommandLoops block(int depth, std::int64_t commands) {
    program::CommandLoops out;
    const std::int64_t parts = rng_.integer(1, 3);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t budget = std::max<std::int64_t>(commands / parts, 1);
      if (depth >= 4 || budget < 12 || (depth > 0 && chance(25))) {
        statement(out);
        continue;
      }
      constexpr std::array<std::int64_t, 10> kTrips = {2, 3, 7, 8, 13, 16, 32, 64, 97, 200};
      const std::int64_t trips = std::clamp<std::int64_t>(kTrips[rng_.below(kTrips.size())], 1, budget / 6 + 1);
      trips_.push_back(trips);
      program::CommandLoops body = block(depth + 1, budget / trips);
      trips_.pop_back();
      out.push_back(program::CommandNode::loop(fmt::format("i{}", depth), trips, std::move(body)));
    }
    return out;
  }

  /// A command to some banks, one after the other, as the published streams send them.
  void statement(program::CommandLoops &out) {
    program::Command c;
    const std::int64_t what = rng_.integer(0, 9);
    if (what < 3) {
      c.isWrite = what > 0;
    } else {
      c.named = static_cast<std::uint8_t>(what < 6 ? 1 : what < 8 ? 2 : what < 9 ? 3 : chance(60) ? 4 : 5);
      c.isWrite = c.named == 2;
    }
    channelsOf(c);
    if (c.named == 3 && chance(60)) c.length = static_cast<std::int32_t>(rng_.integer(1, 60));
    c.isLinear = chance(70);
    address(c);
    const std::int64_t banks = dram_->organization.ranks * dram_->organization.banks();
    const std::int64_t count = c.named == 1 || c.named >= 4 ? 1 : rng_.integer(1, std::min<std::int64_t>(banks, 12));
    const std::int64_t first = chance(60) ? 0 : rng_.integer(0, banks - 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t bank = (first + i) % banks;
      c.rank = static_cast<std::uint8_t>(bank / dram_->organization.banks());
      c.bank = static_cast<std::uint8_t>(bank % dram_->organization.banks());
      out.emplace_back(c);
    }
  }

  void channelsOf(program::Command &c) {
    if (chance(60)) return;  // all
    const std::int64_t first = rng_.integer(0, channels_ - 1), step = chance(70) ? 1 : rng_.integer(1, 3);
    const std::int64_t most = channels_ / std::gcd(step, channels_);
    c.channels = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(rng_.integer(1, most)),
                  static_cast<std::uint8_t>(step)};
  }

  void address(program::Command &c) {
    c.row = c.column = {};
    if (!c.isLinear) {
      c.row.base = rng_.integer(0, 3);
      for (std::size_t d = 0; d < trips_.size(); ++d) c.row.stride[d] = chance(30) ? 1 : 0;
      c.column.base = rng_.integer(0, 31);
      return;
    }
    constexpr std::array<std::int64_t, 6> kStrides = {0, 0, 32, 32, 512, 1024};
    c.column.base = 32 * rng_.integer(0, 128);
    for (std::size_t d = 0; d < trips_.size(); ++d) c.column.stride[d] = kStrides[rng_.below(kStrides.size())];
  }

  Rng rng_;
  std::int64_t budget_, channels_ = 1;
  const machine::Dram *dram_ = nullptr;
  std::vector<std::int64_t> trips_;
};

inline RandomList randomList(std::uint64_t seed, std::int64_t commands) {
  return ListMaker(seed, commands).make();
}

}  // namespace pimento::test
