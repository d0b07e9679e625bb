// From the rows of a comparison to a decision about one op.
#include "tools/mlir-plugin/verdict.h"

#include <gtest/gtest.h>

namespace pimento::mlirplugin {
namespace {

using Rows = std::vector<emit::ComparisonRow>;

evaluate::Stage onDevice(std::int64_t host, std::int64_t device) {
  evaluate::Stage stage;
  stage.mapping = "the mapping";
  stage.mappingWhy = "given";
  stage.hostCycles = Cycles(host);
  stage.offloadedCycles = Cycles(device);
  return stage;
}

evaluate::Stage onHost(std::int64_t host, const std::string &why) {
  evaluate::Stage stage;
  stage.isOnHost = true;
  stage.why = why;
  stage.hostCycles = Cycles(host);
  return stage;
}

/// A machine whose cycles take 1 ns.
emit::ComparisonRow row(const std::string &target, std::int64_t time, std::vector<evaluate::Stage> stages) {
  evaluate::Phase all;
  all.counted = Cycles(time);
  stages.front().phases = {all};
  evaluate::Report report;
  report.target = "the machine's own name";
  report.timeNs = static_cast<double>(time);
  report.energy.total = Picojoules(7);
  report.stages = std::move(stages);
  return {target, report};
}

emit::ComparisonRow failed(const std::string &target, const std::string &why) {
  return {target, std::nullopt, {error("no-such", {}, why, "")}};
}

TEST(Verdict, TheFastestMachineThatBeatsItsHostGetsTheOp) {
  const Verdict v = verdictOf(Rows{row("slow", 90, {onDevice(100, 90)}), row("fast", 50, {onDevice(100, 50)}),
                                   row("none", 10, {onHost(10, "no")})});
  EXPECT_TRUE(v.isOffloaded);
  EXPECT_EQ(v.target, "fast");
  EXPECT_EQ(v.mapping, "the mapping");
  EXPECT_EQ(v.timeNs, 50);
  EXPECT_EQ(v.hostTimeNs, 100);
  EXPECT_EQ(v.deviceTimeNs, 50);
  EXPECT_NE(v.reason.find("mapping: given"), std::string::npos);
}

TEST(Verdict, AMachineHasTheNameThatItWasGivenWhateverBecameOfTheOp) {
  const Rows ran = {row("m/mine.yaml", 10, {onHost(10, "too small")})};
  EXPECT_EQ(verdictOf(ran).reason, "m/mine.yaml: too small");
  EXPECT_EQ(verdictOf(Rows{failed("m/mine.yaml", "no i64")}).reason, "m/mine.yaml: no i64");
}

TEST(Verdict, WhereNoMachineIsFasterEveryReasonIsNamedOnce) {
  const Verdict v = verdictOf(
      Rows{row("a", 10, {onHost(10, "too small")}), row("b", 20, {onHost(20, "too small")}), failed("c", "no i64")});
  EXPECT_FALSE(v.isOffloaded);
  EXPECT_EQ(v.target, "");
  EXPECT_EQ(v.mapping, "");
  EXPECT_EQ(v.reason, "a, b: too small; c: no i64");
  EXPECT_EQ(v.timeNs, 10);
  EXPECT_FALSE(v.deviceTimeNs);
}

TEST(Verdict, WhatCannotBeReadHasAReasonAndNoTimes) {
  const Verdict v = verdictOf(Rows{failed("a", "operation 'x' is not supported")});
  EXPECT_FALSE(v.isOffloaded);
  EXPECT_EQ(v.reason, "a: operation 'x' is not supported");
  EXPECT_FALSE(v.timeNs || v.energyPj || v.hostTimeNs || v.deviceTimeNs);
}

TEST(Verdict, AnOpOfSeveralKernelsIsOffloadedIfOneIsAndTakesTheirTimesTogether) {
  const Verdict v = verdictOf(Rows{row("a", 60, {onDevice(100, 50), onHost(10, "small")})});
  EXPECT_TRUE(v.isOffloaded);
  EXPECT_EQ(v.timeNs, 60);
  EXPECT_EQ(v.hostTimeNs, 110);
  EXPECT_FALSE(v.deviceTimeNs);  // not all of it can be there
  EXPECT_NE(v.reason.find("mapping: given; partly on the host: small"), std::string::npos) << v.reason;
}

TEST(Verdict, OneQuestionIsAskedOnce) {
  driver::Options options;
  options.targets = {"no such machine"};
  Adviser adviser(options);
  const Question question{"func.func @f() { return }", {}};
  const Verdict &first = adviser.ask(question);
  EXPECT_NE(first.reason.find("no such machine"), std::string::npos);
  EXPECT_EQ(&adviser.ask(question), &first);
}

}  // namespace
}  // namespace pimento::mlirplugin
