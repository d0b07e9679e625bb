// Commands at the banks: the sync protocol on an idle mesh, packets, and lists that are stopped at a barrier and go on.
#include "pimento/sim/sram/controllers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "pimento/base/rng.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using program::SramCommands;
using sim::sram::CommandTime;
using sim::sram::Controllers;
using sim::sram::ControllerTime;

/// A chip of so many banks.
machine::Machine chip(int columns, int rows, const std::string &times = "artifact") {
  const std::string c = std::to_string(columns), r = std::to_string(rows);
  return load(
      "l3-uncore",
      {{"sram.mesh_columns", c}, {"sram.mesh_rows", r}, {"noc.columns", c}, {"noc.rows", r}, {"sram.times", times}});
}

SramCommands list(const std::string &text) {
  Result<SramCommands> commands = program::parseSramCommands(text, 256);
  EXPECT_TRUE(commands.ok()) << (commands.ok() ? "" : commands.diagnostics().front().str());
  return commands.ok() ? *commands : SramCommands{};
}

constexpr std::int64_t kHop = 6, kRouter = 5, kPrepare = 8;
/// One flit, alone.
constexpr std::int64_t message(std::int64_t hops) {
  return hops * kHop + kRouter + 1;
}

TEST(Controllers, OneCommandTakesItsTimeAndThatOfTheBarrier) {
  const machine::Machine m = chip(2, 1);
  Controllers controllers(*m.sram, *m.noc, {});
  const auto t = controllers.run(list("add f32 96 = 0, 32 | bitlines 0:1:256 | tiles 0:1:512\n"));
  ASSERT_TRUE(t.ok());
  // To bank 1: the barrier is cleared, the command comes a cycle later and is prepared; the bank says that it is done.
  EXPECT_EQ(t->total, Cycles(message(1) + 1 + kPrepare + 1024 + message(1)));
  EXPECT_EQ(t->compute, Cycles(1024));
  EXPECT_EQ(t->sync, t->total - t->compute);
  EXPECT_EQ(t->packets, 0);
}

TEST(Controllers, CommandsOfTheNextStretchAreThereWhenItBegins) {
  const machine::Machine m = chip(2, 1);
  Controllers controllers(*m.sram, *m.noc, {});
  const std::string add = "add f32 96 = 0, 32 | bitlines 0:1:256 | tiles 0:1:512\n";
  const auto one = controllers.run(list(add)), two = controllers.run(list(add + "sync\n" + add));
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(two->total - one->total, Cycles(message(1) + 1024 + message(1)));
}

TEST(Controllers, ABankPreparesACommandWhileTheOneBeforeRuns) {
  const machine::Machine m = chip(1, 1);
  Controllers controllers(*m.sram, *m.noc, {});
  const std::string shift = "shift 32 64 = 0 by 1 | bitlines 0:1:255 | tiles 0:1:256\n";  // 32 cycles
  const std::string copy = "copy 4 64 = 0 | bitlines 0:1:256 | tiles 0:1:256\n";          // 4 cycles
  const auto t = controllers.run(list(shift + copy + shift));
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->intra, Cycles(32 + 4 + 32));
  EXPECT_EQ(t->sync, Cycles(kPrepare + (kPrepare - 4))) << "the first, and what a short one cannot hide";
}

TEST(Controllers, PacketsBetweenBanksAreAwaited) {
  const machine::Machine m = chip(2, 1);
  Controllers controllers(*m.sram, *m.noc, {});
  // All tiles of bank 0 to bank 1.
  const SramCommands commands = list("tile-shift 32 64 = 0 by 0 tiles 256 | bitlines 0:1:256 | tiles 0:1:256\n");
  CommandTime times(*m.sram);
  const auto leaving = times.leaving(commands.list[0], 0);
  ASSERT_EQ(leaving.size(), 1U);
  EXPECT_EQ(leaving[0].bank, 1);
  EXPECT_EQ(leaving[0].packets, 256 * 256 * 32 / 512);
  const auto t = controllers.run(commands);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->packets, leaving[0].packets);
  const std::int64_t flits = m.noc->flits(Bytes(64)) * leaving[0].packets;
  EXPECT_EQ(t->flitHops[static_cast<std::size_t>(sim::noc::Traffic::kInterTile)], flits);
  // Bank 0 is the core's tile: no packet goes before its move begins; the last one, and the word that it has come, end
  // it.
  EXPECT_GE(t->total, Cycles(kPrepare + flits + kHop + kRouter + message(1)));
}

TEST(Controllers, TakeAboutTheTimeOfTheClosedForm) {
  const machine::Machine m = chip(8, 8);
  Controllers controllers(*m.sram, *m.noc, {});
  const SramCommands commands = list(
      "add f32 96 = 0, 32 | bitlines 0:1:256 | tiles 0:1:16384\n"
      "tile-shift 32 64 = 0 by 1 tiles 1 | bitlines 255 | tiles 0:1:16383\nsync\n"
      "add f32 96 = 64, 96 | bitlines 0:1:256 | tiles 0:1:16384\n");
  const auto t = controllers.run(commands);
  const auto plain = CommandTime(*m.sram).of(commands);
  ASSERT_TRUE(t.ok() && plain.ok());
  EXPECT_EQ(t->compute, plain->compute);
  EXPECT_EQ(t->inter, plain->inter);
  const std::int64_t closed = plain->total.value;
  EXPECT_NEAR(static_cast<double>(t->total.value), static_cast<double>(closed), 0.15 * static_cast<double>(closed));
  EXPECT_EQ(t->packets, plain->packets);
}

/// Computes, shifts, moves to other tiles and broadcasts.
std::string randomList(Rng &rng, std::int64_t tiles) {
  std::string text;
  for (std::uint64_t n = 1 + rng.below(12); n > 0; --n) {
    const auto count = static_cast<std::int64_t>(1 + rng.below(static_cast<std::uint64_t>(tiles)));
    const auto first = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(tiles - count + 1)));
    const std::string of = std::to_string(first) + ":1:" + std::to_string(count);
    switch (rng.below(5)) {
      case 0:
        text += "add i32 96 = 0, 32 | bitlines 0:1:256 | tiles " + of + "\n";
        break;
      case 1:
        text += "shift 32 64 = 0 by 3 | bitlines 0:1:253 | tiles " + of + "\n";
        break;
      case 2:
      case 3: {
        const auto to = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(tiles - count + 1)));
        if (to == first) break;
        text += "tile-shift 32 64 = 0 by 0 tiles " + std::to_string(to - first) +
                " | bitlines 0:1:" + std::to_string(1 + rng.below(256)) + " | tiles " + of + "\n";
        break;
      }
      default:
        text += "sync\n";
    }
  }
  return text;
}

TEST(Controllers, AListThatIsStoppedAtABarrierGoesOnAsIfNothingHadBeen) {
  const machine::Machine m = chip(2, 2);
  std::int64_t packets = 0;
  for (std::int64_t n = caseCount(200); n > 0; --n) {
    Rng rng(static_cast<std::uint64_t>(n));
    const SramCommands commands = list(randomList(rng, 4 * 256));
    Controllers controllers(*m.sram, *m.noc, {});
    const auto whole = controllers.run(commands);
    ASSERT_TRUE(whole.ok());
    packets += whole->packets;
    Controllers::Saved state;
    while (true) {
      // Somebody else's chip, where other things have run.
      Controllers other(*m.sram, *m.noc, {});
      Controllers::Saved own = state;
      const auto more = other.runTo(commands, 1 + static_cast<std::int64_t>(rng.below(2)), own);
      ASSERT_TRUE(more.ok());
      state = own;
      if (!*more) break;
    }
    ASSERT_EQ(state.time, *whole);
    // Every packet that leaves a bank is counted where it arrives, or no barrier would have been cleared.
    std::int64_t leaving = 0;
    CommandTime times(*m.sram);
    for (const program::SramCommand &c : commands.list)
      for (std::int64_t b = 0; b < m.sram->banks(); ++b)
        for (const auto &p : times.leaving(c, b)) leaving += p.packets;
    ASSERT_EQ(whole->packets, leaving);
    ASSERT_EQ(whole->total > Cycles(0), !commands.list.empty()) << "a list of nothing takes no time";
  }
  EXPECT_GT(packets, 1000);
}

TEST(Controllers, StretchesOfTheSameWorkAreSimulatedOnce) {
  const machine::Machine m = chip(8, 8);
  const std::string round =
      "add f32 96 = 0, 32 | bitlines 0:1:256 | tiles 0:1:16384\n"
      "tile-shift 32 64 = 0 by 1 tiles 1 | bitlines 255 | tiles 0:1:16383\nsync\n";
  std::string rounds;
  for (int i = 0; i < 100; ++i) rounds += round;
  Controllers controllers(*m.sram, *m.noc, Controllers::Numbers::of(*m.sram->control, 0));
  const auto all = controllers.run(list(rounds));
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(controllers.simulated(), 3) << "the first, whose commands come late, the last, behind which none come";
  // The same as one by one in controllers that remember nothing.
  Controllers::Saved state;
  bool isMore = true;
  while (isMore) {
    Controllers other(*m.sram, *m.noc, {});
    const auto more = other.runTo(list(rounds), 1, state);
    ASSERT_TRUE(more.ok());
    isMore = *more;
  }
  EXPECT_EQ(state.time, *all);
}

TEST(Controllers, TellWhereBitsOfMovesGo) {
  const machine::Machine m = chip(2, 1);
  Controllers controllers(*m.sram, *m.noc, {});
  const auto t =
      controllers.run(list("shift 32 64 = 0 by 1 | bitlines 0:1:255 | tiles 0:1:512\n"
                           "tile-shift 32 64 = 0 by 1 tiles 1 | bitlines 255 | tiles 0:1:511\n"
                           "broadcast 32 64 = 0 by 0 tiles 0:128:4 | bitlines 0 | tiles 0:1:4\n"));
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->bitsInArrays, 32 * (255 * 512 + 4)) << "the broadcast's first copy stays";
  EXPECT_EQ(t->bitsInBanks, 32 * (510 + 4)) << "255 tiles in each bank, and the second copy";
  EXPECT_EQ(t->bitsBetweenBanks, 32 * (1 + 2 * 4));
}

}  // namespace
}  // namespace pimento::test
