// What stops a DPU program, and what its user is told.
#include <gtest/gtest.h>

#include "../../support/dpu_builder.h"

namespace pimento::test {
namespace {

using dpu::Op;

Diagnostic faultOf(DpuBuilder b, sim::dpu::RunOptions options = {}) {
  b.end();
  auto image = std::make_shared<sim::dpu::Image>(*b.image());
  image->code.files = {"k.s"};
  for (std::size_t i = 0; i < image->instructions.size(); ++i)
    image->code.lines.push_back({0, static_cast<std::int32_t>(i + 1)});
  image->code.symbols = {
      {"main", program::kIramBase, 8 * static_cast<std::uint32_t>(image->instructions.size()), true, false}};
  const auto run = sim::dpu::Dpu(image, handDpu()).simulate(options);
  return run.fault ? *run.fault : Diagnostic{};
}

void expectFault(const Diagnostic &d, const std::string &code, const std::string &part, int line) {
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_EQ(d.kind, DiagnosticKind::kFault);
  EXPECT_NE(d.message.find(part), std::string::npos) << d.str();
  EXPECT_NE(d.message.find("in 'main'"), std::string::npos) << d.str();
  EXPECT_EQ(d.where.file, "k.s");
  EXPECT_EQ(d.where.line, line) << d.str();
}

TEST(DpuFaults, AccessesOutsideWramNameAddressAndSize) {
  DpuBuilder b;
  b.move(0, 65534);
  b.load(Op::kLw, 1, 0, 0);
  expectFault(faultOf(b), "dpu-wram-bounds", "load of 4 bytes at WRAM address 0xfffe", 2);
  DpuBuilder c;
  c.store(Op::kSb, dpu::kZero, -1, 0);
  expectFault(faultOf(c), "dpu-wram-bounds", "store of 1 bytes at WRAM address 0xffffffff", 1);
  DpuBuilder d;
  d.move(0, 65536 - 8);
  d.transfer(Op::kLdma, 0, dpu::kZero, 16);
  expectFault(faultOf(d), "dpu-wram-bounds", "transfer of 16 bytes at WRAM address 0xfff8", 2);
}

TEST(DpuFaults, TransfersAreAligned) {
  DpuBuilder b;
  b.move(0, 4);
  b.transfer(Op::kLdma, 0, dpu::kZero, 16);
  expectFault(faultOf(b), "dpu-dma-alignment", "transfer of 16 bytes between WRAM address 0x4", 2);
  DpuBuilder c;
  c.move(0, 12);
  c.transfer(Op::kSdma, dpu::kZero, 0, 16);
  expectFault(faultOf(c), "dpu-dma-alignment", "MRAM address 0xc", 2);
}

TEST(DpuFaults, TransfersEndInMram) {
  DpuBuilder b;
  b.move(0, (64 << 20) - 8);
  b.transfer(Op::kLdma, dpu::kZero, 0, 16);
  expectFault(faultOf(b), "dpu-mram-bounds", "transfer of 16 bytes at MRAM address 0x3fffff8; MRAM ends at 0x4000000",
              2);
}

TEST(DpuFaults, JumpsStayInTheProgram) {
  DpuBuilder b;
  b.imm(Op::kCall, 23, dpu::kZero, 5000);
  expectFault(faultOf(b), "dpu-iram-bounds", "jump to instruction 5000, but the program has 2", 1);
}

TEST(DpuFaults, RunningPastTheEndIsSaid) {
  DpuBuilder b;
  b.stop(2);  // resumed by nobody; the next tasklet runs on
  DpuBuilder c;
  c.imm(Op::kCall, dpu::kZero, dpu::kZero, 2);
  const Diagnostic d = faultOf(c);
  EXPECT_EQ(d.code, "dpu-iram-bounds");
  EXPECT_NE(d.message.find("runs past the end of the program, which has 2 instructions"), std::string::npos) << d.str();
}

TEST(DpuFaults, AProgramMayRaiseOneItself) {
  DpuBuilder b;
  b.imm(Op::kFault, dpu::kZero, dpu::kZero, 77);
  expectFault(faultOf(b), "dpu-fault", "the program raised fault 77", 1);
}

TEST(DpuFaults, OperationsThatNobodyPublishedAreNamed) {
  DpuBuilder b;
  b.reg(Op::kHash, 0, 1, 2).isEstablished = false;
  expectFault(faultOf(b), "dpu-not-established", "is undocumented", 1);
}

TEST(DpuFaults, OnlyTaskletsThatExistAreBooted) {
  DpuBuilder b;
  b.imm(Op::kBoot, dpu::kZero, dpu::kZero, 24);
  expectFault(faultOf(b), "dpu-tasklet-bounds", "unknown tasklet 24; the last is 23", 1);
}

TEST(DpuFaults, AnEndlessProgramEndsAtTheLimit) {
  DpuBuilder b;
  b.imm(Op::kCall, dpu::kZero, dpu::kZero, 0);
  expectFault(faultOf(b, {.maxInstructions = 1000}), "dpu-instruction-limit", "1000 instructions issued", 1);
}

TEST(DpuFaults, WordsThatAreNoInstructionsAreNamedBeforeTheRun) {
  program::Code code;
  code.instructions = {0xffffffffffffULL};
  const auto image = sim::dpu::Image::make(code);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.diagnostics().front().code, "dpu-word-unknown");
}

}  // namespace
}  // namespace pimento::test
