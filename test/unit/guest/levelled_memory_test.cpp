// Bytes in each cache and in main memory: who reads where gets what is there.
#include "pimento/guest/rv64/levelled_memory.h"

#include <gtest/gtest.h>

#include "pimento/guest/rv64/witness.h"
#include "test/support/rv64_machine.h"

namespace pimento::guest::rv64 {
namespace {

constexpr std::uint64_t kLine = 64, kAt = 0x10000;

/// A first cache (0) before a second one (1), over a page of sevens.
class Levelled : public testing::Test {
 protected:
  Levelled() : memory(std::move(*Memory::make())), levels(*memory) {
    EXPECT_TRUE(memory->map(kAt, Memory::kPage, kWrite));
    for (std::uint64_t a = kAt; a < kAt + Memory::kPage; a += 8)
      EXPECT_TRUE(memory->store<std::uint64_t>(a, 0x0707070707070707));
    trace::CacheShape shape;
    shape.names = {"l1d", "l2"};
    shape.next = {1, -1};
    shape.rules.geometry = {{kLine, 1}, {kLine, 1}};
    levels.start(shape);
  }
  int seen(std::uint64_t address) {
    std::byte b{};
    levels.read(address, {&b, 1});
    return std::to_integer<int>(b);
  }
  int in(int cache, std::uint64_t address) {
    const auto there = levels.at(cache, address);
    return there.empty() ? -1 : std::to_integer<int>(there.front());
  }
  void store(std::uint64_t address, int value) {
    const std::byte b{static_cast<unsigned char>(value)};
    levels.write(address, {&b, 1});
  }

  std::unique_ptr<Memory> memory;
  LevelledMemory levels;
};

TEST_F(Levelled, AStoreIsInTheFirstCacheUntilItIsWrittenBack) {
  levels.fill(1, kAt);
  levels.fill(0, kAt);
  store(kAt + 3, 9);
  EXPECT_EQ(seen(kAt + 3), 9);
  EXPECT_EQ(in(0, kAt + 3), 9);
  EXPECT_EQ(in(1, kAt + 3), 7) << "stale";
  levels.leave(0, kAt, true);
  EXPECT_EQ(in(0, kAt + 3), -1);
  EXPECT_EQ(in(1, kAt + 3), 9);
  levels.leave(1, kAt, false);
  EXPECT_EQ(seen(kAt + 3), 7) << "dropped";
}

TEST_F(Levelled, ALineThatIsWrittenBackMayHaveNoneBehindIt) {
  levels.fill(0, kAt);
  store(kAt, 5);
  levels.leave(0, kAt, true);
  EXPECT_EQ(in(1, kAt), 5);
  EXPECT_EQ(in(1, kAt + 1), 7);
}

TEST_F(Levelled, WhatTheSystemWritesIsEverywhere) {
  levels.fill(1, kAt);
  levels.fill(0, kAt);
  store(kAt + 1, 9);
  const std::byte b{4};
  levels.writeAll(kAt, {&b, 1});
  EXPECT_EQ(in(0, kAt), 4);
  EXPECT_EQ(in(1, kAt), 4);
  EXPECT_EQ(in(1, kAt + 1), 7) << "nothing else moves";
}

TEST_F(Levelled, FlushingShowsWhatTheCoreSeesAndRefreshingTakesWhatChanged) {
  levels.fill(1, kAt);
  levels.fill(0, kAt);
  store(kAt + 1, 9);
  levels.flush();
  std::uint8_t byte = 0;
  ASSERT_TRUE(memory->load(kAt + 1, byte));
  EXPECT_EQ(byte, 9);
  ASSERT_TRUE(memory->store<std::uint8_t>(kAt + 2, 3));
  levels.refresh();
  EXPECT_EQ(in(0, kAt + 2), 3);
  EXPECT_EQ(in(1, kAt + 2), 3);
  EXPECT_EQ(in(1, kAt + 1), 7) << "still stale";
}

TEST_F(Levelled, PagesLieInFrames) {
  constexpr std::uint64_t kFrame = 0x3000;
  EXPECT_TRUE(levels.addFrame(kAt, kFrame, Memory::kPage));
  EXPECT_FALSE(levels.addFrame(kAt + Memory::kPage, kFrame, Memory::kPage)) << "two pages in one";
  levels.fill(0, kFrame + kLine);
  store(kAt + kLine, 8);
  EXPECT_EQ(in(0, kFrame + kLine), 8);
  EXPECT_EQ(seen(kAt + kLine), 8);
}

TEST_F(Levelled, APrefetchedPageThatIsFoundLaterHasItsBytes) {
  constexpr std::uint64_t kFrame = 0x3000;
  EXPECT_TRUE(levels.addFrame(kAt + Memory::kPage, kFrame - Memory::kPage, Memory::kPage));
  levels.fill(1, kFrame);
  EXPECT_EQ(in(1, kFrame), 0) << "nobody knows whose it is";
  EXPECT_TRUE(levels.addFrame(kAt, kFrame, Memory::kPage));
  EXPECT_EQ(in(1, kFrame), 7);
}

TEST(MemoryDifference, IsTheFirstInBytesPermissionsAndPages) {
  const auto a = std::move(*Memory::make()), b = std::move(*Memory::make());
  for (Memory *m : {a.get(), b.get()}) ASSERT_TRUE(m->map(kAt, 2 * Memory::kPage, kWrite));
  EXPECT_FALSE(a->firstDifference(*b));
  ASSERT_TRUE(a->store<std::uint8_t>(kAt + 5000, 1));
  EXPECT_EQ(a->firstDifference(*b), kAt + 5000);
  ASSERT_TRUE(a->protect(kAt, Memory::kPage, kRead));
  EXPECT_EQ(a->firstDifference(*b), kAt);
  ASSERT_TRUE(b->map(kAt + 4 * Memory::kPage, Memory::kPage, kRead));
  ASSERT_TRUE(b->protect(kAt, Memory::kPage, kRead));
  ASSERT_TRUE(b->store<std::uint8_t>(kAt + 5000, 1));
  EXPECT_EQ(a->firstDifference(*b), kAt + 4 * Memory::kPage);
}

TEST(Witnessed, CallsHaveArgumentsResultAndBytes) {
  using namespace test::rv64;
  // getrandom(data, 8), write(1, data, 4), exit(3).
  Assembler a;
  a.set(kA0, kDataAt).add(addi(kA1, kZero, 8)).add(addi(kA2, kZero, 0)).call(278);
  a.add(addi(kA0, kZero, 1)).set(kA1, kDataAt).add(addi(kA2, kZero, 4)).call(64).exit(3);
  ElfImage image;
  image.file = "program";
  image.isa = trace::Isa::kRv64;
  Witness witness;
  const auto machine = Machine::make(image, elfOf(a.code(), std::string(16, 'x')), {{}, 2, false, false, &witness});
  ASSERT_TRUE(machine.ok());
  EXPECT_EQ(finish(**machine), "");
  EXPECT_EQ(witness.memory, &(*machine)->memory());
  ASSERT_EQ(witness.calls.size(), 3U);
  const CallRecord &random = witness.calls[0], &write = witness.calls[1], &exit = witness.calls[2];
  EXPECT_EQ(random.number(), 278U);
  EXPECT_EQ(random.result, 8U);
  ASSERT_EQ(random.written.size(), 1U);
  EXPECT_EQ(random.written[0].address, kDataAt);
  EXPECT_EQ(random.written[0].bytes.size(), 8U);
  ASSERT_EQ(write.read.size(), 1U);
  EXPECT_EQ(write.read[0].bytes, random.written[0].bytes.substr(0, 4));
  EXPECT_EQ(exit.arguments[0], 3U);
  EXPECT_EQ(exit.outcome, CallOutcome::Kind::kExited);
}

}  // namespace
}  // namespace pimento::guest::rv64
