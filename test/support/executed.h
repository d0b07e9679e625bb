// Runs a program of RV64 once, and executes its reshaped program on as many machines as are asked for.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pimento/guest/rv64/interpreter.h"
#include "pimento/guest/rv64/machine.h"
#include "pimento/guest/rv64/reshaped_guest.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/cim/execution.h"
#include "pimento/targets/cim/profiler.h"

namespace pimento::test {

using Unsound = trace::CimRules::Unsound;

/// A machine, and a plan for it.
struct Plan {
  std::string name;
  machine::Machine machine;
  Unsound unsound = Unsound::kNone;
};

inline machine::Machine cimMachine(const std::vector<machine::Override> &overrides = {}) {
  auto m = machine::loadMachine("cim-a9", {PIMENTO_SOURCE_DIR "/machines"}, overrides);
  EXPECT_TRUE(m.ok()) << m.diagnostics()[0].str();
  return std::move(*m);
}

/// Every set of levels with every locality, and operands that are moved or not: 18 plans. Caches are small, so that
/// lines come and go, and have banks. `isUsual`: caches as the machine has them.
inline std::vector<Plan> allPlans(bool isUsual = false) {
  using Locality = machine::Cim::Locality;
  const machine::Machine machine = cimMachine();
  std::vector<Plan> out;
  for (const bool moves : {false, true})
    for (const auto &[locality, word] :
         {std::pair{Locality::kLevel, "level"}, {Locality::kBank, "bank"}, {Locality::kBitline, "bitline"}})
      for (const std::vector<int> &levels : {std::vector<int>{0}, {1}, {0, 1}}) {
        Plan p{fmt::format("{}{} of one {}{}", levels[0] == 0 ? "l1d" : "l2", levels.size() > 1 ? "+l2" : "", word,
                           moves ? ", moved" : ""),
               machine};
        std::vector<int> data;
        for (std::size_t c = 0; c < p.machine.caches.size(); ++c)
          if (p.machine.caches[c].servesData || p.machine.caches[c].next < 0) data.push_back(static_cast<int>(c));
        p.machine.cim->levels.clear();
        for (const int l : levels) p.machine.cim->levels.push_back(data[static_cast<std::size_t>(l)]);
        p.machine.cim->operations = {"add", "sub", "and", "or", "xor"};
        p.machine.cim->locality = locality;
        p.machine.cim->movesOperands = moves;
        for (machine::CacheLevel &c : p.machine.caches) {
          constexpr std::int64_t kFirst = 2048, kSecond = 8192;
          c.banks = 4;
          if (!isUsual) c.size = Bytes(c.next < 0 ? kSecond : kFirst);
        }
        out.push_back(std::move(p));
      }
  return out;
}

/// Pages in frames, prefetched lines, and lines of two lengths.
inline std::vector<Plan> otherPlans() {
  std::vector<Plan> out;
  for (const auto &[policy, locality] :
       {std::pair{"random", machine::Cim::Locality::kBank}, {"contiguous", machine::Cim::Locality::kLevel}}) {
    Plan p{fmt::format("{} frames", policy), cimMachine({{"pages.policy", policy}, {"pages.seed", "7"}})};
    p.machine.cim->locality = locality;
    p.machine.cim->movesOperands = true;
    for (machine::CacheLevel &c : p.machine.caches) {
      constexpr std::int64_t kFirst = 2048, kSecond = 8192, kLong = 128;
      c.size = Bytes(c.next < 0 ? kSecond : kFirst);
      c.banks = 2;
      if (c.next < 0) c.line = Bytes(kLong);
      if (!c.servesData) continue;
      c.prefetcher = machine::CacheLevel::Prefetcher::kStride;
      c.prefetchStreams = 8;
      c.prefetchDepth = 4;
    }
    out.push_back(std::move(p));
  }
  return out;
}

struct ExecutedRun {
  std::string failure, code;  ///< empty: it did what the program does
  guest::rv64::ExecutedCounts counts;
  std::int64_t trees = 0;
};
struct ExecutedRuns {
  std::int64_t instructions = 0;  ///< of the program
  int exitStatus = 0, signal = 0;
  bool hasDecoder = true;  ///< false: there is no LLVM here
  std::vector<ExecutedRun> runs;
};

/// `bytes`: of the program. Without a way to files, unless there is an `output`: a file of this computer, open.
inline ExecutedRuns executeAll(const std::string &bytes, const std::vector<Plan> &plans,
                               const std::vector<std::string> &arguments = {}, const std::string &file = "program",
                               int output = -1) {
  guest::ElfImage image;
  image.file = file;
  image.isa = trace::Isa::kRv64;
  guest::rv64::Witness witness;
  ExecutedRuns out;
  std::deque<std::unique_ptr<guest::rv64::ReshapedGuest>> guests;
  std::deque<targets::cim::Execution> executions;
  const auto made =
      guest::rv64::Machine::make(image, bytes, {arguments, output < 0 ? 2 : output, output >= 0, true, &witness});
  EXPECT_TRUE(made.ok());
  if (!made) return out;
  guest::rv64::Machine &machine = **made;
  for (const Plan &p : plans) {
    auto guest = guest::rv64::ReshapedGuest::make(image, bytes, arguments, witness);
    EXPECT_TRUE(guest.ok());
    if (!guest) return out;
    guests.push_back(std::move(*guest));
    trace::CimRules rules = targets::cim::rulesOf(p.machine);
    rules.unsound = p.unsound;
    executions.emplace_back(p.machine, rules, *guests.back());
  }
  trace::Program program;
  program.name = file;
  program.isa = image.isa;
  program.arguments = static_cast<std::int64_t>(arguments.size());
  program.loadedAt = machine.loadedAt();
  for (targets::cim::Execution &e : executions) e.onStart(program, true);
  // One after the other for a while: so each stays in this computer's caches.
  struct Ran {
    const trace::Block *block;
    int count;
    std::size_t accesses;  ///< where they end
  };
  constexpr std::size_t kBatch = 20000;
  std::vector<Ran> batch;
  std::vector<trace::Access> accesses;
  const auto hand = [&] {
    for (targets::cim::Execution &e : executions) {
      std::size_t first = 0;
      for (const Ran &r : batch) {
        if (e.wantsMore()) e.onBlock(*r.block, r.count, std::span(accesses).subspan(first, r.accesses - first));
        first = r.accesses;
      }
    }
    batch.clear();
    accesses.clear();
  };
  while (!machine.hasEnded()) {
    const auto step = machine.step();
    if (!step) ADD_FAILURE() << step.diagnostics()[0].str();
    if (!step) return out;
    if (step->count == 0) continue;
    const auto block = machine.record(*step->block);
    out.hasDecoder = block.ok();
    if (!block) return out;
    accesses.insert(accesses.end(), step->accesses.begin(), step->accesses.end());
    batch.push_back({*block, step->count, accesses.size()});
    if (batch.size() == kBatch) hand();
  }
  hand();
  witness.signal = machine.end().signal;
  for (targets::cim::Execution &e : executions) e.onEnd();
  out.instructions = machine.hart().instructions();
  out.exitStatus = machine.end().exitStatus;
  out.signal = machine.end().signal;
  for (std::size_t i = 0; i < guests.size(); ++i) {
    const Status s = guests[i]->outcome();
    const Diagnostic none, &d = s ? none : s.diagnostics()[0];
    out.runs.push_back({d.message, d.code, guests[i]->counts(), executions[i].candidates().trees});
  }
  return out;
}

}  // namespace pimento::test
