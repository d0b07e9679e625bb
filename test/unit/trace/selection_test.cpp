// Parts of streams: which instructions are passed on, with their accesses.
#include "pimento/trace/selection.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pimento::trace {
namespace {

/// Addresses of the instructions it is given, and those of accesses.
class Keeper final : public Consumer {
 public:
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override {
    for (int i = 0; i < count; ++i) instructions.push_back(block.instructions[static_cast<std::size_t>(i)].address);
    for (const Access &a : accesses) {
      EXPECT_LT(a.instruction, count);
      // An access of the instruction at X goes to X + 1000.
      EXPECT_EQ(block.instructions[a.instruction].address + 1000, a.address);
      reached.push_back(a.address);
    }
  }
  std::vector<std::uint64_t> instructions, reached;
};

/// Two blocks in turn, ten instructions each time: 0 to 3, and 4 to 9 (addresses in the file).
struct Ran {
  Keeper keeper;
  std::int64_t passed = 0;
  bool hasStarted = false, hasStopped = false;
  int entries = 0;  ///< until no more was wanted
};

Ran run(const Part &part, int turns, std::uint64_t loadedAt = 0) {
  Block blocks[2];
  std::vector<Access> accesses[2];
  for (std::uint64_t i = 0; i < 10; ++i) {
    const std::size_t b = i < 4 ? 0 : 1;
    Instruction in;
    in.address = i + loadedAt;
    accesses[b].push_back({in.address + 1000, static_cast<std::uint16_t>(blocks[b].instructions.size()), 4, false, 0});
    blocks[b].instructions.push_back(in);
  }
  Ran out;
  Selection s(part, out.keeper);
  Program program;
  program.loadedAt = loadedAt;
  s.onStart(program, false);
  for (int t = 0; t < turns; ++t)
    for (std::size_t b = 0; b < 2; ++b) {
      if (!s.wantsMore()) continue;
      s.onBlock(blocks[b], static_cast<int>(blocks[b].instructions.size()), accesses[b]);
      ++out.entries;
    }
  out.passed = s.passed();
  out.hasStarted = s.hasStarted();
  out.hasStopped = s.hasStopped();
  EXPECT_EQ(out.keeper.instructions.size(), out.keeper.reached.size());
  EXPECT_EQ(static_cast<std::int64_t>(out.keeper.instructions.size()), out.passed);
  return out;
}

TEST(Selection, OfNoPartIsTheWhole) {
  const Ran r = run({}, 3);
  EXPECT_EQ(r.passed, 30);
  EXPECT_TRUE(r.hasStarted);
  EXPECT_TRUE(r.hasStopped);
}

TEST(Selection, StartsWithinABlock) {
  Part part;
  part.start = Marker{6, 1};
  const Ran r = run(part, 2);
  EXPECT_EQ(r.passed, 14);
  EXPECT_EQ(r.keeper.instructions.front(), 6U);
  EXPECT_EQ(r.keeper.reached.front(), 1006U);
}

TEST(Selection, CountsHowOftenAMarkerComes) {
  Part part;
  part.start = Marker{4, 3};
  part.stop = Marker{2, 2};
  const Ran r = run(part, 6);
  EXPECT_EQ(r.keeper.instructions.front(), 4U);
  EXPECT_EQ(r.keeper.instructions.back(), 1U) << "what is before the stop";
  EXPECT_EQ(r.passed, 6 + 10 + 2);
  EXPECT_EQ(r.entries, 9) << "then no more is wanted";
}

TEST(Selection, StopsAtOnceWhereBothAreOnePlace) {
  Part part;
  part.start = Marker{4, 1};
  part.stop = Marker{4, 1};
  EXPECT_EQ(run(part, 2).passed, 0);
  part.stop = Marker{4, 2};
  EXPECT_EQ(run(part, 2).passed, 10);
}

TEST(Selection, SaysThatAMarkerNeverCame) {
  Part part;
  part.start = Marker{4, 3};
  part.stop = Marker{20, 1};
  Ran r = run(part, 2);
  EXPECT_FALSE(r.hasStarted);
  EXPECT_EQ(r.passed, 0);
  r = run(part, 3);
  EXPECT_TRUE(r.hasStarted);
  EXPECT_FALSE(r.hasStopped);
  EXPECT_EQ(r.passed, 6);
}

TEST(Selection, SkipsAndTakesSoMany) {
  Part part;
  part.skip = 7;
  part.most = 9;
  const Ran r = run(part, 5);
  EXPECT_EQ(r.passed, 9);
  EXPECT_EQ(r.keeper.instructions.front(), 7U);
  EXPECT_EQ(r.keeper.instructions.back(), 5U);
  EXPECT_EQ(r.entries, 4);
}

TEST(Selection, FollowsAProgramThatIsLoadedElsewhere) {
  Part part;
  part.start = Marker{6, 1};
  const Ran r = run(part, 1, 0x5000);
  EXPECT_EQ(r.keeper.instructions.front(), 0x5006U);
}

TEST(Functions, AreFoundByAddress) {
  const std::vector<Function> f = {{"a", 10, 5}, {"b", 10, 20}, {"c", 40, 0}};
  const auto nameAt = [&](std::uint64_t at) {
    const Function *found = functionAt(f, at);
    return found == nullptr ? std::string() : found->name;
  };
  EXPECT_EQ(nameAt(9), "");
  EXPECT_EQ(nameAt(12), "b");
  EXPECT_EQ(nameAt(29), "b");
  EXPECT_EQ(nameAt(30), "");
  EXPECT_EQ(nameAt(1000), "c") << "without a size";
}

}  // namespace
}  // namespace pimento::trace
