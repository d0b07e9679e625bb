#include "pimento/program/loops_cursor.h"

#include <gtest/gtest.h>

#include "test/unit/program/random_program.h"

namespace pimento::program {
namespace {

constexpr int kBanks = 16;

/// One executed command, found by plain recursion: its addresses and the loops around it with their counters.
struct Executed {
  std::int64_t row, column;
  int command;
  std::vector<std::pair<int, std::int64_t>> loops;  // (loop number in order of opening, counter)
};

/// Runs nested loops by recursion, as an oracle for the cursor. Loops without commands are not numbered.
class Recursion {
 public:
  explicit Recursion(const CommandLoops &nodes) { number(nodes), run(nodes); }

  std::vector<Executed> out;

 private:
  static bool hasCommand(const CommandNode &n) {
    if (!n.isLoop) return true;
    for (const CommandNode &c : n.children)
      if (hasCommand(c)) return true;
    return false;
  }
  void number(const CommandLoops &nodes) {
    for (const CommandNode &n : nodes) {
      if (!hasCommand(n)) continue;
      const int id = n.isLoop ? loops_++ : commands_++;
      ids_.push_back({&n, id});
      number(n.children);
    }
  }
  int idOf(const CommandNode &n) const {
    for (const auto &[node, id] : ids_)
      if (node == &n) return id;
    return -1;
  }
  void run(const CommandLoops &nodes) {
    for (const CommandNode &n : nodes) {
      if (!hasCommand(n)) continue;
      const int id = idOf(n);
      if (!n.isLoop) {
        Executed e{n.statement.row.base, n.statement.column.base, id, path_};
        for (std::size_t d = 0; d < path_.size(); ++d) {
          e.row += n.statement.row.stride[d] * path_[d].second;
          e.column += n.statement.column.stride[d] * path_[d].second;
        }
        out.push_back(e);
        continue;
      }
      for (std::int64_t i = 0; i < n.trip; ++i) {
        path_.push_back({id, i});
        run(n.children);
        path_.pop_back();
      }
    }
  }

  std::vector<std::pair<const CommandNode *, int>> ids_;
  std::vector<std::pair<int, std::int64_t>> path_;
  int loops_ = 0, commands_ = 0;
};

/// The outermost loop that counts between two executed commands: the first difference on their paths, if it is a
/// counter of one loop.
int countingLoop(const Executed &from, const Executed &to) {
  for (std::size_t d = 0; d < std::min(from.loops.size(), to.loops.size()); ++d) {
    if (from.loops[d] == to.loops[d]) continue;
    return from.loops[d].first == to.loops[d].first ? to.loops[d].first : -1;
  }
  return -1;
}

TEST(LoopsCursor, RandomNestsAreWalkedAsARecursionWould) {
  RandomPrograms random(11);
  std::size_t walked = 0;
  int returned = 0;
  for (int n = 0; n < 300; ++n) {
    const CommandLoops nodes = random.body(4, static_cast<int>(random.between(1, 16)));
    const std::vector<Executed> expected = Recursion(nodes).out;
    const FlatLoops code(nodes, {}, kBanks);
    LoopsCursor cursor(code);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Executed &e = expected[i];
      ASSERT_FALSE(cursor.isDone());
      const Transaction t = cursor.peek();
      ASSERT_EQ(t.command, e.command);
      ASSERT_EQ(t.row, e.row);
      ASSERT_EQ(t.column, e.column);
      const Command &c = code.commands()[static_cast<std::size_t>(e.command)].command;
      ASSERT_EQ(t.bank, static_cast<std::uint8_t>(c.rank * kBanks + c.bank));
      ASSERT_EQ(t.op, c.isWrite ? 1 : 0);
      ASSERT_EQ(t.isBarrier, c.isBarrier);
      ASSERT_EQ(cursor.depth(), static_cast<int>(e.loops.size()));
      for (int d = 0; d < cursor.depth(); ++d) {
        ASSERT_EQ(cursor.loopAt(d), e.loops[static_cast<std::size_t>(d)].first);
        ASSERT_EQ(cursor.counter(d), e.loops[static_cast<std::size_t>(d)].second);
      }
      const int completed = cursor.advance();
      ASSERT_EQ(completed, i + 1 < expected.size() ? countingLoop(e, expected[i + 1]) : -1);
      returned += completed >= 0;
    }
    ASSERT_TRUE(cursor.isDone());
    walked += expected.size();
  }
  EXPECT_GT(walked, 10000U);
  EXPECT_GT(returned, 1000);
}

TEST(LoopsCursor, ShiftMovesTheCounterAndSoTheAddresses) {
  Command c;
  c.row.stride = {3};
  const FlatLoops code(CommandLoops{{CommandNode::loop("j", 100, {CommandNode(c)})}}, {}, kBanks);
  LoopsCursor cursor(code);
  LoopsCursor snapshot = cursor;
  cursor.shift(0, 98);
  EXPECT_EQ(cursor.peek().row, 294);
  EXPECT_EQ(cursor.advance(), 0);
  EXPECT_EQ(cursor.advance(), -1);
  EXPECT_TRUE(cursor.isDone());
  EXPECT_EQ(snapshot.peek().row, 0);
}

TEST(FlatLoops, CommandsPerIterationCountInnerTrips) {
  const CommandNode leaf = CommandNode(Command{});
  const FlatLoops code(
      CommandLoops{{CommandNode::loop("i", 9,
                                      {leaf, CommandNode::loop("empty", 5, {}),
                                       CommandNode::loop("j", 4, {leaf, CommandNode::loop("k", 3, {leaf, leaf})})})}},
      {}, kBanks);
  ASSERT_EQ(code.loops().size(), 3U);
  EXPECT_EQ(code.loops()[0].commands, 1 + 4 * (1 + 3 * 2));
  EXPECT_EQ(code.loops()[1].commands, 1 + 3 * 2);
  EXPECT_EQ(code.loops()[2].commands, 2);
}

TEST(FlatLoops, CommandsPerIterationSaturate) {
  CommandNode n = CommandNode(Command{});
  for (int d = 0; d < kMaxDepth; ++d) n = CommandNode::loop("d", std::int64_t{1} << 40, {n});
  const FlatLoops code(CommandLoops{{n}}, {}, kBanks);
  EXPECT_EQ(code.loops()[0].commands, 1 << 28);
  EXPECT_EQ(code.loops()[kMaxDepth - 1].commands, 1);
}

TEST(FlatLoops, ABodyOfEmptyLoopsIsDoneAtOnce) {
  const FlatLoops code(CommandLoops{{CommandNode::loop("i", 9, {CommandNode::loop("j", 5, {})})}}, {}, kBanks);
  EXPECT_TRUE(code.loops().empty());
  EXPECT_TRUE(LoopsCursor(code).isDone());
}

/// A command on `bank` whose row and column move with the loops around it.
CommandNode at(int bank, std::int64_t row, std::array<std::int64_t, kMaxDepth> rowStride,
               std::array<std::int64_t, kMaxDepth> columnStride = {}) {
  Command c;
  c.bank = static_cast<std::uint8_t>(bank);
  c.row = {row, rowStride};
  c.column = {0, columnStride};
  return CommandNode(c);
}

bool isUniform(const CommandLoops &body, const std::vector<std::int64_t> &reserved = {}, std::size_t loop = 0) {
  return FlatLoops(body, reserved, kBanks).loops().at(loop).isUniform;
}

TEST(UniformLoops, CommandsThatMoveTogetherAreUniform) {
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {2}), at(0, 13, {2})})}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {0}, {8}), at(0, 10, {0}, {8})})}));
}

TEST(UniformLoops, AFixedCommandInARowThatOthersPassIsNot) {
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 13, {0})})}));
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1})}), at(0, 17, {0})}));
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 11, {2})})}));
}

TEST(UniformLoops, AFixedCommandInAnotherRowOrBankDoesNotMatter) {
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1})}), at(0, 18, {0})}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 9, {0})})}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1}), at(1, 13, {0})})}));
}

TEST(UniformLoops, ColumnsThatMoveApartInOneRowAreNot) {
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {0}, {1}), at(0, 10, {0}, {0})})}));
}

TEST(UniformLoops, AReservedRowInsideAMovingRangeIsNot) {
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1})})}, {13}));
  EXPECT_FALSE(isUniform({CommandNode::loop("j", 8, {at(0, 13, {-1})})}, {13}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1})})}, {18, 9}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 13, {0})})}, {13}));
}

TEST(UniformLoops, RangesThatMeetThroughAThirdAreOneClass) {
  // 10..17 and 30..37 never meet, but 15..32 meets both.
  const CommandNode pair = CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 30, {2})});
  EXPECT_FALSE(isUniform({pair, CommandNode::loop("k", 2, {at(0, 15, {17})})}));
  const CommandNode apart = CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 30, {1})});
  EXPECT_TRUE(isUniform({apart}));
  EXPECT_TRUE(isUniform({CommandNode::loop("j", 8, {at(0, 10, {1}), at(0, 30, {2})})}));
}

TEST(UniformLoops, EachLevelOfANestIsJudgedByItself) {
  const CommandLoops body = {
      CommandNode::loop("j", 4, {CommandNode::loop("k", 8, {at(0, 0, {1, 1}), at(0, 1, {1, 0})})})};
  EXPECT_TRUE(isUniform(body, {}, 0));
  EXPECT_FALSE(isUniform(body, {}, 1));
}

}  // namespace
}  // namespace pimento::program
