// What UPMEM's programs cannot run, and mappings they cannot follow: each with its code, by how much, and what to do.
#include <gtest/gtest.h>

#include "pimento/kernel/notation.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

Diagnostic refusal(const UpmemRun &run) {
  const auto estimated = run.estimate();
  EXPECT_FALSE(estimated.ok());
  if (estimated) return {};
  const Diagnostic &d = estimated.diagnostics().front();
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d;
}

Diagnostic refusal(const std::string &notation, const kernel::Sizes &sizes, DType type = DType::kI32) {
  const auto graph = kernel::parseNotation(notation, sizes, type);
  EXPECT_TRUE(graph.ok());
  UpmemRun run;
  const auto estimated = evaluate::evaluate(run.request(*graph));
  EXPECT_FALSE(estimated.ok());
  return estimated ? Diagnostic{} : estimated.diagnostics().front();
}

void expectSays(const Diagnostic &d, const std::string &code, const std::string &message,
                const std::string &hint = "") {
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_EQ(d.kind == DiagnosticKind::kUnsupported, code.starts_with("unsupported-")) << d.str();
  EXPECT_EQ(d.kind == DiagnosticKind::kCapacity, code == "capacity") << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

// ---- Kernels ----

TEST(UpmemErrors, FloatingPointHasNoMeasuredProgram) {
  expectSays(refusal({"va", {{"n", 64}}, DType::kF32}), "unsupported-type", "tensor 'x' holds f32", "--dtype i32");
  expectSays(refusal({"red", {{"n", 64}}, DType::kI8}), "unsupported-type", "i8");
}

TEST(UpmemErrors, OtherComputationsHaveNoProgram) {
  expectSays(refusal({"mul", {{"n", 64}}}), "unsupported-op", "element-wise", "va, red, sel");
  expectSays(refusal("m[0] max= x[n]", {{"n", 64}}), "unsupported-op", "reduction");
  expectSays(refusal("y[i] += A[i,j] * A[i,j]", {{"i", 8}, {"j", 8}}), "unsupported-pattern", "share exactly one dim");
  expectSays(refusal("z[i,j] = x[i,j] + y[i,j]", {{"i", 8}, {"j", 8}}), "unsupported-op", "element-wise");
  expectSays(refusal("C[i,j,k,l] = A[i,j,k,l]", {{"i", 2}, {"j", 2}, {"k", 2}, {"l", 2}}), "unsupported-pattern",
             "4 dims");
}

TEST(UpmemErrors, AHistogramHasAnEvenNumberOfBinsThatFitsATransfer) {
  expectSays(refusal({"hst", {{"n", 64}, {"bins", 255}}}), "unsupported-pattern", "255 bins", "2 to 512");
  expectSays(refusal({"hst", {{"n", 64}, {"bins", 514}}}), "unsupported-pattern", "514 bins");
}

TEST(UpmemErrors, APrefixSumOntoAGivenValueHasNoProgram) {
  kernel::Graph graph = UpmemRun{"scan", {{"n", 64}}}.graph();
  for (const kernel::Store &s : graph.kernels[0].stores)
    if (s.combine == kernel::Combine::kAdd)
      graph.tensors[static_cast<std::size_t>(s.target.tensor)].role = kernel::Role::kInOut;
  ASSERT_TRUE(kernel::verify(graph));
  const auto estimated = evaluate::evaluate(UpmemRun{}.request(graph));
  ASSERT_FALSE(estimated.ok());
  expectSays(estimated.diagnostics().front(), "unsupported-pattern", "start from a given value");
}

TEST(UpmemErrors, AMachineWithoutDpusIsNoTarget) {
  UpmemRun run{"va", {{"n", 64}}};
  run.machine.dpu.reset();
  expectSays(refusal(run), "unsupported-machine", "no ranks of DPUs");
}

// ---- Mappings ----

TEST(UpmemErrors, TaskletsAndDpusAreCounted) {
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;tasklets=25"}), "illegal-mapping", "25 tasklets",
             "1 to 24");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;dpus=17"}), "illegal-mapping", "17 DPUs",
             "at most 16");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;dpus=9"}), "illegal-mapping", "9 DPUs");
}

TEST(UpmemErrors, BuffersAreTransfers) {
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;buffer=3"}), "illegal-mapping", "12 bytes",
             "multiple of 2");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI16, "reference;buffer=1028"}), "illegal-mapping", "2056 bytes",
             "at most 1024");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "M1:{(1),(1),(2),(36)};buffer=8"}), "illegal-mapping",
             "4 are left", "range of 40");
  expectSays(refusal({"va", {{"n", 6}}, DType::kI32, "M1:{(1),(1),(2),(3)}"}), "illegal-mapping", "divides 3");
}

TEST(UpmemErrors, ProgramsFixWhatTheyFix) {
  expectSays(refusal({"gemv", {{"m", 8}, {"n", 8}}, DType::kI32, "M1:{(1,1),(1,1),(2,4),(4,2)};buffer=2"}),
             "illegal-mapping", "'n' is split at level tasklet");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "M1:{(1),(1),(2),(32)};cyclic(tasklet,8)"}), "illegal-mapping",
             "contiguous slice");
  expectSays(refusal({"red", {{"n", 64}}, DType::kI32, "M1:{(1),(1),(2),(32)};buffer=4"}), "illegal-mapping",
             "halves of one", "cyclic(tasklet,16)");
  expectSays(refusal({"red", {{"n", 5}}, DType::kI32, "M1:{(1),(1),(1),(5)};buffer=2"}), "illegal-mapping",
             "cannot be halved");
  expectSays(refusal({"gemv", {{"m", 8}, {"n", 8}}, DType::kI32, "M1:{(1,1),(1,1),(2,1),(4,8)};order(n,m)"}),
             "illegal-mapping", "order(...)");
  expectSays(refusal({"gemv", {{"m", 8}, {"n", 8}}, DType::kI32, "M1:{(1,1),(1,1),(2,1),(4,8)};merge=device"}),
             "illegal-mapping", "merge=device");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "M1:{(1),(1),(2),(16)},M2:{(1),(1),(2),(16)}"}),
             "illegal-mapping", "2 subspaces");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "M1:{(1),(1),(2),(32)};tasklets=2"}), "illegal-mapping",
             "tasklets= repeats what the factors");
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;order(n)"}), "illegal-mapping",
             "combined with reference");
  expectSays(refusal({"red", {{"n", 64}}, DType::kI32, "reference;merge=device"}), "illegal-mapping",
             "partial results to the host");
}

TEST(UpmemErrors, ATruncatedShareMayBeNothing) {
  expectSays(refusal({"va", {{"n", 64}}, DType::kI32, "reference;tail=truncate"}), "illegal-mapping", "nothing is left",
             "smaller buffer");
}

// ---- Capacity ----

TEST(UpmemErrors, WramThatIsTooSmallSaysByHowMuch) {
  const Diagnostic d = refusal({"va", {{"n", 64}}, DType::kI32, "reference;tasklets=24;buffer=512"});
  expectSays(d, "capacity", "bytes of WRAM (24 tasklets with 6144 each", "smaller buffers");
  EXPECT_NE(d.message.find("a DPU has 65536"), std::string::npos) << d.str();
  EXPECT_NE(d.message.find("too many"), std::string::npos) << d.str();
}

TEST(UpmemErrors, MramThatIsTooSmallSaysByHowMuch) {
  expectSays(refusal({"va", {{"n", 1 << 23}}}), "capacity", "bytes of MRAM in each of 1 DPUs", "dpus=N");
}

// ---- Data ----

TEST(UpmemErrors, AHistogramTakesTwelveBits) {
  UpmemRun run{"hst", {{"n", 64}}};
  run.data = uniformData(4096, 5000);
  const auto report = run.simulate();
  ASSERT_FALSE(report.ok());
  expectSays(report.diagnostics().front(), "unsupported-data", "values have 12 bits", "uniform:0,4095");
}

TEST(UpmemErrors, AnEstimateOnValuesWithoutABinSaysSoRatherThanWhereTheProgramFaults) {
  UpmemRun run{"hst", {{"n", 1 << 16}}};
  run.data = uniformData(-1000000, 1000000);
  const auto report = run.estimate();
  ASSERT_FALSE(report.ok());
  expectSays(report.diagnostics().front(), "unsupported-data", "values have 12 bits", "uniform:0,4095");
}

TEST(UpmemErrors, TimeThatDependsOnUnknownDataIsNotGuessed) {
  for (const std::string kernel : {"sel", "hst"}) {
    const auto report = UpmemRun{kernel, {{"n", 4096}}}.estimate(false);
    ASSERT_FALSE(report.ok()) << kernel;
    expectSays(report.diagnostics().front(), "data-decide-time", "depends on the values", "--data");
  }
  EXPECT_TRUE((UpmemRun{"va", {{"n", 4096}}}.estimate(false).ok()));
  EXPECT_TRUE((UpmemRun{"scan", {{"n", 4096}}}.estimate(false).ok()));
}

// ---- Programs ----

TEST(UpmemErrors, CommandsOfAChannelAreNoMachineCode) {
  machine::Machine m = handUpmem();
  m.dram.emplace();
  program::Program p{m.name, {}, {}};
  p.processes.push_back({"channel", 1, program::CommandLoops{}});
  const auto report = evaluateProgram(p, m, false);
  ASSERT_FALSE(report.ok());
  expectSays(report.diagnostics().front(), "unsupported-program", {"machine code of DPUs"}, ".s or ELF");
}

}  // namespace
}  // namespace pimento::test
