// Machines for DRAM tests, built from numbers instead of a machine file.
//
// The defaults are those of the HBM-PIM reference simulator; tests change what they need, property tests draw all of
// them at random. Not here: energy, host, levels; nothing in `sim` asks for them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::test {

/// The numbers of a machine, in cycles unless they count something. Names as in the DRAM standards.
struct DramNumbers {
  std::int64_t channels = 1, ranks = 1, bankGroups = 4, banksPerGroup = 4, rows = 16384, columns = 32;
  std::int64_t rl = 20, wl = 8, burst = 2, ccdS = 2, ccdL = 4, rcdRead = 14, rcdWrite = 10, ras = 33, rp = 14, rc = 47;
  std::int64_t rrdS = 4, rrdL = 6, rtpL = 5, wr = 16, wtrL = 9, rtrs = 1, refi = 3900, rfc = 350, cmd = 1;
  std::int64_t faw = 0, fawActivates = 4;  ///< faw 0: no window
  std::int64_t extraIdle = 0;              ///< cycles that banks stay busy beyond tRP and tRFC
  std::int64_t transactionQueue = 64, commandQueue = 64, fence = 0;
  std::string precharge = "eager", refresh = "single-slot";
  bool refreshWaits = false, losesBarriers = true, hasPim = true;

  std::int64_t readToPrecharge() const { return burst + std::max(rtpL, ccdL) - ccdL; }
  std::int64_t writeToPrecharge() const { return wl + burst + wr; }
  std::int64_t readToWrite() const { return rl + burst + rtrs - wl; }
  std::int64_t writeToRead() const { return wl + burst + wtrL; }

  std::string str() const {
    return fmt::format(
        "ranks {} groups {}x{} rows {} columns {}; rl {} wl {} burst {} ccd {}/{} rcd {}/{} ras {} rp {} rc {} rrd "
        "{}/{} rtp {} wr {} wtr {} rtrs {} refi {} rfc {} cmd {} faw {}x{} idle +{}; queues {}/{} fence {} precharge "
        "{} refresh "
        "{}{}{}{}",
        ranks, bankGroups, banksPerGroup, rows, columns, rl, wl, burst, ccdS, ccdL, rcdRead, rcdWrite, ras, rp, rc,
        rrdS, rrdL, rtpL, wr, wtrL, rtrs, refi, rfc, cmd, faw, fawActivates, extraIdle, transactionQueue, commandQueue,
        fence, precharge, refresh, refreshWaits ? " waits" : "", losesBarriers ? " loses-barriers" : "",
        hasPim ? " pim" : "");
  }
};

// Commands of the machine, in its order.
inline constexpr int kAct = 0, kPre = 1, kRd = 2, kWr = 3, kRef = 4;

// Control rows of a machine with PIM units.
inline constexpr std::int64_t kParkRow = 0x1000, kEnterRow = 0x17ff, kLeaveRow = 0x1fff, kRegisterRow = 0x3fff;

inline machine::PimUnit handPimUnit() {
  machine::PimUnit p;
  p.blocks = 8;
  p.lanes = 16;
  p.banksPerBlock = 2;
  p.grfEntries = p.srfEntries = 8;
  p.crfWords = 32;
  p.firstControlRow = kParkRow;
  p.rows = {
      {"park", kParkRow}, {"enter_all_bank", kEnterRow}, {"leave_all_bank", kLeaveRow}, {"registers", kRegisterRow}};
  p.columns = {{"mode", 0x1f}, {"control", 0}, {"srf", 1}, {"crf", 4}, {"grf_a", 8}, {"grf_b", 0x18}};
  using machine::CommandKind;
  using machine::PimMode;
  p.modeRules = {{PimMode::kSingleBank, PimMode::kAllBank, CommandKind::kActivate, kEnterRow, {0, 1, 8, 9}, {}, {}},
                 {PimMode::kAllBank, PimMode::kAllBankPim, CommandKind::kWrite, kRegisterRow, {0}, 0, 1},
                 {PimMode::kAllBankPim, PimMode::kAllBank, CommandKind::kWrite, kRegisterRow, {0}, 0, 0},
                 {PimMode::kAllBank, PimMode::kSingleBank, CommandKind::kPrecharge, kLeaveRow, {0, 1}, {}, {}}};
  return p;
}

inline machine::Machine handMachine(const DramNumbers &n = {}) {
  using machine::CommandKind;
  using machine::ScopeLevel;
  machine::Machine m;
  m.name = "hand";
  m.family = "hbm-pim";
  machine::Dram &d = m.dram.emplace();
  d.organization.channels = n.channels;
  d.organization.ranks = n.ranks;
  d.organization.bankGroups = n.bankGroups;
  d.organization.banksPerGroup = n.banksPerGroup;
  d.organization.rows = n.rows;
  d.organization.columns = n.columns;
  d.organization.burst = Bytes(32);
  d.commands = {{"ACT", CommandKind::kActivate},
                {"PRE", CommandKind::kPrecharge},
                {"RD", CommandKind::kRead},
                {"WR", CommandKind::kWrite},
                {"REF", CommandKind::kRefresh, ScopeLevel::kRank}};
  const auto add = [&](ScopeLevel level, int preceding, int following, std::int64_t latency, int window = 1) {
    d.constraints.push_back({level, {preceding}, {following}, Cycles(latency), window, {}});
  };
  add(ScopeLevel::kRank, kRd, kRd, n.ccdS);
  add(ScopeLevel::kBankGroup, kRd, kRd, n.ccdL);
  add(ScopeLevel::kRank, kWr, kWr, n.ccdS);
  add(ScopeLevel::kBankGroup, kWr, kWr, n.ccdL);
  add(ScopeLevel::kRank, kRd, kWr, n.readToWrite());
  add(ScopeLevel::kRank, kWr, kRd, n.writeToRead());
  add(ScopeLevel::kBank, kRd, kPre, n.readToPrecharge());
  add(ScopeLevel::kBank, kWr, kPre, n.writeToPrecharge());
  add(ScopeLevel::kBank, kAct, kRd, n.rcdRead);
  add(ScopeLevel::kBank, kAct, kWr, n.rcdWrite);
  add(ScopeLevel::kBank, kAct, kPre, n.ras);
  add(ScopeLevel::kBank, kAct, kAct, n.rc);
  add(ScopeLevel::kBankGroup, kAct, kAct, n.rrdL);
  add(ScopeLevel::kRank, kAct, kAct, n.rrdS);
  add(ScopeLevel::kBank, kPre, kAct, n.rp);
  add(ScopeLevel::kRank, kRef, kAct, n.rfc);
  if (n.faw > 0) add(ScopeLevel::kRank, kAct, kAct, n.faw, static_cast<int>(n.fawActivates));
  machine::Controller &c = d.controller;
  c.transactionQueue = n.transactionQueue;
  c.commandQueue = n.commandQueue;
  c.scheduler = machine::Scheduler::kFrFcfsBarrier;
  c.prechargePolicy = n.precharge;
  c.refreshPolicy = n.refresh;
  c.refreshWaitsForPrecharge = n.refreshWaits;
  c.losesBarrierOnFullQueue = n.losesBarriers;
  c.fence = Cycles(n.fence);
  c.commandLatency = Cycles(n.cmd);
  d.readLatency = Cycles(n.cmd + n.rl + n.burst);
  d.writeLatency = Cycles(n.wl + n.burst);
  d.prechargeTime = Cycles(n.rp + n.extraIdle);
  d.refreshInterval = Cycles(n.refi);
  d.refreshTime = Cycles(n.rfc + n.extraIdle);
  if (n.hasPim) m.pim = handPimUnit();
  return m;
}

}  // namespace pimento::test
