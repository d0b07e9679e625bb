// DRAM behind caches: DDR3-1600 to the cycle, requests in any order of time, and where pages lie.
#include "pimento/sim/cache/main_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/sim/cache/pages.h"
#include "pimento/sim/dram/address_map.h"
#include "pimento/sim/dram/channel.h"
#include "test/support/machine_file.h"

namespace pimento::sim::cache {
namespace {

constexpr std::int64_t kLine = 64;
/// cim-a9 has 128 lines in a row, and rows in eight banks in turn.
constexpr std::uint64_t kRow = 128 * kLine, kBanks = 8;

/// In cycles of the core, without refresh unless asked for.
machine::Machine machineOf(std::vector<machine::Override> more = {}) {
  more.insert(more.begin(), {{"clock.memory", "1 GHz"}, {"refresh.policy", "none"}});
  return test::load("cim-a9", more);
}

class Ddr3 : public ::testing::Test {
 protected:
  static Tick timing(const machine::Machine &m, const std::string &name) {
    return static_cast<Tick>(m.numbers.at("timing." + name).canonical);
  }
  Tick n(const std::string &name) const { return timing(machine_, "n" + name); }
  /// From the issue of a read to its line in the core's caches.
  Tick data() const { return n("CL") + n("BL") + machine_.memory->latency.value; }

  machine::Machine machine_ = machineOf();
  MainMemory memory_{machine_};
};

// A request is seen in the cycle after it arrives.
TEST_F(Ddr3, ReadsOfClosedOpenAndOtherRowsTakeTheirTimes) {
  EXPECT_EQ(memory_.read(0, kLine, 100), 100 + 1 + n("RCD") + data()) << "nothing is open";
  EXPECT_EQ(memory_.read(kLine, kLine, 1000), 1000 + 1 + data()) << "it is open";
  EXPECT_EQ(memory_.read(kBanks * kRow, kLine, 2000), 2000 + 1 + n("RP") + n("RCD") + data()) << "another row is";
  EXPECT_EQ(memory_.read(kRow, kLine, 3000), 3000 + 1 + n("RCD") + data()) << "another bank";
  EXPECT_EQ(memory_.counts().activates, 3);
  EXPECT_EQ(memory_.counts().reads, 4);
}

TEST_F(Ddr3, ARowStaysOpenForItsTime) {
  memory_.read(0, kLine, 0);
  // Opened in cycle 1, closed no sooner than tRAS later.
  EXPECT_EQ(memory_.read(kBanks * kRow, kLine, 10), 1 + n("RAS") + n("RP") + n("RCD") + data());
  EXPECT_EQ(n("RAS") + n("RP"), n("RC"));
}

TEST_F(Ddr3, AReadWaitsForAWrite) {
  memory_.read(0, kLine, 0);
  memory_.write(kLine, kLine, 1000);
  EXPECT_EQ(memory_.read(2 * kLine, kLine, 1001), 1001 + n("CWL") + n("BL") + n("WTR") + data());
  memory_.write(3 * kLine, kLine, 2000);
  EXPECT_EQ(memory_.read(kBanks * kRow, kLine, 2001), 2001 + n("CWL") + n("BL") + n("WR") + n("RP") + n("RCD") + data())
      << "written before the row closes";
  EXPECT_EQ(memory_.counts().writes, 2);
}

TEST_F(Ddr3, AStreamTakesTheBusAllTheTime) {
  constexpr int kLines = 1024;  // eight rows
  Tick last = 0;
  for (int i = 0; i < kLines; ++i) {
    const Tick ready = memory_.read(static_cast<std::uint64_t>(i) * kLine, kLine, 0);
    ASSERT_TRUE(i == 0 || ready == last + n("CCD")) << i << " " << ready - last;
    last = ready;
  }
  EXPECT_EQ(last, 1 + n("RCD") + (kLines - 1) * n("CCD") + data());
  // 64 B in tCCD: 12.8 GB/s at 800 MHz.
  const double gigabytes = static_cast<double>(kLine) / static_cast<double>(n("CCD")) * 0.8;
  EXPECT_DOUBLE_EQ(gigabytes, 12.8);
}

TEST_F(Ddr3, NoOrderOfRequestsIsFasterThanTheBus) {
  Rng rng(3);
  std::vector<Tick> ready;
  for (int i = 0; i < 500; ++i) ready.push_back(memory_.read(rng.below(1 << 20) / kLine * kLine, kLine, 0));
  EXPECT_GE(*std::max_element(ready.begin(), ready.end()), 499 * n("CCD") + data());
}

TEST_F(Ddr3, FourRowsOpenInAWindow) {
  std::vector<Tick> ready;
  for (std::uint64_t bank = 0; bank < 5; ++bank) ready.push_back(memory_.read(bank * kRow, kLine, 0));
  for (std::size_t bank = 0; bank < 4; ++bank)
    EXPECT_EQ(ready[bank], 1 + static_cast<Tick>(bank) * n("RRD") + n("RCD") + data());
  EXPECT_EQ(ready[4], 1 + n("FAW") + n("RCD") + data());
}

TEST_F(Ddr3, RequestsThatComeLateInTheProgramTakeTheirPlaceInTime) {
  MainMemory inOrder(machine_);
  const std::uint64_t a = 0, b = kRow, c = 2 * kRow;
  const Tick first = inOrder.read(a, kLine, 100), second = inOrder.read(b, kLine, 110),
             third = inOrder.read(c, kLine, 300);
  EXPECT_EQ(memory_.read(a, kLine, 100), first);
  EXPECT_EQ(memory_.read(c, kLine, 300), third);
  EXPECT_EQ(memory_.read(b, kLine, 110), second) << "190 cycles before what was asked last";
  EXPECT_EQ(memory_.counts().activates, 3);
}

TEST_F(Ddr3, AnyOrderOfCallsGivesOneChannel) {
  // Requests far enough from each other: what each is answered does not hang on later ones.
  Rng rng(5);
  std::vector<std::pair<Tick, std::uint64_t>> requests;
  for (int i = 0; i < 400; ++i) requests.emplace_back(200 * i, rng.below(1 << 24) / kLine * kLine);
  std::map<Tick, Tick> expected;
  for (const auto &[at, address] : requests) expected[at] = memory_.read(address, kLine, at);
  MainMemory shuffled(machine_);
  for (std::size_t from = 0; from < requests.size(); from += 20) {
    for (std::size_t i = 19; i > 0; --i) std::swap(requests[from + i], requests[from + rng.below(i + 1)]);
  }
  int wrong = 0;
  for (const auto &[at, address] : requests) wrong += shuffled.read(address, kLine, at) != expected[at] ? 1 : 0;
  // A request that goes before another in the same bank changes which row that one finds.
  EXPECT_LT(wrong, 60);
  EXPECT_EQ(shuffled.counts().activates, memory_.counts().activates) << "in the end the same requests were there";
}

TEST(MainMemory, IsRefreshed) {
  const machine::Machine m = test::load("cim-a9", {{"clock.memory", "1 GHz"}});
  MainMemory memory(m);
  const auto n = [&](const char *name) {
    return static_cast<Tick>(m.numbers.at(std::string("timing.n") + name).canonical);
  };
  const Tick data = n("CL") + n("BL") + m.memory->latency.value;
  // The refresh falls due in cycle tREFI and goes at once: all is closed.
  EXPECT_EQ(memory.read(0, kLine, n("REFI")), n("REFI") + n("RFC") + n("RCD") + data);
  EXPECT_EQ(memory.read(kLine, kLine, 2 * n("REFI") - 1), 2 * n("REFI") + n("RP") + n("RFC") + n("RCD") + data)
      << "the row is closed first";
}

TEST(MainMemory, CountsInItsOwnClock) {
  const machine::Machine m = test::load("cim-a9", {{"refresh.policy", "none"}});
  MainMemory memory(m);
  const auto n = [&](const char *name) {
    return static_cast<Tick>(m.numbers.at(std::string("timing.n") + name).canonical);
  };
  const auto up = [](Tick a, Tick b) { return (a + b - 1) / b; };
  for (const Tick at : {0, 1, 2, 3, 4, 5, 6})
    EXPECT_EQ(MainMemory(m).read(0, kLine, at),
              up((up(at * 4, 5) + 1 + n("RCD") + n("CL") + n("BL")) * 5, 4) + m.memory->latency.value);
}

// What answers are worth: later requests may delay a line that was answered for. Against the channel as it ran in the
// end, on requests of a core that waits for 16 lines at a time.
TEST(MainMemory, AnswersAreNearWhatHappensInTheEnd) {
  const machine::Machine m = machineOf();
  const sim::dram::ChannelSpec spec(*m.dram);
  MainMemory memory(m);
  struct Ends final : sim::dram::CommandObserver {
    void onCommand(const sim::dram::IssuedCommand &c) override {
      if (c.number >= 0) at[c.number] = c.time;
    }
    std::map<int, Tick> at;
  } ends;
  Rng rng(9);
  struct Asked {
    Tick at = 0, ready = 0;
    std::uint64_t address = 0;
    bool isWrite = false;
  };
  std::vector<Asked> asked;
  std::vector<Tick> mshrs(16, 0);
  Tick now = 0;
  std::uint64_t next = 0;
  for (int i = 0; i < 3000; ++i) {
    now += rng.integer(0, 8);
    next = rng.below(3) == 0 ? rng.below(1 << 26) / kLine * kLine : next + kLine;
    const auto mshr = std::min_element(mshrs.begin(), mshrs.end());
    now = std::max(now, *mshr);
    const Tick ready = memory.read(next, kLine, now);
    *mshr = ready;
    asked.push_back({now, ready, next, false});
    if (rng.below(4) == 0) {
      const std::uint64_t victim = rng.below(1 << 26) / kLine * kLine;
      memory.write(victim, kLine, ready);
      asked.push_back({ready, 0, victim, true});
    }
  }
  std::stable_sort(asked.begin(), asked.end(), [](const Asked &a, const Asked &b) { return a.at < b.at; });
  sim::dram::ChannelOf<sim::dram::RequestSource> channel(spec, sim::dram::RequestSource{}, &ends);
  for (const Asked &a : asked) {
    const sim::dram::Place p = sim::dram::placeOf(m.dram->organization, a.address);
    channel.source().handIn(a.at, spec.transaction(a.isWrite ? spec.write : spec.read, p.bank, p.row, p.column));
  }
  channel.source().close();
  while (channel.run().kind == Checkpoint::Kind::kEvent) continue;
  double waited = 0, late = 0, off = 0;
  int reads = 0, wrong = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].isWrite) continue;
    const Tick ready = ends.at.at(static_cast<int>(i)) + spec.readLatency + m.memory->latency.value;
    ++reads;
    wrong += ready != asked[i].ready ? 1 : 0;
    waited += static_cast<double>(ready - asked[i].at);
    late += static_cast<double>(ready - asked[i].ready);
    off += static_cast<double>(std::abs(ready - asked[i].ready));
  }
  const auto ofAll = [&](double x) { return std::to_string(x / reads); };
  const std::string said = std::to_string(wrong) + " of " + std::to_string(reads) + " changed; a line takes " +
                           ofAll(waited) + ", late by " + ofAll(late) + ", off by " + ofAll(off);
  RecordProperty("answers", said);
  EXPECT_LT(std::fabs(late), 0.01 * waited) << said;
  EXPECT_LT(off, 0.05 * waited) << said;
  EXPECT_LT(wrong, reads / 2) << said;
}

TEST(Pages, IdentityLeavesAddressesAlone) {
  Pages pages(machineOf());
  for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{0x12345}, std::uint64_t{0x7fff'ffff'f123}})
    EXPECT_EQ(pages.physical(a), a);
}

TEST(Pages, ContiguousFramesFollowEachOtherInTheOrderOfFirstUse) {
  Pages pages(machineOf({{"pages.policy", "contiguous"}}));
  EXPECT_EQ(pages.physical(0x7000'0123), 0x123U);
  EXPECT_EQ(pages.physical(0x5000'0008), 0x1008U);
  EXPECT_EQ(pages.physical(0x7000'0fff), 0xfffU);
  EXPECT_EQ(pages.physical(0x7000'1000), 0x2000U) << "the page behind the first, used third";
}

TEST(Pages, RandomFramesAreAllOfThemOnce) {
  constexpr std::uint64_t kPage = 4096, kFrames = (512 << 20) / kPage;
  const auto framesOf = [&](const char *seed) {
    Pages pages(machineOf({{"pages.policy", "random"}, {"pages.seed", seed}}));
    std::vector<std::uint64_t> frames;
    for (std::uint64_t p = 0; p < kFrames; ++p) {
      const std::uint64_t a = pages.physical(p * kPage + 5);
      EXPECT_EQ(a % kPage, 5U);
      frames.push_back(a / kPage);
    }
    for (std::uint64_t p = 0; p < kFrames; p += 1000) EXPECT_EQ(pages.physical(p * kPage) / kPage, frames[p]);
    return frames;
  };
  const std::vector<std::uint64_t> one = framesOf("1"), again = framesOf("1"), two = framesOf("2");
  EXPECT_EQ(std::set<std::uint64_t>(one.begin(), one.end()).size(), kFrames);
  EXPECT_EQ(*std::max_element(one.begin(), one.end()), kFrames - 1);
  EXPECT_EQ(one, again);
  EXPECT_NE(one, two);
  // No better than chance at keeping neighbours.
  int neighbours = 0;
  for (std::size_t i = 1; i < one.size(); ++i) neighbours += one[i] == one[i - 1] + 1 ? 1 : 0;
  EXPECT_LT(neighbours, 20);
}

}  // namespace
}  // namespace pimento::sim::cache
