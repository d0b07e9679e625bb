// What stops a DPU program, and what its user is told.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "../../support/dpu_builder.h"

namespace pimento::test {
namespace {

using dpu::Op;

/// The program with an end, lines and a function that holds all of it.
std::shared_ptr<const sim::dpu::Image> imageOf(DpuBuilder b) {
  b.end();
  auto image = std::make_shared<sim::dpu::Image>(*b.image());
  image->code.files = {"k.s"};
  for (std::size_t i = 0; i < image->instructions.size(); ++i)
    image->code.lines.push_back({0, static_cast<std::int32_t>(i + 1)});
  image->code.symbols = {
      {"main", program::kIramBase, 8 * static_cast<std::uint32_t>(image->instructions.size()), true, false}};
  return image;
}

Diagnostic faultOf(const DpuBuilder &b, const sim::dpu::RunOptions &options = {},
                   const machine::Dpu &machine = handDpu()) {
  const auto run = sim::dpu::Dpu(imageOf(b), machine).simulate(options);
  return run.fault ? *run.fault : Diagnostic{};
}

machine::Dpu strictDpu() {
  machine::Dpu m = handDpu();
  m.hasStrictDma = true;
  return m;
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

TEST(DpuFaults, TransfersAreAlignedWhereTheMachineIsStrict) {
  DpuBuilder b;
  b.move(0, 4);
  b.transfer(Op::kLdma, 0, dpu::kZero, 16);
  expectFault(faultOf(b, {}, strictDpu()), "dpu-dma-alignment", "transfer of 16 bytes between WRAM address 0x4", 2);
  DpuBuilder c;
  c.move(0, 12);
  c.transfer(Op::kSdma, dpu::kZero, 0, 16);
  expectFault(faultOf(c, {}, strictDpu()), "dpu-dma-alignment", "MRAM address 0xc", 2);
}

TEST(DpuWarnings, OnceAnInstructionWhoseAddressesAreNotAligned) {
  DpuBuilder b;
  b.move(0, 68);
  b.move(1, 109);
  b.move(2, 5);
  const int top = b.here();
  b.transfer(Op::kLdma, 0, 1, 16);
  b.imm(Op::kAdd, 1, 1, 8);
  b.loop(2, top);
  b.transfer(Op::kSdma, 0, 1, 8);
  const auto image = imageOf(b);
  const auto run = sim::dpu::Dpu(image, handDpu()).simulate();
  ASSERT_FALSE(run.fault) << run.fault->str();
  ASSERT_EQ(run.misaligned.size(), 2u);
  const Diagnostic d = sim::dpu::warningOf(run.misaligned[0], image->code, handDpu());
  EXPECT_EQ(d.str(),
            "k.s:4: warning: instruction 3 in 'main': transfer of 16 bytes between WRAM address 0x44 and MRAM address "
            "0x6d; DPUs round both down to multiples of 8 [dpu-dma-alignment]\n  hint: align both addresses; "
            "--set dpu.strict_dma=on makes it a fault");
  EXPECT_EQ(run.misaligned[1].pc, 6u);
  const auto estimate = sim::dpu::Dpu(image, handDpu()).estimate();
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->misaligned, run.misaligned);
  EXPECT_EQ(estimate->cycles, run.cycles);
}

TEST(DpuWarnings, ATransferBeginsAtTheMultipleOfEightBelow) {
  DpuBuilder b;
  b.move(0, 71);
  b.move(1, 13);
  b.transfer(Op::kLdma, 0, 1, 8);
  sim::dpu::Dpu dpu(imageOf(b), handDpu());
  const std::array<std::uint8_t, 8> eight = {1, 2, 3, 4, 5, 6, 7, 8};
  dpu.writeMram(8, std::as_bytes(std::span(eight)));
  EXPECT_FALSE(dpu.simulate().fault);
  std::array<std::uint8_t, 8> got{};
  dpu.readWram(64, std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, eight);
}

TEST(DpuFaults, ABarrierThatIsNeverPassedNamesEveryTasklet) {
  DpuBuilder b;
  b.boot(3);
  const int toEnd = b.here();
  b.jump(dpu::Condition::kZ, dpu::kId, 1, 0);  // one does not come
  b.barrier(3, 64, 9);
  b.imm(Op::kAdd, 0, 0, 1);
  b.code()[static_cast<std::size_t>(toEnd)].target = static_cast<std::uint16_t>(b.here());
  const Diagnostic d = faultOf(b);
  EXPECT_EQ(d.code, "dpu-deadlock");
  EXPECT_EQ(d.kind, DiagnosticKind::kFault);
  EXPECT_EQ(d.where.line, 10);
  EXPECT_EQ(d.message,
            "no tasklet can go on; tasklets 0, 2 at instruction 9 in 'main' (k.s:10): stopped until another tasklet "
            "resumes it; tasklet 1 has ended");
  EXPECT_FALSE(sim::dpu::Dpu(imageOf(b), handDpu()).estimate());
}

TEST(DpuFaults, TaskletsThatWaitForEachOthersLocksAreNamed) {
  DpuBuilder b;
  b.boot(2);
  const int toOther = b.here();
  b.jump(dpu::Condition::kZ, dpu::kId, 1, 0);
  b.lock(5);
  for (int i = 0; i < 9; ++i) b.imm(Op::kAdd, 0, 0, 1);
  b.lock(6);
  b.end();
  b.code()[static_cast<std::size_t>(toOther)].target = static_cast<std::uint16_t>(b.here());
  b.lock(6);
  for (int i = 0; i < 9; ++i) b.imm(Op::kAdd, 0, 0, 1);
  b.lock(5);
  const Diagnostic d = faultOf(b);
  EXPECT_EQ(d.code, "dpu-deadlock");
  EXPECT_NE(d.message.find("tasklet 0 at instruction 13 in 'main' (k.s:14): waits for atomic bit 6"), std::string::npos)
      << d.str();
  EXPECT_NE(d.message.find("tasklet 1 at instruction 25 in 'main' (k.s:26): waits for atomic bit 5"), std::string::npos)
      << d.str();
}

TEST(DpuFaults, ALockThatItsOwnerTakesAgainIsSaid) {
  DpuBuilder b;
  b.lock(5);
  b.lock(5);
  expectFault(faultOf(b), "dpu-deadlock", "tasklet 0 at instruction 1 in 'main' (k.s:2): waits for atomic bit 5", 2);
}

TEST(DpuFaults, ResumingATaskletThatNeverStopsIsSaid) {
  DpuBuilder b;
  dpu::Instruction &i = b.imm(Op::kResume, dpu::kZero, dpu::kZero, 7);
  DpuBuilder::branch(i, dpu::Condition::kNz, 0);
  expectFault(faultOf(b), "dpu-deadlock", "waits to resume tasklet 7", 1);
}

TEST(DpuFaults, AStopWithNothingBehindItIsAnEnd) {
  DpuBuilder b;
  b.stop(2);  // then a jump back
  b.imm(Op::kCall, dpu::kZero, dpu::kZero, 0);
  b.imm(Op::kCall, dpu::kZero, dpu::kZero, 0);
  EXPECT_EQ(faultOf(b).code, "");
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
  b.stop(2);
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
