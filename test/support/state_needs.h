// Streams that need one part of a channel's state: without it fast-forward must be wrong on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "test/support/random_program.h"

namespace pimento::test {

// Streams of three sizes: boundary cases of short loops, typical ones, and long ones in which much is skipped.
inline RandomCase caseOf(std::int64_t seed) {
  Shape shape;
  if (seed % 3 == 1) shape = {8000, 4, 700};
  if (seed % 3 == 2) shape = {60000, 3, 5000};
  return randomCase(static_cast<std::uint64_t>(seed) + 1000000, shape);
}

/// The same stream on a machine with other numbers.
template <typename Change>
RandomCase onAnother(RandomCase c, const Change &change) {
  change(c.numbers);
  c.machine = handMachine(c.numbers);
  if (c.numbers.hasPim) moveControlRows(c.machine, c.controlRow);
  return c;
}

/// Rows of one bank, one after the other, before and after the device has gone to the mode that opens many at once.
inline RandomCase inTwoModes(std::int64_t n) {
  program::CommandLoops rows, twice;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(rd(0, 100, i, i == 7));
    rows.back().statement.row.stride[1] = 1;
  }
  twice.push_back(program::CommandNode::loop("i", 40 + n, rows));
  for (const int b : {0, 1, 8, 9}) twice.push_back(wr(b, kEnterRow, 31, b == 9));
  RandomCase c;
  c.machine = handMachine({.refresh = "none"});
  c.process = process({program::CommandNode::loop("twice", 2, twice)});
  return c;
}

/// A read that takes as long as many refresh intervals, then writes for longer than a channel waits for a completion.
inline RandomCase afterALongRead(std::int64_t n) {
  program::CommandLoops writes;
  for (int i = 0; i < 8; ++i) writes.push_back(wr(0, 0, i, i == 7));
  RandomCase c;
  c.machine = handMachine({.refi = 1000, .rfc = 100});
  c.machine.dram->readLatency = Cycles(20000 + n);
  c.process = process({rd(0, 0, 0, true), program::CommandNode::loop("i", 20000, writes)});
  return c;
}

/// Streams of which one needs the part; which one differs, so a few are tried.
struct StateNeed {
  std::string_view part;
  RandomCase (*make)(std::int64_t n);
};
inline const std::vector<StateNeed> kStateNeeds = {
    {"process", caseOf},
    {"fetched",
     [](std::int64_t n) {
       return onAnother(caseOf(n), [n](DramNumbers &d) {
         d.commandQueue = 1 + n % 4;
         d.transactionQueue = 64;
         d.losesBarriers = true;
         d.refresh = "single-slot";
         d.rfc = 20;
         d.refi = 200 + n % 100;
       });
     }},
    {"mode", inTwoModes},
    {"mode-progress", [](std::int64_t n) { return caseOf(700 + n); }},
    {"turn", [](std::int64_t n) { return caseOf(2860 + n); }},
    {"completion", afterALongRead},
    {"pending", caseOf},
    {"arrival", caseOf},
    {"queue", caseOf},
    {"rows", caseOf},
    {"waits", caseOf},
    {"busy-banks",
     [](std::int64_t n) { return onAnother(caseOf(n), [n](DramNumbers &d) { d.extraIdle = 20 + n % 50; }); }},
    {"windows",
     [](std::int64_t n) {
       return onAnother(caseOf(n), [n](DramNumbers &d) {
         d.faw = 200 + n % 97;
         d.fawActivates = 2 + n % 5;
         d.rc = d.ras + 1;
         d.refi += 1000;
       });
     }},
    // Rows that stay open keep the refreshes of all ranks pending: which rank asked last is told by the countdowns
    // alone.
    {"countdowns",
     [](std::int64_t n) {
       return onAnother(caseOf(n), [n](DramNumbers &d) {
         d.refresh = "per-rank";
         d.ranks = std::max<std::int64_t>(2, d.ranks);
         d.ras = 1000;
         d.refi = 300 + n % 97;
         d.rfc = 20;
       });
     }},
};

}  // namespace pimento::test
