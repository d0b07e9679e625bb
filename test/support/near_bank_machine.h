// A machine after SK hynix's GDDR6-AiM for tests: 16 banks with multipliers beside them, a global buffer, and commands
// that are rows of its file. Numbers are round, not AiM's.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pimento/machine/machine.h"

namespace pimento::test {

inline const char *const kNearBankYaml = R"(
name: near-bank
extends: hbm-pim
family: near-bank
about: 16 banks, each with a multiplier per lane and an accumulator
notes: ["for tests; nobody builds it"]
source: a test
confidence: assumed
levels: {channel: {role: unit, splits_reduction: false, merge: null}, block: null, lane: null}
pim: null
modes: null
organization: {ranks: 1 count, address_map: [offset, channel, bank, bankgroup, column, row]}
timing: {tMAC: 4 cycle, tMACRD: 7 cycle}
commands:
  ACT16: {kind: activate, scope: channel}
  PREA: {kind: precharge, scope: channel}
  MAC16: {kind: read, scope: channel, completion: tMAC}  # the open row's column of all banks, times the buffer
  WRGB: {kind: write, scope: channel, needs: nothing, completion: tCCDS}
  RDMAC: {slot: column, kind: read, scope: channel, needs: nothing}
constraints:
  buffer: {level: channel, preceding: [WRGB], following: [WRGB, MAC16], latency: tCCDS}
  mac_mac: {level: channel, preceding: [MAC16], following: [MAC16], latency: tMAC}
  mac_read: {level: channel, preceding: [MAC16], following: [RDMAC], latency: tMACRD}
  activate_mac: {level: bank, preceding: [ACT, ACT16], following: [MAC16], latency: tRCDRD}
  activate_close: {level: bank, preceding: [ACT, ACT16], following: [PRE, PREA], latency: tRAS}
  use_close: {level: bank, preceding: [RD, MAC16], following: [PRE, PREA], latency: tRTPL}
  close_activate: {level: bank, preceding: [PRE, PREA], following: [ACT, ACT16], latency: tRP}
  cycle: {level: bank, preceding: [ACT, ACT16], following: [ACT, ACT16], latency: tRC}
  activate16_read: {level: bank, preceding: [ACT16], following: [RD], latency: tRCDRD}
refresh: {policy: none}
controller: {loses_barrier_on_full_queue: false}
energy:
  segment_cell: {action: 8 * organization.burst * (host_reads + host_writes)}
  segment_bg: {action: 8 * organization.burst * (host_reads + host_writes)}
  mac: null
  alu: null
  register_read: null
  register_write: null
)";

/// `more` goes to the end of the file.
inline machine::Machine nearBankMachine(const std::string &more = "") {
  auto m =
      machine::parseMachine(kNearBankYaml + more, "near-bank.yaml", {std::string(PIMENTO_SOURCE_DIR) + "/machines"});
  if (!m) {
    for (const Diagnostic &d : m.diagnostics()) ADD_FAILURE() << d.str();
    return {};
  }
  return std::move(*m);
}

}  // namespace pimento::test
