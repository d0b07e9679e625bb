// The interface in C++, used as its documentation shows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <dpu>
#include <fstream>
#include <sstream>

#include "test/support/capi_programs.h"

namespace {

using dpu::DpuError;
using dpu::DpuSet;
using pimento::test::kFault;
using pimento::test::kIncrement;
using pimento::test::kMram;

constexpr const char *kProfile = "tasklets=2";

/// A program as a file, as long as the test runs.
class File {
 public:
  explicit File(const char *text) : path_(testing::TempDir() + "cpp_test_" + std::to_string(::getpid()) + ".s") {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

TEST(CppSet, IsAllocatedLoadedRunAndRead) {
  const File program(kIncrement);
  auto system = DpuSet::allocate(3, kProfile);
  EXPECT_EQ(system.dpus().size(), 3U);
  EXPECT_EQ(system.ranks().size(), 1U);
  system.load(program.path());
  const std::vector<std::vector<std::uint32_t>> values = {{10}, {20}, {30}};
  system.copy("value", values);
  system.exec();
  std::vector<std::vector<std::uint32_t>> results(3, std::vector<std::uint32_t>(1));
  system.copy(results, "result");
  EXPECT_EQ(results, (std::vector<std::vector<std::uint32_t>>{{11}, {21}, {31}}));
  system.copy("value", std::vector<std::uint32_t>{7});
  system.exec();
  system.copy(results, "result");
  EXPECT_EQ(results, (std::vector<std::vector<std::uint32_t>>{{8}, {8}, {8}}));
}

TEST(CppSet, ItsDpusAndRanksAreSets) {
  const File program(kIncrement);
  auto system = DpuSet::allocate(66, kProfile);
  system.load(program.path());
  ASSERT_EQ(system.ranks().size(), 2U);
  EXPECT_EQ(system.ranks()[1]->dpus().size(), 2U);
  auto dpu = system.dpus()[65];
  dpu->copy("value", std::vector<std::uint32_t>{41});
  dpu->exec();
  std::vector<std::vector<std::uint32_t>> result(1, std::vector<std::uint32_t>(1));
  dpu->copy(result, "result");
  EXPECT_EQ(result[0][0], 42U);
  system.ranks()[1]->copy(result = {{0}, {0}}, "result");
  EXPECT_EQ(result[1][0], 42U);
}

TEST(CppCopy, TakesOffsetsSizesSymbolsAndElementsOfAnyPlainType) {
  const File program(kMram);
  auto system = DpuSet::allocate(2, kProfile);
  const dpu::DpuProgram loaded = system.load(program.path());
  const dpu::DpuSymbol table = loaded.symbol("table");
  EXPECT_EQ(table.size(), 64U);
  const std::vector<std::array<std::uint16_t, 4>> pairs = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  system.copy("table", pairs);
  system.copy("table", 16, pairs, 8);
  system.copy(table, 24, std::vector<std::vector<std::uint64_t>>{{100, 0}, {200, 0}}, 8u);
  std::vector<std::vector<std::uint64_t>> back(2, std::vector<std::uint64_t>(4));
  system.copy(back, "table");
  EXPECT_EQ(back[0], (std::vector<std::uint64_t>{0x0004000300020001, 0x0008000700060005, 0x0004000300020001, 100}));
  EXPECT_EQ(back[1][3], 200U);
  system.copy(back, 8, table, 24);
  EXPECT_EQ(back[0][0], 100U);
  system.copy(back, "table", 8);
  EXPECT_EQ(back[1][2], 200U);
  system.copy(back, 16, DPU_MRAM_HEAP_POINTER_NAME);
}

TEST(CppSet, LogsToAStream) {
  const File program(kMram);
  auto system = DpuSet::allocate(2, kProfile);
  system.load(program.path());
  system.exec();
  std::ostringstream text;
  system.log(text);
  EXPECT_EQ(text.str(), "=== DPU#0x0 ===\nhello\n=== DPU#0x1 ===\nhello\n");
}

TEST(CppAsync, RunsInOrderAndSyncWaits) {
  const File program(kIncrement);
  auto system = DpuSet::allocate(66, kProfile);
  system.load(program.path());
  std::vector<std::vector<std::uint32_t>> values(66, std::vector<std::uint32_t>(1, 5)), results = values;
  auto async = system.async();
  std::atomic<unsigned> calls{0}, dpus{0};
  async.copy("value", values);
  async.exec();
  async.copy(results, "result");
  async.call([&](DpuSet &rank, unsigned number) {
    calls += number + 1;
    dpus += static_cast<unsigned>(rank.dpus().size());
  });
  system.async().call([&](DpuSet &, unsigned) { ++calls; }, false, true);
  async.sync();
  EXPECT_EQ(results, std::vector<std::vector<std::uint32_t>>(66, {6}));
  EXPECT_EQ(calls, 1U + 2U + 1U);
  EXPECT_EQ(dpus, 66U);
}

TEST(CppAsync, AnErrorOfACallbackIsThatOfSync) {
  auto system = DpuSet::allocate(1, kProfile);
  system.async().call([](DpuSet &, unsigned) { throw DpuError(DPU_ERR_TIMEOUT, "late"); });
  try {
    system.async().sync();
    FAIL() << "nothing thrown";
  } catch (const DpuError &e) {
    EXPECT_EQ(e.code(), DPU_ERR_TIMEOUT);
  }
}

TEST(CppSet, MovesWithItsDpusAndFreesThemOnce) {
  const File program(kIncrement);
  std::vector<DpuSet> sets;
  sets.push_back(DpuSet::allocateRanks(1, "ranks=1,tasklets=2"));
  DpuSet *const dpu = sets[0].dpus()[63];
  DpuSet moved = std::move(sets[0]);
  EXPECT_EQ(moved.dpus()[63], dpu);
  moved.load(program.path());
  dpu->exec();
  EXPECT_THROW(DpuSet::allocate(1, "ranks=1"), DpuError) << "its rank is taken";
  moved = DpuSet::allocate(1, "ranks=2");
  EXPECT_NO_THROW(DpuSet::allocate(64, "ranks=2")) << "the first one was freed";
}

TEST(CppError, HasTheCodeAndTheReason) {
  const File program(kFault);
  auto system = DpuSet::allocate(2, kProfile);
  const auto failsWith = [](dpu_error_t code, const char *text, const auto &call) {
    try {
      call();
      ADD_FAILURE() << "nothing thrown for " << text;
    } catch (const DpuError &e) {
      EXPECT_EQ(e.code(), code);
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  };
  std::vector<std::vector<std::uint32_t>> two(2, std::vector<std::uint32_t>(1, 1));
  failsWith(DPU_ERR_ELF_NO_SUCH_FILE, "/no/such/file", [&] { system.load("/no/such/file"); });
  failsWith(DPU_ERR_NO_PROGRAM_LOADED, "DPU 0 has no program", [&] { system.exec(); });
  failsWith(DPU_ERR_ALLOCATION, "9999 DPUs requested", [] { DpuSet::allocate(9999); });
  failsWith(DPU_ERR_INVALID_PROFILE, "unknown key", [] { DpuSet::allocate(1, "nonsense=1"); });
  system.load(program.path());
  failsWith(DPU_ERR_UNKNOWN_SYMBOL, "did you mean 'value'?", [&] { system.copy("valeu", two); });
  failsWith(DPU_ERR_INVALID_MEMORY_TRANSFER, "too short for a transfer of 8", [&] { system.copy("value", two, 8u); });
  two[1].clear();
  failsWith(DPU_ERR_INVALID_MEMORY_TRANSFER, "0 bytes is too short", [&] { system.copy("value", two); });
  two.resize(1);
  failsWith(DPU_ERR_INVALID_MEMORY_TRANSFER, "1 vectors for a set of 2 DPUs", [&] { system.copy(two, "value"); });
  system.copy("value", std::vector<std::uint32_t>{1});
  failsWith(DPU_ERR_DPU_FAULT, "raised fault 7", [&] { system.exec(); });
}

}  // namespace
