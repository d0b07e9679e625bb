#include "pimento/program/text.h"

#include <gtest/gtest.h>

#include "test/unit/program/random_program.h"

namespace pimento::program {
namespace {

Command command(Purpose purpose, std::int64_t row, std::int64_t column) {
  Command c;
  c.purpose = purpose;
  c.row.base = row;
  c.column.base = column;
  return c;
}

TEST(ProgramText, FiveHundredRandomProgramsComeBackUnchanged) {
  RandomPrograms random(7);
  int loops = 0;
  for (int n = 0; n < 500; ++n) {
    const Program p = random.program();
    const std::string text = print(p);
    const Result<Program> back = parse(text, "p.llvcnm");
    ASSERT_TRUE(back) << text << "\n" << back.diagnostics().front().str();
    ASSERT_EQ(*back, p) << text;
    ASSERT_EQ(print(*back), text);
    loops += text.find("loop") != std::string::npos;
  }
  EXPECT_GT(loops, 100);
}

TEST(ProgramText, TheTextReadsLikeTheHeaderSays) {
  Program p;
  p.target = "hbm-pim";
  p.images = {{"weights", 4096, true}, {"control", 2, false}};
  Command read = command(Purpose::kPimMac, 16, 0);
  read.row.stride = {2, -1};
  read.column.stride = {0, 8};
  read.isBarrier = true;
  Command write = command(Purpose::kBroadcast, 16383, -3);
  write.isWrite = true;
  write.bank = 1;
  write.column.stride = {1, 1};
  write.image = 0;
  write.burst.stride = {-4, 0};
  const Command park = command(Purpose::kHostRead, 4096, 0);
  p.processes = {
      {"channel", 64, CommandLoops{park, CommandNode::loop("j", 8, {CommandNode::loop("k", 4, {read, write})})}}};
  EXPECT_EQ(print(p),
            "program hbm-pim\n"
            "image weights bursts 4096 per-channel\n"
            "image control bursts 2\n"
            "process channel x64 {\n"
            "  RD rank 0 bank 0 row 4096 column 0 host_read\n"
            "  loop j 8 {\n"
            "    loop k 4 {\n"
            "      RD rank 0 bank 0 row 2*j-k+16 column 8*k barrier pim_mac\n"
            "      WR rank 0 bank 1 row 16383 column j+k-3 broadcast data weights[-4*j]\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(ProgramText, NamedCommandsAreDeclaredAndSayWhatIsNotZero) {
  Program p;
  p.target = "near-bank";
  p.commands = {{"MAC16", false}, {"WRGB", true}};
  p.images = {{"x", 4, false}};
  Command mac = command(Purpose::kPimMac, 0, 3), buffer = command(Purpose::kBroadcast, 0, 0);
  mac.named = 1;
  mac.row.stride = {1};
  buffer.named = 2;
  buffer.isWrite = buffer.isBarrier = true;
  buffer.image = 0;
  buffer.rank = 1;
  p.processes = {{"c", 1, CommandLoops{buffer, CommandNode::loop("j", 2, {mac})}}};
  const std::string text =
      "program near-bank\n"
      "command MAC16 read\n"
      "command WRGB write\n"
      "image x bursts 4\n"
      "process c x1 {\n"
      "  WRGB rank 1 barrier broadcast data x[0]\n"
      "  loop j 2 {\n"
      "    MAC16 row j column 3 pim_mac\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(print(p), text);
  const Result<Program> back = parse(text);
  ASSERT_TRUE(back) << back.diagnostics().front().str();
  EXPECT_EQ(*back, p);
}

TEST(ProgramText, LoopsOfOneNameGetVariablesOfTheirOwn) {
  Command c = command(Purpose::kPimMac, 0, 0);
  c.row.stride = {1, 2, 3};
  Program p;
  p.target = "t";
  p.processes = {
      {"c", 1,
       CommandLoops{CommandNode::loop("j", 2, {CommandNode::loop("j", 3, {CommandNode::loop("two words", 4, {c})})})}}};
  const std::string text = print(p);
  EXPECT_NE(text.find("loop j 2 {"), std::string::npos) << text;
  EXPECT_NE(text.find("loop j_1 3 label j {"), std::string::npos) << text;
  EXPECT_NE(text.find("loop i 4 label \"two words\" {"), std::string::npos) << text;
  EXPECT_NE(text.find("row j+2*j_1+3*i "), std::string::npos) << text;
  const Result<Program> back = parse(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, p);
}

TEST(ProgramText, BothOrdersOfAProductAndRepeatedTermsAreRead) {
  const Result<Program> p = parse(
      "; a comment\n\nprogram t # another\nprocess c x1 {\r\n loop k 4 {\n"
      "  RD rank 0 bank 0 row k*8 + 2*k - 3 + 5 column 8*k-k pim_mac ; and one\n }\n}");
  ASSERT_TRUE(p) << p.diagnostics().front().str();
  const Command &c = std::get<CommandLoops>(p->processes.at(0).body).at(0).children.at(0).statement;
  EXPECT_EQ(c.row.stride[0], 10);
  EXPECT_EQ(c.row.base, 2);
  EXPECT_EQ(c.column.stride[0], 7);
}

TEST(ProgramText, BrokenReferencesArePrintedVisiblyAndRefused) {
  Program p;
  p.target = "t";
  Command c = command(Purpose::kHostWrite, 0, 0);
  c.isWrite = true;
  c.image = 3;
  c.row.stride[2] = 5;
  p.processes = {{"c", 1, CommandLoops{c}}};
  EXPECT_NE(print(p).find("row 5*? column 0 host_write data ?[0]"), std::string::npos) << print(p);
  EXPECT_FALSE(parse(print(p)).ok());
}

}  // namespace
}  // namespace pimento::program
