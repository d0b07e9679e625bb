// Mistakes in the text form of a program: what is said, and where.
#include <gtest/gtest.h>

#include "pimento/program/text.h"

namespace pimento::program {
namespace {

Diagnostics diagnosticsOf(std::string_view text) {
  const Result<Program> r = parse(text, "p.llvcnm");
  EXPECT_FALSE(r.ok()) << text;
  return r ? Diagnostics{Diagnostic{}} : r.diagnostics();
}

/// Code and place of the first diagnostic: "code@line:column".
std::string complaint(std::string_view text) {
  const Diagnostic d = diagnosticsOf(text).front();
  EXPECT_EQ(d.where.file, "p.llvcnm") << text;
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

/// ... of one command, which stands in line 4 from column 1, in loops j and k and with an image `w`.
std::string inBody(const std::string &line) {
  return complaint("program t\nimage w bursts 8\nprocess c x1 { ; loops\nloop j 2 {\nloop k 3 {\n" + line +
                   "\n}\n}\n}\n");
}

TEST(ProgramTextErrors, AnEmptyTextIsNoProgram) {
  EXPECT_EQ(complaint(""), "program-syntax@1:1");
  EXPECT_EQ(complaint("; nothing\n"), "program-syntax@2:1");
  EXPECT_EQ(complaint("process c x1 {\n}\n"), "program-syntax@1:1");
  EXPECT_EQ(complaint("program\n"), "program-syntax@1:8");
  EXPECT_EQ(complaint("program t t\n"), "program-syntax@1:11");
}

TEST(ProgramTextErrors, AMisspeltStatementIsCorrected) {
  EXPECT_EQ(complaint("program t\nproces c x1 {\n}\n"), "program-syntax@2:1");
  EXPECT_NE(diagnosticsOf("program t\nproces c x1 {\n}\n").front().hint.find("process"), std::string::npos);
  EXPECT_EQ(inBody("lop i 3 {"), "program-syntax@6:1");
}

TEST(ProgramTextErrors, AMisspeltPurposeIsCorrected) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0 pim_mca"), "program-unknown-purpose@6:33");
  EXPECT_NE(diagnosticsOf("program t\nprocess c x1 {\nRD rank 0 bank 0 row 0 column 0 pim_mca\n}\n")
                .front()
                .hint.find("'pim_mac'"),
            std::string::npos);
}

TEST(ProgramTextErrors, APurposeIsNeeded) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0"), "program-syntax@6:32");
}

TEST(ProgramTextErrors, OperandsUseVariablesOfEnclosingLoops) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 2*i column 0 pim_mac"), "program-unknown-variable@6:24");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 2*? column 0 pim_mac"), "program-syntax@6:24");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row j* column 0 pim_mac"), "program-syntax@6:25");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row j*k column 0 pim_mac"), "program-syntax@6:24");
  EXPECT_EQ(complaint("program t\nprocess c x1 {\nRD rank 0 bank 0 row j column 0 pim_mac\n}\n"),
            "program-unknown-variable@3:22");
}

TEST(ProgramTextErrors, NumbersHaveSixtyFourBits) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 9223372036854775808 column 0 pim_mac"), "program-range@6:22");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 9223372036854775807+1 column 0 pim_mac"), "program-range@6:42");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row -9223372036854775808*j-j column 0 pim_mac"), "program-range@6:45");
  EXPECT_EQ(inBody("RD rank 256 bank 0 row 0 column 0 pim_mac"), "program-range@6:9");
  EXPECT_EQ(inBody("RD rank 0 bank -1 row 0 column 0 pim_mac"), "program-range@6:16");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0 length 0 pim_mac"), "program-range@6:40");
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0 length 65537 pim_mac"), "program-range@6:40");
  EXPECT_EQ(complaint("program t\nimage w bursts -1\n"), "program-range@2:16");
}

TEST(ProgramTextErrors, DataComeFromADeclaredImage) {
  EXPECT_EQ(inBody("WR rank 0 bank 0 row 0 column 0 host_write data v[0]"), "program-unknown-image@6:49");
  EXPECT_EQ(complaint("program t\nprocess c x1 {\nWR rank 0 bank 0 row 0 column 0 host_write data v[0]\n}\n"),
            "program-unknown-image@3:49");
  EXPECT_EQ(inBody("WR rank 0 bank 0 row 0 column 0 host_write data w"), "program-syntax@6:50");
  EXPECT_EQ(inBody("WR rank 0 bank 0 row 0 column 0 host_write data w[j"), "program-syntax@6:52");
  EXPECT_EQ(inBody("WR rank 0 bank 0 row 0 column 0 host_write data"), "program-syntax@6:48");
}

TEST(ProgramTextErrors, ReadsSendNoData) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0 host_read data w[0]"), "program-read-data@6:43");
}

TEST(ProgramTextErrors, ImagesHaveNamesOfTheirOwn) {
  EXPECT_EQ(complaint("program t\nimage w bursts 8\nimage w bursts 9\n"), "program-duplicate-image@3:7");
  EXPECT_EQ(complaint("program t\nimage \"w\\q\" bursts 8\n"), "program-syntax@2:7");
  EXPECT_EQ(complaint("program t\nimage \"w bursts 8\n"), "program-syntax@2:7");
  EXPECT_EQ(complaint("program t\nimage w bursts 8 per-rank\n"), "program-syntax@2:22");
}

TEST(ProgramTextErrors, CommandsHaveNamesOfTheirOwn) {
  EXPECT_EQ(complaint("program t\ncommand M read\ncommand M write\n"), "program-duplicate-command@3:9");
  EXPECT_EQ(complaint("program t\ncommand RD read\n"), "program-duplicate-command@2:9");
  EXPECT_EQ(complaint("program t\ncommand loop read\n"), "program-duplicate-command@2:9");
  EXPECT_EQ(complaint("program t\ncommand 5 read\n"), "program-syntax@2:9");
  EXPECT_EQ(complaint("program t\ncommand M\n"), "program-syntax@2:10");
  EXPECT_EQ(complaint("program t\ncommand M read 5\n"), "program-syntax@2:16");
  std::string many = "program t\n";
  for (int i = 0; i < 256; ++i) many += "command M" + std::to_string(i) + " read\n";
  EXPECT_EQ(complaint(many), "program-too-large@257:9");
}

TEST(ProgramTextErrors, ANamedCommandIsDeclaredFirst) {
  const std::string head = "program t\nimage w bursts 8\ncommand MAC16 read\nprocess c x1 {\n";
  EXPECT_EQ(complaint(head + "MAC row 1 pim_mac\n}\n"), "program-syntax@5:1");
  EXPECT_NE(diagnosticsOf(head + "MAC row 1 pim_mac\n}\n").front().hint.find("MAC16"), std::string::npos);
  EXPECT_EQ(complaint(head + "MAC16 column 1 row 1 pim_mac\n}\n"), "program-unknown-purpose@5:16");
  EXPECT_EQ(complaint(head + "MAC16 row 1 pim_mac data w[0]\n}\n"), "program-read-data@5:21");
}

TEST(ProgramTextErrors, LoopVariablesDifferAlongAPath) {
  EXPECT_EQ(inBody("loop j 4 {\n}"), "program-duplicate-variable@6:6");
}

TEST(ProgramTextErrors, LoopsRunAtLeastOnce) {
  EXPECT_EQ(inBody("loop i 0 {\n}"), "program-trip@6:8");
  EXPECT_EQ(inBody("loop i -3 {\n}"), "program-trip@6:8");
  EXPECT_EQ(inBody("loop i {\n}"), "program-syntax@6:8");
  EXPECT_EQ(inBody("loop 8 {\n}"), "program-syntax@6:6");
}

TEST(ProgramTextErrors, AProcessRunsOnAtLeastOneChannel) {
  EXPECT_EQ(complaint("program t\nprocess c x0 {\n}\n"), "program-instances@2:12");
  EXPECT_EQ(complaint("program t\nprocess c 64 {\n}\n"), "program-syntax@2:11");
}

TEST(ProgramTextErrors, LoopsNestTwelveDeep) {
  std::string text = "program t\nprocess c x1 {\n";
  for (int d = 0; d < 100000; ++d) text += "loop v" + std::to_string(d) + " 2 {\n";
  EXPECT_EQ(complaint(text), "program-depth@15:6");
}

TEST(ProgramTextErrors, AnOpenBlockIsReportedWhereItOpens) {
  EXPECT_EQ(complaint("program t\nprocess c x1 {\n"), "program-unclosed@2:9");
  EXPECT_EQ(complaint("program t\nprocess c x1 {\nloop j 2 {\n}\n"), "program-unclosed@2:9");
  EXPECT_EQ(complaint("program t\nprocess c x1\n"), "program-syntax@2:13");
  EXPECT_EQ(complaint("program t\nprocess c x1 { }\n"), "program-syntax@2:16");
  EXPECT_EQ(complaint("program t\n}\n"), "program-syntax@2:1");
}

TEST(ProgramTextErrors, OneStatementStandsOnOneLine) {
  EXPECT_EQ(inBody("RD rank 0 bank 0 row 0 column 0 pim_mac RD"), "program-syntax@6:41");
  EXPECT_EQ(inBody("RD rank 0 bank 0 column 0 pim_mac"), "program-syntax@6:18");
}

TEST(ProgramTextErrors, EachWrongCommandIsReportedOnce) {
  const Diagnostics d = diagnosticsOf(
      "program t\nprocess c x1 {\nXX\nRD\nloop j 2 {\nWR rank 0 bank 0 row j column k pim_mac\n}\n}\nimage 5\n");
  ASSERT_EQ(d.size(), 4U);
  EXPECT_EQ(d[2].where.line, 6);
  EXPECT_EQ(d[3].where.line, 9);
}

TEST(ProgramTextErrors, AFloodOfMistakesEnds) {
  std::string text = "program t\nprocess c x1 {\n";
  for (int i = 0; i < 1000; ++i) text += "\x01\xff\n";
  EXPECT_EQ(diagnosticsOf(text).size(), 20U);
}

TEST(ProgramTextErrors, AnEndlessListOfStatementsIsRefused) {
  std::string text = "program t\nprocess c x1 {\n";
  for (int i = 0; i < (1 << 22); ++i) text += "}\nprocess c x1 {\n";
  EXPECT_EQ(diagnosticsOf(text).front().code, "program-too-large");
}

}  // namespace
}  // namespace pimento::program
