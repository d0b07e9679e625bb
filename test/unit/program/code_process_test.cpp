// Processes of machine code: compared by what they hold, printed as what no reader takes, checked against a machine.
#include <gtest/gtest.h>

#include "pimento/program/program.h"
#include "pimento/program/text.h"

namespace pimento::program {
namespace {

machine::Machine dpuMachine() {
  machine::Machine m;
  m.name = "hand";
  m.family = "upmem";
  using enum machine::LevelRole;
  m.levels = {{"rank", 2, true, "host", false, kGroup},
              {"dpu", 8, true, "host", false, kUnit},
              {"tasklet", 24, true, "host", false, kThread}};
  m.dpu.emplace();
  m.dpu->instructions = 4;
  m.dpu->wram = Bytes(1024);
  m.dpu->mram = Bytes(4096);
  return m;
}

Program codeProgram(const Code &code, std::int64_t instances = 1) {
  Program p{"hand", {}, {}};
  p.processes.push_back({"dpu", instances, MachineCode{std::make_shared<Code>(code)}});
  return p;
}

std::string complaint(const Program &p, const machine::Machine &m = dpuMachine()) {
  const Status s = verify(p, m);
  return s ? "" : s.diagnostics().front().code;
}

TEST(CodeProcess, EqualCodeInTwoPlacesIsEqual) {
  Code code;
  code.instructions = {1, 2};
  EXPECT_EQ(codeProgram(code), codeProgram(code));
  Code other = code;
  other.instructions[1] = 3;
  EXPECT_NE(codeProgram(code), codeProgram(other));
  Program with = codeProgram(code);
  std::get<MachineCode>(with.processes[0].body).arguments.push_back({8, {1, 2, 3, 4}});
  EXPECT_NE(with, codeProgram(code));
}

TEST(CodeProcess, ItsTextIsRefusedByTheReader) {
  Code code;
  code.instructions = {1, 2};
  const std::string text = print(codeProgram(code));
  EXPECT_NE(text.find("? 2 instructions of machine code"), std::string::npos) << text;
  EXPECT_FALSE(parse(text));
}

TEST(CodeProcess, ItHasNoCommandsToCount) {
  const auto counts = countCommands(codeProgram({}).processes[0]);
  for (const std::int64_t n : counts) EXPECT_EQ(n, 0);
}

TEST(CodeProcess, WhatFitsTheMachineIsAccepted) {
  Code code;
  code.instructions = {1, 2, 3, 4};
  code.tasklets = 24;
  code.wramUsed = 1024;
  code.mramUsed = 4096;
  EXPECT_EQ(complaint(codeProgram(code, 16)), "");
}

TEST(CodeProcess, WhatDoesNotFitIsSaid) {
  EXPECT_EQ(complaint(codeProgram({}, 17)), "program-instances");
  Code code;
  code.instructions = {1, 2, 3, 4, 5};
  EXPECT_EQ(complaint(codeProgram(code)), "program-iram");
  code = {};
  code.tasklets = 25;
  EXPECT_EQ(complaint(codeProgram(code)), "program-tasklets");
  code = {};
  code.wramUsed = 1025;
  EXPECT_EQ(complaint(codeProgram(code)), "program-wram");
  code = {};
  code.mramUsed = 5000;
  EXPECT_EQ(complaint(codeProgram(code)), "program-mram");
  machine::Machine none = dpuMachine();
  none.dpu.reset();
  EXPECT_EQ(complaint(codeProgram({}), none), "no-dpu");
  Program mixed = codeProgram({});
  mixed.processes.push_back({"commands", 1, CommandLoops{Command{}}});
  EXPECT_EQ(complaint(mixed), "program-mixed");
}

TEST(CodeProcess, ProcessesShareTheMachine) {
  Program two = codeProgram({}, 8);
  two.processes.push_back(two.processes.front());
  EXPECT_EQ(complaint(two), "");
  ++two.processes.back().instances;
  EXPECT_EQ(complaint(two), "program-instances");
}

}  // namespace
}  // namespace pimento::program
