#include "pimento/program/portion.h"

#include <gtest/gtest.h>

namespace pimento::program {
namespace {

Node command(std::int64_t row = 0) {
  Command c;
  c.row.base = row;
  return Node::leaf(c);
}

Process nest() {
  Process p;
  p.body = {command(), Node::loop("tile", 10, {Node::loop("chunk", 4, {command(1), command(2)}), command(3)}),
            command(4)};
  return p;
}

TEST(Portion, TheSmallestRunsEveryLoopOnce) {
  const Process p = portionOf(nest(), 1);
  EXPECT_EQ(p.body[1].trip, 1);
  EXPECT_EQ(p.body[1].children[0].trip, 1);
  EXPECT_EQ(p.body.size(), nest().body.size());
  EXPECT_EQ(sizeOfLoops(p), 2);
}

TEST(Portion, InnerLoopsGrowFirst) {
  const Process three = portionOf(nest(), 3), six = portionOf(nest(), 6), eight = portionOf(nest(), 8);
  EXPECT_EQ(three.body[1].trip, 1);
  EXPECT_EQ(three.body[1].children[0].trip, 3);
  EXPECT_EQ(six.body[1].trip, 2);  // rounded up to whole iterations
  EXPECT_EQ(six.body[1].children[0].trip, 4);
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
  p.body = {Node::loop("outer", 5, {Node::loop("long", 100, {command()}), Node::loop("short", 3, {command()})})};
  const Process ten = portionOf(p, 10);
  EXPECT_EQ(ten.body[0].trip, 1);
  EXPECT_EQ(ten.body[0].children[0].trip, 10);
  EXPECT_EQ(ten.body[0].children[1].trip, 3);
  EXPECT_EQ(portionOf(p, 500), p);
}

TEST(Portion, WithoutLoopsThereIsNothingToCut) {
  Process p;
  p.body = {command(), command()};
  EXPECT_EQ(portionOf(p, 1), p);
  EXPECT_EQ(sizeOfLoops(p), 0);
}

}  // namespace
}  // namespace pimento::program
