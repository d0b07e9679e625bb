// Every kernel of the zoo that HBM-PIM can run gives the reference interpreter's bits at many sizes; every other one
// says why not.
#include "pimento/kernel/zoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

constexpr int kSizes = 30;
/// The sizes the short form runs: 1, a tail, a prime, a whole tile, several tiles, the largest machine.
constexpr std::array<int, 6> kShort = {0, 5, 9, 14, 19, 27};

struct MachineShape {
  std::int64_t channels, ranks;
};
constexpr std::array<MachineShape, 8> kMachines = {
    {{1, 1}, {4, 2}, {16, 1}, {64, 2}, {1, 2}, {4, 1}, {16, 2}, {64, 1}}};

/// Element-wise sizes in units of a tile (2,048 elements per channel) plus some elements.
struct Length {
  std::int64_t tiles, more;
};
constexpr std::array<Length, kSizes> kLengths = {
    {{0, 1},   {0, 2},    {0, 15},  {0, 16},   {0, 17},   {0, 127}, {0, 128},  {0, 129}, {0, 255},  {0, 1009},
     {0, 256}, {0, 2039}, {0, 257}, {1, -1},   {1, 0},    {1, 1},   {2, 0},    {2, -17}, {3, 5},    {3, 0},
     {4, 0},   {4, 1},    {5, -31}, {0, 4093}, {0, 6553}, {7, 0},   {0, 7919}, {1, 13},  {9, 1013}, {12, 999}}};

/// Matrix sizes: outputs, inputs, batch. A tile is 64 outputs per channel x 128 inputs.
struct Matrix {
  std::int64_t outputs, inputs, batch;
};
constexpr std::array<Matrix, kSizes> kMatrices = {
    {{1, 1, 1},     {1, 128, 2},   {7, 1, 3},     {8, 16, 2},    {9, 17, 5},    {63, 127, 2},
     {64, 128, 3},  {65, 129, 2},  {13, 255, 4},  {127, 131, 3}, {64, 256, 2},  {1, 2048, 2},
     {257, 31, 2},  {512, 128, 2}, {512, 384, 3}, {100, 300, 7}, {33, 640, 2},  {521, 113, 2},
     {1031, 64, 2}, {600, 513, 2}, {5, 1024, 8},  {255, 257, 3}, {77, 999, 2},  {1024, 1024, 2},
     {300, 700, 4}, {3, 3001, 3},  {2053, 40, 2}, {4099, 97, 2}, {4160, 16, 3}, {8209, 3, 2}}};

struct Case {
  std::string kernel;
  std::string variant = "plain";
  bool isBatched = false;
};

kernel::Sizes sizesOf(const Case &c, int number, std::int64_t channels) {
  const auto i = static_cast<std::size_t>(number);
  const Matrix &m = kMatrices[i];
  if (c.kernel == "gemv") return {{"m", m.outputs}, {"n", m.inputs}, {"batch", c.isBatched ? m.batch : 1}};
  if (c.kernel == "gemvrelu") return {{"m", m.outputs}, {"n", m.inputs}};
  if (c.kernel == "gemm") return {{"m", m.outputs}, {"k", m.inputs}, {"n", 5 * m.batch - 4}};
  if (c.kernel == "mlp") return {{"n", m.inputs}, {"hidden", m.outputs}, {"m", 8 * m.batch + 1}};
  return {{"n", kLengths[i].tiles * 2048 * channels + kLengths[i].more}};
}

void runSizes(const Case &c) {
  std::set<std::int64_t> cycles;
  for (int i = 0; i < kSizes; ++i) {
    if (!isLongRun() && std::find(kShort.begin(), kShort.end(), i) == kShort.end()) continue;
    const MachineShape &shape = kMachines[static_cast<std::size_t>(i) % kMachines.size()];
    const machine::Machine machine = hbmPim(shape.channels, shape.ranks);
    const kernel::Sizes sizes = sizesOf(c, i, shape.channels);
    std::string what = c.kernel + " " + c.variant;
    for (const auto &[name, n] : sizes) what += " " + name + "=" + std::to_string(n);
    SCOPED_TRACE(what + " on " + std::to_string(shape.channels) + " channels of " + std::to_string(shape.ranks) +
                 " ranks");
    const auto graph =
        kernel::makeZooKernel(c.kernel, sizes, DType::kF16, c.kernel == "gemv" ? c.variant : std::string("plain"));
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    kernel::DataSpec spec;
    spec.seed = static_cast<std::uint64_t>(i) + 1;
    kernel::DataSet data = kernel::makeData(*graph, spec);
    RunOptions options;
    options.variant = c.variant;
    evaluate::Report report;
    const Diagnostics refused = runBoth(*graph, machine, options, data, &report);
    ASSERT_TRUE(refused.empty()) << refused.front().str();
    cycles.insert(report.cycles.value);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(cycles.size(), 3u) << "the sizes hardly differ";
}

TEST(HbmPimZoo, GemvMatchesTheReferenceInterpreter) {
  runSizes({"gemv"});
}
TEST(HbmPimZoo, GemvAsATreeMatchesTheReferenceInterpreter) {
  runSizes({"gemv", "tree"});
}
TEST(HbmPimZoo, BatchedGemvMatchesTheReferenceInterpreter) {
  runSizes({"gemv", "plain", true});
}
TEST(HbmPimZoo, BatchedGemvAsATreeMatchesTheReferenceInterpreter) {
  runSizes({"gemv", "tree", true});
}
TEST(HbmPimZoo, VaMatchesTheReferenceInterpreter) {
  runSizes({"va"});
}
TEST(HbmPimZoo, AddMatchesTheReferenceInterpreter) {
  runSizes({"add"});
}
TEST(HbmPimZoo, MulMatchesTheReferenceInterpreter) {
  runSizes({"mul"});
}
TEST(HbmPimZoo, ReluMatchesTheReferenceInterpreter) {
  runSizes({"relu"});
}
TEST(HbmPimZoo, AxpyMatchesTheReferenceInterpreter) {
  runSizes({"axpy"});
}
TEST(HbmPimZoo, GemvreluMatchesTheReferenceInterpreter) {
  runSizes({"gemvrelu"});
}
TEST(HbmPimZoo, GemmMatchesTheReferenceInterpreter) {
  runSizes({"gemm"});
}
TEST(HbmPimZoo, RedMatchesTheReferenceInterpreter) {
  runSizes({"red"});
}
TEST(HbmPimZoo, MlpMatchesTheReferenceInterpreter) {
  runSizes({"mlp"});
}

TEST(HbmPimZoo, TheSoundPresetComputesTheSame) {
  const machine::Machine machine = hbmPim(4, 2, "hbm-pim-sound");
  for (const auto &[name, sizes] :
       std::vector<std::pair<std::string, kernel::Sizes>>{{"gemv", {{"m", 300}, {"n", 1500}}},
                                                          {"axpy", {{"n", 30000}}},
                                                          {"mlp", {{"n", 99}, {"hidden", 65}, {"m", 9}}}}) {
    const auto graph = kernel::makeZooKernel(name, sizes, DType::kF16);
    ASSERT_TRUE(graph.ok());
    kernel::DataSet data = kernel::makeData(*graph, {});
    EXPECT_TRUE(runBoth(*graph, machine, {}, data).empty()) << name;
  }
}

/// Where a kernel that HBM-PIM cannot run is refused, and with which code.
struct Refusal {
  std::string kernel;
  DType type;
  std::string code;
};

TEST(HbmPimZoo, EveryOtherKernelSaysWhyItCannotRun) {
  const std::set<std::string> capable = {"gemv", "gemvrelu", "va",   "add", "mul", "relu",
                                         "axpy", "bgemv",    "gemm", "mlp", "red"};
  const std::vector<Refusal> refusals = {
      {"sel", DType::kF16, "unsupported-type"},  {"sel", DType::kI32, "unsupported-form"},
      {"hst", DType::kF16, "unsupported-type"},  {"hst", DType::kI32, "unsupported-form"},
      {"scan", DType::kF16, "unsupported-form"}, {"scan", DType::kI32, "unsupported-form"},
      {"attn", DType::kF16, "unsupported-op"},   {"attn", DType::kF32, "unsupported-type"},
  };
  const machine::Machine machine = hbmPim(4);
  for (const kernel::ZooEntry &entry : kernel::zoo()) {
    if (entry.isNetwork) continue;  // the host takes what the device cannot (test/validation/hbm_pim/networks_test.cpp)
    const bool isListed =
        std::any_of(refusals.begin(), refusals.end(), [&](const Refusal &r) { return r.kernel == entry.name; });
    EXPECT_NE(capable.contains(entry.name), isListed) << entry.name << ": say here whether HBM-PIM can run it";
  }
  std::vector<Refusal> all = refusals;
  for (const std::string &name : capable)
    for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) all.push_back({name, type, "unsupported-type"});
  for (const Refusal &refusal : all) {
    SCOPED_TRACE(refusal.kernel + " of " + std::string(name(refusal.type)));
    const kernel::ZooEntry *entry = kernel::zooEntry(refusal.kernel);
    ASSERT_NE(entry, nullptr);
    kernel::Sizes sizes = entry->defaults;
    for (auto &[size, n] : sizes) n = size == "batch" ? 1 : 32;
    const auto graph = kernel::makeZooKernel(refusal.kernel, sizes, refusal.type);
    Diagnostics found;
    if (graph) {
      kernel::DataSet data = kernel::makeData(*graph, {});
      found = runBoth(*graph, machine, {}, data);
    } else {
      found = graph.diagnostics();
    }
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().code, refusal.code) << found.front().str();
    // The zoo says that it is not defined for the type, or the target names a kernel of the graph.
    const std::string about = graph ? "kernel '" : "'" + refusal.kernel + "'";
    EXPECT_NE(found.front().message.find(about), std::string::npos) << found.front().str();
    EXPECT_FALSE(found.front().hint.empty());
  }
}

}  // namespace
}  // namespace pimento::test
