// Mistakes in programs of virtual instructions, in their text and against a machine: what is said, and where.
#include <gtest/gtest.h>

#include "pimento/program/text.h"
#include "pimento/program/virtual.h"
#include "test/support/random_unit_program.h"

namespace pimento::program {
namespace {

/// Code and place of the first diagnostic: "code@line:column".
std::string complaint(const Diagnostics &found) {
  if (found.empty()) return "nothing";
  const Diagnostic &d = found.front();
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

/// Of a text that cannot be read.
std::string misread(const std::string &text) {
  const Result<Program> p = parse(text, "p.llvcnm");
  EXPECT_FALSE(p.ok()) << text;
  return p ? "read" : complaint(p.diagnostics());
}

/// Of a line among declarations and inside two loops: line 8.
std::string misreadLine(const std::string &line) {
  return misread(
      "program units\nprocess unit x1 threads 4 {\n  array a bank i32[64]\n  array t scratchpad i32[8]\n"
      "  param me 4\n  loop j 2 {\n    loop k 3 {\n" +
      line + "\n    }\n  }\n}\n");
}

/// Of a text that a machine cannot run: pipeline of 8 threads, no division on i32.
std::string refused(const std::string &text) {
  Places places;
  const Result<Program> p = parse(text, "p.llvcnm", &places);
  EXPECT_TRUE(p.ok()) << p.diagnostics().front().str();
  machine::Machine m = test::unitMachine(machine::Compute::Mode::kPipeline, 8);
  std::vector<DType> &types = m.compute->operations.front().types;
  types.erase(std::find(types.begin(), types.end(), DType::kF64));
  const Status s = p ? verify(*p, m, &places) : Status(okStatus());
  EXPECT_FALSE(s.ok()) << text;
  return s.ok() ? "accepted" : complaint(s.diagnostics());
}

std::string refusedLine(const std::string &line) {
  return refused(
      "program units\nprocess unit x1 threads 4 {\n  array a bank i32[64]\n  array s bank i32[64] shared\n"
      "  array t scratchpad i32[8]\n  param me 4\n  loop j 2 {\n" +
      line + "\n  }\n}\n");
}

TEST(VirtualTextErrors, DeclarationsAreChecked) {
  EXPECT_EQ(misreadLine("array a bank i32[4]"), "program-duplicate-array@8:7");
  EXPECT_EQ(misreadLine("array b disk i32[4]"), "program-syntax@8:9");
  EXPECT_EQ(misreadLine("array b bank i31[4]"), "program-unknown-type@8:14");
  EXPECT_EQ(misreadLine("array b bank i32[0]"), "program-range@8:18");
  EXPECT_EQ(misreadLine("array b bank i32 4"), "program-syntax@8:18");
  EXPECT_EQ(misreadLine("param me 4"), "program-duplicate-variable@8:7");
  EXPECT_EQ(misreadLine("param j 4"), "program-duplicate-variable@8:7");
  EXPECT_EQ(misreadLine("param 4"), "program-syntax@8:7");
  EXPECT_EQ(misreadLine("loop me 4 {"), "program-duplicate-variable@8:6");
  EXPECT_EQ(misread("program units\nprocess unit x1 threads 0 {\n}\n"), "program-threads@2:25");
}

TEST(VirtualTextErrors, InstructionsAreChecked) {
  EXPECT_EQ(misreadLine("LOAD %0 b[0]"), "program-unknown-array@8:9");
  EXPECT_EQ(misreadLine("LAOD %0 a[0]"), "program-syntax@8:1");
  EXPECT_EQ(misreadLine("LOAD 0 a[0]"), "program-syntax@8:6");
  EXPECT_EQ(misreadLine("LOAD %99999 a[0]"), "program-range@8:7");
  EXPECT_EQ(misreadLine("LOAD %0 a[2*i]"), "program-unknown-variable@8:13");
  EXPECT_EQ(misreadLine("LOAD %0 a 0"), "program-syntax@8:11");
  EXPECT_EQ(misreadLine("LOAD %0 a[0, 4]"), "program-syntax@8:14");
  EXPECT_EQ(misreadLine("LOAD %0 a[0, %1]"), "program-syntax@8:16");
  EXPECT_EQ(misreadLine("LOAD %0 a[0, %1 of 0]"), "program-range@8:20");
  EXPECT_EQ(misreadLine("LOAD %0 a[0, %1 of 4 by]"), "program-syntax@8:24");
  EXPECT_EQ(misreadLine("LOAD %0 a[0, %1 of 4 by 0]"), "program-range@8:25");
  EXPECT_EQ(misreadLine("LOAD %0 a[0] if 1"), "program-syntax@8:17");
  EXPECT_EQ(misreadLine("MOVE t[0, %1 of 2] a[0] 1"), "program-syntax@8:9");
  EXPECT_EQ(misreadLine("SET i8 %0 300"), "program-range@8:14");
  EXPECT_EQ(misreadLine("SET f32 %0 1.2.3"), "program-number@8:12");
  EXPECT_EQ(misreadLine("ADD i32 %0 %1"), "program-syntax@8:14");
  EXPECT_EQ(misreadLine("MOVE t[0] a[0] 0"), "program-count@8:16");
  EXPECT_EQ(misreadLine("STORE a[0] %0 when %1"), "program-syntax@8:15");
  EXPECT_EQ(misreadLine("RD rank 0 bank 0 row 0 column 0 pim_mac"), "program-syntax@8:1");
}

TEST(VirtualTextErrors, AMisspeltInstructionIsCorrected) {
  const Result<Program> p = parse("program u\nprocess unit x1 threads 1 {\n  LAOD %0 a[0]\n}\n");
  ASSERT_FALSE(p.ok());
  EXPECT_NE(p.diagnostics().front().hint.find("'LOAD'"), std::string::npos) << p.diagnostics().front().str();
}

TEST(VirtualTextErrors, WhatAMachineLacksIsSaid) {
  EXPECT_EQ(refused("program u\nprocess unit x99 threads 4 {\n}\n"), "program-instances@2:9");
  EXPECT_EQ(refused("program u\nprocess unit x1 threads 9 {\n}\n"), "program-threads@2:9");
  EXPECT_EQ(refused("program u\nprocess unit x1 threads 8 {\n  array a scratchpad i64[2000]\n}\n"),
            "program-capacity@2:9");
  EXPECT_EQ(refused("program u\nprocess unit x1 threads 8 {\n  array a bank i64[2000000000000]\n}\n"),
            "program-array@2:9");
  EXPECT_EQ(refused("program u\nprocess unit x1 threads 8 {\n  param p 2000000000000\n}\n"), "program-parameter@2:9");
  EXPECT_EQ(refused("program u\nprocess unit x1 threads 8 {\n}\nprocess c x1 {\n}\n"), "program-mixed@4:9");
  EXPECT_EQ(refusedLine("SET f64 %0 1"), "program-operation@8:1");
  EXPECT_EQ(refusedLine("loop k 2000000000000 {\nSET i32 %0 1\n}"), "program-trip@2:9");
}

TEST(VirtualTextErrors, RegistersHaveTypesAndValues) {
  EXPECT_EQ(refusedLine("ADD i32 %1 %0 %0"), "program-register@8:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nADD f32 %1 %0 %0"), "program-type@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nSET f32 %0 1"), "program-type@9:1");
  EXPECT_EQ(refusedLine("SET f32 %0 1\nSTORE a[0] %0"), "program-type@9:1");
  EXPECT_EQ(refusedLine("SET f32 %0 1\nAND f32 %0 %0 %0"), "program-type@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nSTORE a[0] %0 if %0"), "program-type@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nLOAD %1 a[0] if %0"), "program-type@9:1");
  EXPECT_EQ(refusedLine("LOAD %0 a[0, %0 of 4]"), "program-register@8:1");
  EXPECT_EQ(refusedLine("SET f32 %0 1\nLOAD %1 a[0, %0 of 4]"), "program-type@9:1");
}

TEST(VirtualTextErrors, ArraysHaveEndsAndOwners) {
  EXPECT_EQ(refusedLine("LOAD %0 a[63+j]"), "program-bounds@8:1");
  EXPECT_EQ(refusedLine("LOAD %0 a[me-1]"), "program-bounds@8:1");
  EXPECT_EQ(refusedLine("MOVE t[0] a[60] 5"), "program-bounds@8:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nSTORE s[0] %0"), "program-shared@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nLOAD %1 a[j, %0 of 64]"), "program-bounds@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nLOAD %1 a[0, %0 of 17 by 4]"), "program-bounds@9:1");
  EXPECT_EQ(refusedLine("SET i32 %0 1\nLOAD %1 a[0, %0 of 2 by 2000000000000]"), "program-bounds@9:1");
  EXPECT_EQ(refusedLine("MOVE a[0] s[0] 5"), "program-array@8:1");
  EXPECT_EQ(refusedLine("INDEX i32 %0 9000000000000000*j"), "program-bounds@8:1");
}

TEST(VirtualTextErrors, MachinesWithoutCostsSaySo) {
  const Result<Program> p = parse("program u\nprocess unit x1 threads 1 {\n}\n");
  ASSERT_TRUE(p.ok());
  machine::Machine m;
  m.name = "plain";
  const Status s = verify(*p, m);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.diagnostics().front().code, "no-compute");
}

TEST(VirtualTextErrors, WhatTextCannotSayIsRefusedAllTheSame) {
  const machine::Machine m = test::unitMachine(machine::Compute::Mode::kPipeline, 8);
  Program p{"u", {}, {{"unit", 1, UnitLoops{}}}};
  auto &loops = std::get<UnitLoops>(p.processes[0].body);
  const auto codeOf = [&](InstructionNode n) {
    loops.nodes = {std::move(n)};
    const Status s = verify(p, m);
    return s.ok() ? std::string() : s.diagnostics().front().code;
  };
  Instruction move;
  move.kind = Instruction::Kind::kMove;
  EXPECT_EQ(codeOf(InstructionNode(move)), "program-array");
  loops.unit.arrays = {{Array::Space::kBank, "a", DType::kI32, 4, false},
                       {Array::Space::kScratchpad, "b", DType::kI32, 4, false}};
  move.array = 0;
  move.from = 1;
  move.count = 0;
  EXPECT_EQ(codeOf(InstructionNode(move)), "program-count");
  Instruction set;
  set.kind = Instruction::Kind::kSet;
  set.result = 0;
  InstructionNode deep = InstructionNode(set);
  for (int d = 0; d <= kMaxDepth; ++d) deep = InstructionNode::loop("i", 2, {deep});
  EXPECT_EQ(codeOf(deep), "program-depth");
}

TEST(VirtualTextErrors, ProcessesAreOfOneKind) {
  const machine::Machine m = test::unitMachine(machine::Compute::Mode::kPipeline, 8);
  const Status s = verify({"u", {}, {{"unit", 1, UnitLoops{}}, {"channel", 1, CommandLoops{Command{}}}}}, m);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.diagnostics().front().code, "program-mixed");
}

}  // namespace
}  // namespace pimento::program
