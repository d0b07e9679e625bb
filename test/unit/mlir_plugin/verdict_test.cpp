// From the rows of a comparison to a decision about one op.
#include "tools/mlir-plugin/verdict.h"

#include <gtest/gtest.h>

namespace pimento::mlirplugin {
namespace {

std::string rows(const std::string &rows) {
  return R"({"rows": [)" + rows + "]}";
}

std::string row(const std::string &target, double timeNs, const std::string &stages) {
  return R"({"target": ")" + target + R"(", "error": null, "energy_pj": 7, "time_ns": )" + std::to_string(timeNs) +
         R"(, "stages": [)" + stages + "]}";
}

std::string onDevice(double hostNs, double deviceNs) {
  return R"({"where": "pim", "why": "", "mapping": "the mapping", "mapping_why": "given", "host_time_ns": )" +
         std::to_string(hostNs) + R"(, "offloaded_time_ns": )" + std::to_string(deviceNs) + "}";
}

std::string onHost(double hostNs, const std::string &why) {
  return R"({"where": "host", "mapping_why": "", "offloaded_time_ns": null, "why": ")" + why +
         R"(", "host_time_ns": )" + std::to_string(hostNs) + "}";
}

std::string failed(const std::string &target, const std::string &why) {
  return R"({"target": ")" + target + R"(", "error": ")" + why + R"("})";
}

TEST(Verdict, TheFastestMachineThatBeatsItsHostGetsTheOp) {
  const Verdict v = verdictOf(rows(row("slow", 90, onDevice(100, 90)) + "," + row("fast", 50, onDevice(100, 50)) + "," +
                                   row("none", 10, onHost(10, "no"))));
  EXPECT_TRUE(v.isOffloaded);
  EXPECT_EQ(v.target, "fast");
  EXPECT_EQ(v.mapping, "the mapping");
  EXPECT_EQ(v.timeNs, 50);
  EXPECT_EQ(v.hostTimeNs, 100);
  EXPECT_EQ(v.deviceTimeNs, 50);
  EXPECT_NE(v.reason.find("mapping: given"), std::string::npos);
}

TEST(Verdict, AMachineHasTheNameThatItWasGivenWhateverBecameOfTheOp) {
  const std::string ran = R"({"target": "mine", "run": {"target": "m/mine.yaml"}, "error": null, "energy_pj": 7, )"
                          R"("time_ns": 10, "stages": [)" +
                          onHost(10, "too small") + "]}";
  EXPECT_EQ(verdictOf(rows(ran)).reason, "m/mine.yaml: too small");
  EXPECT_EQ(verdictOf(rows(failed("m/mine.yaml", "no i64"))).reason, "m/mine.yaml: no i64");
}

TEST(Verdict, WhereNoMachineIsFasterEveryReasonIsNamedOnce) {
  const Verdict v = verdictOf(rows(row("a", 10, onHost(10, "too small")) + "," + row("b", 20, onHost(20, "too small")) +
                                   "," + failed("c", "no i64")));
  EXPECT_FALSE(v.isOffloaded);
  EXPECT_EQ(v.target, "");
  EXPECT_EQ(v.mapping, "");
  EXPECT_EQ(v.reason, "a, b: too small; c: no i64");
  EXPECT_EQ(v.timeNs, 10);
  EXPECT_FALSE(v.deviceTimeNs);
}

TEST(Verdict, WhatCannotBeReadHasAReasonAndNoTimes) {
  const Verdict v = verdictOf(rows(failed("a", "operation 'x' is not supported")));
  EXPECT_FALSE(v.isOffloaded);
  EXPECT_EQ(v.reason, "a: operation 'x' is not supported");
  EXPECT_FALSE(v.timeNs || v.energyPj || v.hostTimeNs || v.deviceTimeNs);
}

TEST(Verdict, AnOpOfSeveralKernelsIsOffloadedIfOneIsAndTakesTheirTimesTogether) {
  const Verdict v = verdictOf(rows(row("a", 60, onDevice(100, 50) + "," + onHost(10, "small"))));
  EXPECT_TRUE(v.isOffloaded);
  EXPECT_EQ(v.timeNs, 60);
  EXPECT_EQ(v.hostTimeNs, 110);
  EXPECT_FALSE(v.deviceTimeNs);  // not all of it can be there
  EXPECT_NE(v.reason.find("mapping: given; in part on the host: small"), std::string::npos) << v.reason;
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
