// UPMEM's mappings, arguments and host plans: what a kernel's sizes become.
#include <gtest/gtest.h>

#include "pimento/kernel/zoo.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/dependence.h"
#include "pimento/targets/upmem/measured/lower.h"
#include "test/support/upmem_run.h"

namespace pimento::targets::upmem::measured {
namespace {

struct Made {
  kernel::Graph graph;
  machine::Machine machine;
  Lowered lowered;
  std::string mapping;
};

Made make(const test::UpmemRun &run) {
  static Cache cache;
  Made out{run.graph(), run.machine, {}, {}};
  const auto spec = mapping::parseMapSpec(run.map);
  const auto m = referenceMapping(out.graph, 0, out.machine, *spec, cache);
  EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
  auto lowered = lower(out.graph, 0, *m, out.machine, cache);
  EXPECT_TRUE(lowered.ok()) << lowered.diagnostics().front().str();
  out.lowered = std::move(*lowered);
  out.mapping = mapping::print(*m);
  return out;
}

TEST(UpmemLower, TheReferenceMappingIsOneDpuWithSixteenTasklets) {
  EXPECT_EQ(make({"va", {{"n", 1 << 20}}}).mapping, "M1:{(1),(1),(16),(65536)};buffer=128;program=reference");
  EXPECT_EQ(make({"scan", {{"n", 1 << 20}}}).mapping, "M1:{(1),(1),(16),(65536)};buffer=256;program=reference");
  EXPECT_EQ(make({"va", {{"n", 1 << 20}}, DType::kU16}).mapping,
            "M1:{(1),(1),(16),(65536)};buffer=256;program=reference");
}

TEST(UpmemLower, DpusAreSpreadOverAsFewRanksAsGiveEqualShares) {
  EXPECT_EQ(make({"va", {{"n", 4096}}, DType::kI32, "reference;dpus=4;tasklets=2;buffer=8"}).mapping,
            "M1:{(1),(4),(2),(512)};buffer=8;program=reference");
  EXPECT_EQ(make({"va", {{"n", 4096}}, DType::kI32, "reference;dpus=10;tasklets=2;buffer=8"}).mapping,
            "M1:{(2),(5),(2),(208)};buffer=8;program=reference");
}

TEST(UpmemLower, TheHalvesOfOneArrayAreTheProgramsTwo) {
  EXPECT_EQ(make({"red", {{"n", 1024}}, DType::kI32, "reference;tasklets=4;buffer=8"}).mapping,
            "M1:{(1),(1),(4),(256)};cyclic(tasklet,128);buffer=8;program=reference");
}

TEST(UpmemLower, TruncationLeavesWholeBuffers) {
  EXPECT_EQ(make({"va", {{"n", 1000}}, DType::kI32, "reference;tasklets=4;buffer=8;tail=truncate"}).mapping,
            "M1:{(1),(1),(4),(248)};buffer=8;program=reference;tail=truncate");
}

TEST(UpmemLower, OperandsOfAllDpusMoveAtOnceAndSharedOnesAreBroadcast) {
  const evaluate::HostWork va =
      make({"va", {{"n", 4096}}, DType::kI32, "reference;dpus=4;tasklets=2;buffer=8"}).lowered.host;
  EXPECT_EQ(va.placed, Bytes(2 * 4096 * 4 + 4 * 12));
  EXPECT_EQ(va.broadcast, Bytes(4 * 12));  // the arguments
  EXPECT_EQ(va.readBack, Bytes(4096 * 4));
  EXPECT_EQ(va.rearrangedIn, Bytes(0));
  EXPECT_EQ(va.dpus, 4);
  EXPECT_EQ(va.ranks, 1);
  EXPECT_EQ(va.launches, 1);
  const evaluate::HostWork gemm =
      make({"gemm", {{"m", 16}, {"n", 8}, {"k", 8}}, DType::kI32, "reference;dpus=4;tasklets=2;buffer=8"}).lowered.host;
  EXPECT_EQ(gemm.broadcast, Bytes(4 * (8 * 8 * 4 + 20)));
  EXPECT_EQ(gemm.rearrangedIn, Bytes(8 * 8 * 4));  // transposed once
}

TEST(UpmemLower, TheHostAddsPartialResults) {
  const std::string map = "reference;dpus=4;tasklets=2;buffer=8";
  EXPECT_EQ(make({"red", {{"n", 4096}}, DType::kI32, map}).lowered.host.merges, 8);
  EXPECT_EQ(make({"hst", {{"n", 4096}, {"bins", 64}}, DType::kI32, map}).lowered.host.merges, 8 * 64);
  EXPECT_EQ(make({"scan", {{"n", 4096}}, DType::kI32, map}).lowered.host.merges, 4096 - 1024);
  EXPECT_EQ(make({"va", {{"n", 4096}}, DType::kI32, map}).lowered.host.merges, 0);
}

TEST(UpmemLower, ArgumentsAreTheWordsThatProgramsRead) {
  const Made m = make({"gemm", {{"m", 16}, {"n", 12}, {"k", 20}}, DType::kI32, "reference;tasklets=2;buffer=8"});
  const auto &code = std::get<program::MachineCode>(m.lowered.program.processes[0].body);
  const program::Code::Segment &args = code.arguments[0];
  ASSERT_EQ(args.bytes.size(), 20U);
  const std::uint8_t words[] = {8, 2, 8, 24, 16};  // buffer, tasklets, rows per tasklet, K and N padded
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(args.bytes[4 * i], words[i]) << i;
  EXPECT_EQ(args.address, code.code->symbolNamed("args")->address);
}

TEST(UpmemLower, EveryMappingOfASearchIsLegalOrTooLarge) {
  const test::UpmemRun run{"red", {{"n", 3000}}};
  const kernel::Graph graph = run.graph();
  const auto space = mappingSpace(graph, 0, run.machine);
  EXPECT_GT(space.size(), 100U);
  Cache cache;
  for (const mapping::Mapping &m : space) {
    const auto lowered = lower(graph, 0, m, run.machine, cache);
    if (!lowered) {
      EXPECT_EQ(lowered.diagnostics().front().code, "capacity") << m.text;
    }
  }
}

TEST(UpmemLower, ASearchInPartOfTheSpaceSeesThatPart) {
  const test::UpmemRun run{"red", {{"n", 3000}}};
  const kernel::Graph graph = run.graph();
  const std::size_t all = mappingSpace(graph, 0, run.machine).size();
  const auto part = mapping::parseMapSpec("auto;dpus=4;tasklets=8");
  ASSERT_TRUE(part.ok());
  const auto space = mappingSpace(graph, 0, run.machine, *part);
  EXPECT_GT(space.size(), 1U);
  EXPECT_LT(space.size(), all / 10);
  for (const mapping::Mapping &m : space) {
    const auto &factors = m.subspaces[0].factors;
    EXPECT_EQ(factors[0][0] * factors[1][0], 4) << m.text;
    EXPECT_EQ(factors[2][0], 8) << m.text;
  }
}

TEST(PrefixSum, OnlyWhatCarriesOneIntegerSumIsOne) {
  const auto of = [](const char *name, DType type) {
    return mapping::isPrefixSum(kernel::makeZooKernel(name, {}, type)->kernels[0]);
  };
  EXPECT_TRUE(of("scan", DType::kI32));
  EXPECT_FALSE(of("scan", DType::kF32));  // rounding depends on the order
  EXPECT_FALSE(of("red", DType::kI32));
  EXPECT_FALSE(of("va", DType::kI32));
}

TEST(PrefixSum, WhatAPointReadsOfAnothersStoreIsCarriedToo) {
  const auto of = [](const std::string &loaded, const std::string &stored) {
    const auto read = mapping::parseCnm(
        "cnm k\noperand x i32[3] input\noperand y i32[6] inout\noperand s i32[4] inout\nkernel k {\n"
        "  induction i 3 sequential\n  @0 = read s[" +
        loaded +
        "]\n  @1 = read x[i]\n  %0 = load i32 @0\n"
        "  %1 = load i32 @1\n  %2 = add i32 %0 %1\n  store add y[0] %1\n  store assign s[" +
        stored + "] %2\n}\n");
    EXPECT_TRUE(read.ok());
    return mapping::isPrefixSum(read->graph.kernels[0]);
  };
  EXPECT_TRUE(of("i", "i"));  // a point's own
  EXPECT_FALSE(of("i", "i+1"));
  EXPECT_FALSE(of("2", "2"));
}

}  // namespace
}  // namespace pimento::targets::upmem::measured
