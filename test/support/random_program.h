// Random machines and command streams for the property tests of `sim`.
//
// Draws what is hard on fast-forward and on the controller: loops of few and of thousands of iterations with coprime
// trip counts, statements that share rows but not strides, rows that run into the mode rows, barriers at odd places,
// one to four ranks, refresh intervals coprime to the bodies, activation windows, fences, short queues.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/program/text.h"
#include "test/support/hand_machine.h"
#include "test/support/trace.h"

namespace pimento::test {

/// A machine and a stream for it. `str()` says everything needed to repeat the case by hand.
struct RandomCase {
  DramNumbers numbers;
  std::int64_t controlRow = 0;  ///< where the control rows of `machine` begin
  machine::Machine machine;
  program::Process process;

  std::string str() const {
    return fmt::format("{} control-row {}\n{}", numbers.str(), controlRow, program::print({"hbm-pim", {}, {process}}));
  }
};

/// How large a stream may get.
struct Shape {
  std::int64_t commands = 500;  ///< about that many, inner loops counted
  int depth = 5;
  std::int64_t trip = 40;  ///< longest loop
};

/// Moves the control rows to `controlRow` and later, so that data rows can run into them.
inline void moveControlRows(machine::Machine &m, std::int64_t controlRow) {
  machine::PimUnit &p = *m.pim;
  p.firstControlRow = controlRow;
  p.rows = {{"park", controlRow},
            {"enter_all_bank", controlRow + 3},
            {"leave_all_bank", controlRow + 5},
            {"registers", controlRow + 9}};
  p.modeRules[0].row = controlRow + 3;
  p.modeRules[1].row = p.modeRules[2].row = controlRow + 9;
  p.modeRules[3].row = controlRow + 5;
  if (m.dram->organization.banks() < 10) p.modeRules[0].banks = {0, 1};
}

class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, const Shape &shape) : rng_(seed), shape_(shape) {}

  RandomCase make() {
    RandomCase c;
    c.numbers = numbers_ = numbers();
    c.machine = handMachine(numbers_);
    c.controlRow = controlRow_ = rng_.integer(4, 60);
    if (numbers_.hasPim) moveControlRows(c.machine, controlRow_);
    machine_ = c.machine;
    const std::int64_t perRank = numbers_.bankGroups * numbers_.banksPerGroup;
    for (int i = 0; i < 4; ++i) {
      const bool isLow = chance(40);  // banks that take activates in all modes
      places_[static_cast<std::size_t>(i)] = {static_cast<int>(isLow ? 0 : rng_.integer(0, numbers_.ranks - 1)),
                                              static_cast<int>(rng_.integer(0, isLow ? 1 : perRank - 1))};
    }
    for (std::int64_t &s : commonRow_) s = stride();
    for (std::int64_t &s : commonColumn_) s = chance(30) ? rng_.integer(1, 2) : 0;
    isWild_ = chance(35);
    hasModeTrips_ = numbers_.hasPim && chance(30);
    const std::vector<std::int64_t> bases = {0, 1, 2, 9, controlRow_, controlRow_ + 3, controlRow_ + 5, 500};
    for (std::int64_t &b : rowBases_) b = bases[rng_.below(bases.size())];
    c.process = process(block(0, shape_.commands));
    if (numbers_.hasPim && !hasModeTrips_ && chance(40)) inAllBankMode(commandsOf(c.process), c.machine);
    return c;
  }

 private:
  bool chance(int percent) { return rng_.integer(0, 99) < percent; }
  std::int64_t stride() {
    constexpr std::array<std::int64_t, 8> kStrides = {0, 0, 0, 1, 1, 1, 2, -1};
    return kStrides[rng_.below(kStrides.size())];
  }

  DramNumbers numbers() {
    DramNumbers n;
    const auto draw = [&](std::int64_t low, std::int64_t high) { return rng_.integer(low, high); };
    n.ranks = draw(1, 4);
    constexpr std::array<std::pair<int, int>, 5> kBanks = {{{4, 4}, {4, 4}, {2, 2}, {1, 2}, {2, 4}}};
    std::tie(n.bankGroups, n.banksPerGroup) = kBanks[rng_.below(kBanks.size())];
    n.rows = 1 << 20;
    n.columns = chance(70) ? 64 : 8192;
    if (chance(75)) {
      n.rl = draw(2, 25);
      n.wl = draw(1, 12);
      n.burst = draw(1, 4);
      n.ccdS = draw(1, 4);
      n.ccdL = draw(n.ccdS, 6);
      n.rcdRead = draw(1, 16);
      n.rcdWrite = draw(1, 16);
      n.ras = chance(3) ? draw(1, 20) : draw(std::max(n.rcdRead, n.rcdWrite) + 1, 35);
      n.rp = draw(1, 15);
      n.rc = draw(n.ras, n.ras + n.rp + 5);
      n.rrdS = draw(1, 5);
      n.rrdL = draw(n.rrdS, 8);
      n.rtpL = draw(1, 8);
      n.wr = draw(1, 18);
      n.wtrL = draw(0, 10);
      n.rtrs = draw(n.wl > n.rl ? n.wl - n.rl : 0, 12);
      n.cmd = draw(0, 2);
      n.rfc = draw(20, 350);
    }
    if (chance(30)) n.faw = draw(5, 60);
    if (chance(20)) n.extraIdle = draw(1, 9);
    n.fawActivates = draw(2, 5);
    if (chance(30)) n.commandQueue = draw(1, 64);
    if (chance(20)) n.transactionQueue = draw(1, 64);
    if (chance(15)) n.fence = draw(1, 120);
    if (chance(25)) n.precharge = "conflict";
    n.refresh = chance(15) ? "none" : chance(60) ? "single-slot" : "per-rank";
    n.refi = 2 * n.rfc + 150 * n.ranks + draw(0, chance(50) ? 500 : 4000);
    n.refreshWaits = chance(30);
    n.losesBarriers = chance(50);
    n.hasPim = chance(70);
    return n;
  }

  // `commands`: how many one execution of the block may issue.
  program::CommandLoops block(int depth, std::int64_t commands) {
    program::CommandLoops out;
    const std::int64_t parts = rng_.integer(1, 3);
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t budget = std::max<std::int64_t>(commands / parts, 1);
      if (depth >= shape_.depth || budget < 12 || (depth > 0 && chance(25))) {
        statement(out);
        continue;
      }
      const std::int64_t trips = trip(budget);
      trips_.push_back(trips);
      program::CommandLoops body = block(depth + 1, budget / trips);
      trips_.pop_back();
      out.push_back(program::CommandNode::loop(fmt::format("i{}", depth), trips, std::move(body)));
    }
    return out;
  }

  std::int64_t trip(std::int64_t budget) {
    constexpr std::array<std::int64_t, 12> kTrips = {1, 2, 3, 5, 7, 8, 11, 13, 16, 17, 63, 97};
    const std::int64_t limit = std::clamp<std::int64_t>(budget / 8, 1, shape_.trip);
    if (chance(50)) return std::min(limit, kTrips[rng_.below(kTrips.size())]);
    return chance(50) ? rng_.integer(1, limit) : std::max<std::int64_t>(1, limit - rng_.integer(0, limit / 4));
  }

  // A few commands to one bank, as kernels issue them; in wild cases with other rows, places and barriers in the
  // middle.
  void statement(program::CommandLoops &out) {
    if (hasModeTrips_ && chance(30)) return modeRoundTrip(out);
    const std::int64_t n = chance(50) ? rng_.integer(1, 8) : 8;
    program::Command c;
    place(c);
    c.isWrite = chance(40);
    address(c);
    const bool isRunning = chance(70);
    for (std::int64_t i = 0; i < n; ++i) {
      if (isWild_ && chance(6)) place(c);
      if (isWild_ && chance(6)) address(c);
      if (isWild_ && chance(6)) c.isWrite = !c.isWrite;
      c.isBarrier = (i + 1 == n) ? chance(isWild_ ? 65 : 97) : (isWild_ && chance(4));
      program::Command k = c;
      if (isRunning) k.column.base += i;
      out.push_back(program::CommandNode(k));
    }
  }

  // Enters the all-bank mode, works on a bank that takes activates there, leaves it.
  void modeRoundTrip(program::CommandLoops &out) {
    const machine::PimUnit &pim = *machine_.pim;
    for (const int b : pim.modeRules.front().banks)
      out.push_back(wr(b, pim.modeRules.front().row, 31, b == pim.modeRules.front().banks.back()));
    program::Command c;
    address(c);
    c.bank = static_cast<std::uint8_t>(rng_.integer(0, 1));
    for (int i = 0; i < 6; ++i) {
      c.isBarrier = i == 5;
      out.push_back(program::CommandNode(c));
      ++c.column.base;
    }
    for (const int b : pim.modeRules.back().banks)
      out.push_back(wr(b, pim.modeRules.back().row, 31, b == pim.modeRules.back().banks.back()));
  }

  void place(program::Command &c) {
    const auto &[rank, bank] = places_[rng_.below(places_.size())];
    c.rank = static_cast<std::uint8_t>(rank);
    c.bank = static_cast<std::uint8_t>(bank);
  }

  void address(program::Command &c) {
    const bool isCommon = chance(75);
    c.row = c.column = {};
    c.row.base = rowBases_[rng_.below(rowBases_.size())];
    std::int64_t columnsLeft = numbers_.columns - 9, lowest = c.row.base;
    for (std::size_t d = 0; d < trips_.size(); ++d) {
      c.row.stride[d] = isCommon ? commonRow_[d] : stride();
      lowest += std::min<std::int64_t>(0, c.row.stride[d] * (trips_[d] - 1));
      const std::int64_t s = isCommon ? commonColumn_[d] : rng_.integer(0, 1) * rng_.integer(0, 1);
      if (s * (trips_[d] - 1) >= columnsLeft) continue;
      c.column.stride[d] = s;
      columnsLeft -= s * (trips_[d] - 1);
    }
    if (lowest < 0) c.row.base -= lowest;
    c.column.base = chance(60) ? 0 : rng_.integer(0, std::min<std::int64_t>(columnsLeft - 1, 60));
  }

  // Around the whole stream: enters the all-bank mode, leaves it. Commands of PIM ranks move to the banks that still
  // take activates (mostly: a stream that cannot end is a case, too).
  void inAllBankMode(program::CommandLoops &body, const machine::Machine &m) {
    if (chance(95)) toLowBanks(body);
    program::CommandLoops out;
    const machine::ModeRule &enter = m.pim->modeRules.front(), &leave = m.pim->modeRules.back();
    for (const int b : enter.banks) out.push_back(wr(b, enter.row, 31, b == enter.banks.back()));
    out.insert(out.end(), body.begin(), body.end());
    for (const int b : leave.banks) out.push_back(wr(b, leave.row, 31, b == leave.banks.back()));
    if (chance(50)) out.push_back(rd(static_cast<int>(m.dram->organization.banks()) - 1, controlRow_, 0, true));
    body = std::move(out);
  }

  static void toLowBanks(program::CommandLoops &nodes) {
    for (program::CommandNode &n : nodes) {
      if (n.isLoop)
        toLowBanks(n.children);
      else if (n.statement.rank == 0)
        n.statement.bank = static_cast<std::uint8_t>(n.statement.bank % 2);
    }
  }

  Rng rng_;
  Shape shape_;
  DramNumbers numbers_;
  machine::Machine machine_;
  std::int64_t controlRow_ = 0;
  bool isWild_ = false, hasModeTrips_ = false;
  std::array<std::pair<int, int>, 4> places_{};
  std::array<std::int64_t, program::kMaxDepth> commonRow_{}, commonColumn_{};
  std::array<std::int64_t, 3> rowBases_{};
  std::vector<std::int64_t> trips_;
};

inline RandomCase randomCase(std::uint64_t seed, const Shape &shape = {}) {
  return CaseMaker(seed, shape).make();
}

}  // namespace pimento::test
