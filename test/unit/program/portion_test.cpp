#include "pimento/program/portion.h"

#include <gtest/gtest.h>

namespace pimento::program {
namespace {

CommandNode command(std::int64_t row = 0) {
  Command c;
  c.row.base = row;
  return c;
}

const CommandLoops &loopsOf(const Process &p) {
  return std::get<CommandLoops>(p.body);
}

Process nest() {
  Process p;
  p.body = CommandLoops{
      command(), CommandNode::loop("tile", 10, {CommandNode::loop("chunk", 4, {command(1), command(2)}), command(3)}),
      command(4)};
  return p;
}

TEST(Portion, TheSmallestRunsEveryLoopOnce) {
  const Process p = portionOf(nest(), 1);
  EXPECT_EQ(loopsOf(p)[1].trip, 1);
  EXPECT_EQ(loopsOf(p)[1].children[0].trip, 1);
  EXPECT_EQ(loopsOf(p).size(), loopsOf(nest()).size());
  EXPECT_EQ(sizeOfLoops(p), 2);
}

TEST(Portion, InnerLoopsGrowFirst) {
  const Process three = portionOf(nest(), 3), six = portionOf(nest(), 6), eight = portionOf(nest(), 8);
  EXPECT_EQ(loopsOf(three)[1].trip, 1);
  EXPECT_EQ(loopsOf(three)[1].children[0].trip, 3);
  EXPECT_EQ(loopsOf(six)[1].trip, 2);  // rounded up to whole iterations
  EXPECT_EQ(loopsOf(six)[1].children[0].trip, 4);
  EXPECT_EQ(portionOf(six, 6).body, six.body);
  EXPECT_EQ(eight.body, six.body);
}

TEST(Portion, TheLargestIsTheProgram) {
  EXPECT_EQ(portionOf(nest(), 40), nest());
  EXPECT_EQ(portionOf(nest(), 1'000'000), nest());
  EXPECT_NE(portionOf(nest(), 36), nest());
  EXPECT_EQ(sizeOfLoops(nest()), 80);
}

TEST(Portion, LoopsBesideOneAnotherGrowAlike) {
  Process p;
  p.body = CommandLoops{CommandNode::loop(
      "outer", 5, {CommandNode::loop("long", 100, {command()}), CommandNode::loop("short", 3, {command()})})};
  const Process ten = portionOf(p, 10);
  EXPECT_EQ(loopsOf(ten)[0].trip, 1);
  EXPECT_EQ(loopsOf(ten)[0].children[0].trip, 10);
  EXPECT_EQ(loopsOf(ten)[0].children[1].trip, 3);
  EXPECT_EQ(portionOf(p, 500), p);
}

TEST(Portion, WithoutLoopsThereIsNothingToCut) {
  Process p;
  p.body = CommandLoops{command(), command()};
  EXPECT_EQ(portionOf(p, 1), p);
  EXPECT_EQ(sizeOfLoops(p), 0);
}

}  // namespace
}  // namespace pimento::program
