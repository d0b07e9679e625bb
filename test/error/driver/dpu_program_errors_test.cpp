// What is said about wrong options and wrong programs for DPUs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pimento/base/file.h"
#include "pimento/base/npy.h"
#include "pimento/driver/verbs.h"
#include "pimento/targets/upmem/data.h"
#include "test/support/dpu_builder.h"

namespace pimento::driver {
namespace {

/// Variables `words` (WRAM, 16 bytes), `open` (WRAM, no size), `table` (MRAM, 64 bytes); code, a number, a lock.
program::Code code() {
  program::Code c;
  c.mramUsed = 100;
  c.symbols = {{"NR_TASKLETS", 16, 0, false, true},
               {"lock", program::kAtomicBase + 200, 1, false, false},
               {"main", program::kIramBase, 8, true, false},
               {"open", 65528, 0, false, false},
               {"table", program::kMramBase + 8, 64, false, false},
               {"words", 16, 16, false, false}};
  return c;
}

Diagnostic ofInput(const std::string &text) {
  const auto inputs = targets::upmem::parseDpuInputs({text}, code(), test::handDpu());
  return inputs ? Diagnostic{} : inputs.diagnostics().front();
}

Diagnostic ofOutput(const std::string &text) {
  const auto outputs = targets::upmem::parseDpuOutputs({text}, code(), test::handDpu());
  return outputs ? Diagnostic{} : outputs.diagnostics().front();
}

void expectSays(const Diagnostic &d, const std::string &code, const std::string &message, const std::string &hint) {
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

TEST(DpuDataErrors, AnInputNamesAPlaceAndData) {
  for (const char *text : {"", "words", "=u32:1", "words="})
    expectSays(ofInput(text), "dpu-data-option", "is not of the form PLACE=DATA", "PLACE=FILE");
  expectSays(ofInput("words+x=u8:1"), "dpu-data-option", "'x' is not a number of bytes", "SYMBOL+BYTES");
  expectSays(ofInput("words+-4=u8:1"), "dpu-data-option", "'-4'", "SYMBOL+BYTES");
}

TEST(DpuDataErrors, AnUnknownVariableHasTheNearestOneInItsHint) {
  expectSays(ofInput("word=u8:1"), "dpu-data-symbol", "no variable 'word'", "did you mean 'words'");
  expectSays(ofOutput("tabel:u8"), "dpu-data-symbol", "no variable 'tabel'", "table");
}

TEST(DpuDataErrors, CodeNumbersAndLocksAreNoPlaces) {
  expectSays(ofInput("main=u8:1"), "dpu-data-place", "'main' is code", "words");
  expectSays(ofInput("NR_TASKLETS=u8:1"), "dpu-data-place", "a number", "words");
  expectSays(ofOutput("lock:u8"), "dpu-data-place", "an atomic bit", "words");
}

TEST(DpuDataErrors, DataEndWhereTheVariableEnds) {
  EXPECT_TRUE(ofInput("words=u32:1,2,3,4").code.empty());
  expectSays(ofInput("words=u32:1,2,3,4,5"), "dpu-data-bounds", "20 bytes at 'words', where only 16 are available",
             "its own size");
  expectSays(ofInput("words+8=u64:1,2"), "dpu-data-bounds", "only 8 are available", "mram+BYTES");
  expectSays(ofInput("words+17=u8:1"), "dpu-data-bounds", "past the end", "SYMBOL+BYTES");
  expectSays(ofOutput("table:u64[9]"), "dpu-data-bounds", "72 bytes", "its own size");
}

TEST(DpuDataErrors, DataEndWhereTheMemoryEnds) {
  EXPECT_TRUE(ofInput("open=u64:1").code.empty());
  expectSays(ofInput("open=u64:1,2"), "dpu-data-bounds", "only 8 are available", "WRAM ends there");
  EXPECT_TRUE(ofInput("mram+0x3fffff8=u64:1").code.empty());
  expectSays(ofInput("mram+0x3fffff8=u64:1,2"), "dpu-data-bounds", "only 8 are available", "MRAM ends there");
  expectSays(ofInput("mram+0x4000001=u8:1"), "dpu-data-bounds", "past the end", "mram+BYTES");
  expectSays(ofInput("heap=u8:0*9999999999"), "dpu-data-bounds", "9999999999 bytes", "MRAM ends there");
  expectSays(ofOutput("heap:u64[4611686018427387904]"), "dpu-data-bounds", "are available", "MRAM ends there");
}

TEST(DpuDataErrors, AValueIsOneOfItsType) {
  for (const char *text :
       {"words=u8:256", "words=u8:-1", "words=i8:128", "words=u32:", "words=u32:1,,2", "words=i32:1.5", "words=f32:one",
        "words=u64:18446744073709551616", "words=u8:1*0", "words=u8:1*x"})
    expectSays(ofInput(text), "dpu-data-value", "is not a value of type", "V*N");
  for (const char *text :
       {"words=u8:255", "words=i8:-128", "words=u64:18446744073709551615", "words=f32:-1.5e3", "words=u8:0x10*16"})
    EXPECT_TRUE(ofInput(text).code.empty()) << text;
}

TEST(DpuDataErrors, AFileThatCannotBeReadIsNamed) {
  expectSays(ofInput("words=no_such_file.bin"), "unreadable-file", "", "PLACE=TYPE:V");
  expectSays(ofInput("words=i128:4"), "unreadable-file", "", "PLACE=TYPE:V");
  EXPECT_FALSE(ofInput("words=no_such_file.npy").code.empty());
}

TEST(DpuDataErrors, AnOutputSaysHowMuchAndOfWhatType) {
  expectSays(ofOutput("open=out.bin"), "dpu-data-size", "does not give a number of bytes", "PLACE:BYTES=FILE");
  expectSays(ofOutput("open:u32"), "dpu-data-size", "does not give a number of bytes", "PLACE:TYPE[N]");
  expectSays(ofOutput("words"), "dpu-data-size", "needs a type to print", "PLACE:TYPE[N]");
  for (const char *text : {"words:u33", "words:u8[", "words:u8[0]", "words:u8[x]", "words:0=f", "words:-8=f"})
    expectSays(ofOutput(text), "dpu-data-option", "neither a number of bytes nor a type", "u32");
  expectSays(ofOutput("words:bf16[2]=a.npy"), "dpu-data-option", "NumPy has no type bf16", "PLACE:BYTES=FILE");
  expectSays(ofOutput("=out.bin"), "dpu-data-option", "has no place", "PLACE:BYTES=FILE");
}

Outcome ran(VerbId verb, Options o) {
  Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 1);
  EXPECT_FALSE(out.diagnostics.empty());
  if (out.diagnostics.empty()) out.diagnostics.emplace_back();
  return out;
}

Options withInput(std::string input) {
  Options o;
  o.input = std::move(input);
  return o;
}

TEST(DpuProgramErrors, OptionsOfDpuProgramsAreRefusedForOthers) {
  for (const auto &set :
       std::vector<void (*)(Options &)>{[](Options &o) { o.ins = {"x=u8:1"}; }, [](Options &o) { o.launches = 2; },
                                        [](Options &o) { o.isProfile = true; }}) {
    Options o = withInput("gemv");
    set(o);
    expectSays(ran(VerbId::kSimulate, o).diagnostics.front(), "dpu-option", "gemv is not a DPU program", "--data");
    expectSays(ran(VerbId::kEstimate, o).diagnostics.front(), "dpu-option", "gemv is not a DPU program", "--data");
  }
}

TEST(DpuProgramErrors, TransfersAtOddAddressesWarnOrFail) {
  const std::string file = ::testing::TempDir() + "/odd.s";
  std::ofstream(file) << "  .text\n  .globl main\n  .type main,@function\nmain:\n  move r0, 4\n  ldma r0, r1, 0\n"
                         "  ldma r0, r1, 0\n  jump r23\n  .size main, . - main\n";
  for (const VerbId verb : {VerbId::kSimulate, VerbId::kEstimate}) {
    Options o = withInput(file);
    o.target = "upmem";
    o.isJson = true;
    const Outcome out = run(verb, o);
    EXPECT_EQ(out.status, 0);
    std::size_t places = 0;
    for (const int line : {6, 7})
      places += out.text.find("odd.s:" + std::to_string(line) + ": instruction ") != std::string::npos ? 1 : 0;
    EXPECT_EQ(places, 2U) << out.text;
    o.sets = {"dpu.strict_dma=on"};
    expectSays(ran(verb, o).diagnostics.front(), "dpu-dma-alignment", "transfer of 8 bytes between WRAM address 0x4",
               "multiples of 8 bytes");
  }
}

TEST(DpuProgramErrors, ATimelineShowsOneProgram) {
  Options o = withInput("y[i] += A[i,j] * x[j]; z[i] += B[i,j] * y[j]");
  o.target = "upmem";
  o.sizes = {"i=256,j=256"};
  o.trace = ::testing::TempDir() + "/no_trace.json";
  o.data = "one";
  expectSays(ran(VerbId::kSimulate, o).diagnostics.front(), "trace-graph", "this run has 2", "graph of several");
}

TEST(DpuProgramErrors, AFileForAnotherProcessorIsNoDpuProgram) {
  std::string elf(
      "\x7f"
      "ELF\1\1\1",
      7);
  elf.resize(52);
  elf[16] = 2;
  elf[18] = 3;  // x86
  Options o = withInput(::testing::TempDir() + "/x86.elf");
  std::ofstream(o.input, std::ios::binary) << elf;
  const Diagnostic d = ran(VerbId::kSimulate, o).diagnostics.front();
  EXPECT_EQ(d.code.substr(0, 8), "dpu-elf-") << d.str();
  EXPECT_EQ(d.where.file, o.input);
  EXPECT_FALSE(d.hint.empty());
}

std::string written(const std::string &name, const std::string &text) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(DpuProgramErrors, AMachineWithoutDpusCannotRunOne) {
  Options o = withInput(written("empty_main.s", ".text\n.globl main\nmain: jump r23\n"));
  o.target = "hbm-pim";
  expectSays(ran(VerbId::kSimulate, o).diagnostics.front(), "no-dpu", "machine 'hbm-pim' has no DPUs", "upmem");
}

}  // namespace
}  // namespace pimento::driver
