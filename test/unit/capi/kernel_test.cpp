// The C interface: kernels on arrays of the caller.
#include <gtest/gtest.h>
#include <pimento.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "test/support/capi_query.h"

namespace {

using nlohmann::json;
using pimento::test::Query;

class Kernel {
 public:
  explicit Kernel(const Query &query) { status = pimento_kernel_create(query.get(), &kernel_); }
  ~Kernel() { pimento_kernel_destroy(kernel_); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const pimento_kernel *get() const { return kernel_; }
  json description() const { return json::parse(pimento_kernel_json(kernel_)); }
  /// The JSON of a run.
  json run(const char *mode, std::vector<void *> arrays) const {
    pimento_answer *answer = nullptr;
    EXPECT_EQ(pimento_kernel_run(kernel_, mode, arrays.data(), arrays.size(), &answer), PIMENTO_OK)
        << pimento_problem();
    const json j = answer != nullptr ? json::parse(pimento_answer_json(answer)) : json();
    EXPECT_TRUE(answer == nullptr || *pimento_answer_table(answer) != 0);
    pimento_answer_destroy(answer);
    return j;
  }

  int status = -1;

 private:
  pimento_kernel *kernel_ = nullptr;
};

/// Without what is measured by the clock.
json stable(json j) {
  for (const char *key : {"wall_us", "compile_us", "cycles_simulated", "exact", "checked", "checked_against",
                          "warnings", "notes", "why_unchecked"})
    j.erase(key);
  return j;
}

TEST(CInterfaceKernels, AKernelRunsOnArraysInBothModesAndGivesTheSameBits) {
  const Query query({{"kernel", "y[i] += A[i,j] * x[j]"},
                     {"size", "i=20,j=64"},
                     {"dtype", "f16"},
                     {"target", "hbm-pim"},
                     {"map", "auto"},
                     {"offload", "all"}});
  const Kernel kernel(query);
  ASSERT_EQ(kernel.status, PIMENTO_OK) << pimento_problem();
  const json d = kernel.description();
  EXPECT_EQ(d["target"], "hbm-pim");
  ASSERT_EQ(d["tensors"].size(), 3U);
  EXPECT_EQ(d["tensors"][0]["name"], "A");
  EXPECT_EQ(d["tensors"][0]["shape"], (std::vector<int>{20, 64}));
  EXPECT_EQ(d["tensors"][2]["role"], "output");
  EXPECT_EQ(d["parts"][0]["where"], "pim");
  EXPECT_GT(d["device_bytes"], 0);
  EXPECT_GT(d["capacity_bytes"], d["device_bytes"]);
  // 1, 2 and 3 in binary16: sums of products that are exact.
  std::vector<std::uint16_t> a(20 * 64, 0x3c00), x(64, 0x4000), y(20, 0xffff), z(20, 0xffff);
  x[5] = 0x4200;
  const json simulated = kernel.run("simulate", {a.data(), x.data(), y.data()});
  const json estimated = kernel.run("estimate", {a.data(), x.data(), z.data()});
  EXPECT_EQ(y, std::vector<std::uint16_t>(20, 0x5808));  // 129
  EXPECT_EQ(y, z);
  EXPECT_EQ(simulated["checked"], true);
  EXPECT_EQ(stable(simulated), stable(estimated));
  // Again, on other data: what was compiled is there.
  a.assign(a.size(), 0);
  EXPECT_EQ(stable(kernel.run("simulate", {a.data(), x.data(), y.data()})), stable(simulated));
  EXPECT_EQ(y, std::vector<std::uint16_t>(20, 0));
}

TEST(CInterfaceKernels, InOutsAreReadAndWritten) {
  const Query query({{"target", "upmem"}, {"map", "host"}});
  const std::string text =
      "cnm add\noperand x i32[5] input\noperand y i32[5] inout\nkernel add {\n  induction i 5 parallel\n  @0 = read "
      "y[i]\n"
      "  @1 = read x[i]\n  %0 = load i32 @0\n  %1 = load i32 @1\n  %2 = add i32 %0 %1\n  store assign y[i] %2\n}\n";
  ASSERT_EQ(pimento_query_text(query.get(), "cnm", text.data(), text.size(), nullptr), PIMENTO_OK);
  const Kernel kernel(query);
  ASSERT_EQ(kernel.status, PIMENTO_OK) << pimento_problem();
  std::array<std::int32_t, 5> x{1, 2, 3, 4, 5}, y{10, 20, 30, 40, 50};
  kernel.run("simulate", {x.data(), y.data()});
  kernel.run("estimate", {x.data(), y.data()});
  EXPECT_EQ(y, (std::array<std::int32_t, 5>{12, 24, 36, 48, 60}));
  EXPECT_EQ(x, (std::array<std::int32_t, 5>{1, 2, 3, 4, 5}));
}

TEST(CInterfaceKernels, ConstantsAreNotPartOfARunsTime) {
  const auto time = [](const char *constant) {
    const Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"target", "hbm-pim"}, {"map", "reference"}});
    EXPECT_EQ(pimento_query_set(query.get(), "constant", constant), PIMENTO_OK);
    const Kernel kernel(query);
    std::vector<std::uint16_t> a(64 * 64), x(64), y(64);
    return kernel.run("estimate", {a.data(), x.data(), y.data()})["total_cycles"].get<int>();
  };
  EXPECT_LT(time("A"), time(nullptr));
}

TEST(CInterfaceKernels, TheBestMappingIsFoundOnceAndKept) {
  const auto store =
      std::filesystem::temp_directory_path() / ("pimento-kernel-test-" + std::to_string(getpid()) + ".db");
  const Query query({{"kernel", "gemv"}, {"size", "m=16,n=64"}, {"target", "hbm-pim"}, {"map", "kept"}});
  ASSERT_EQ(pimento_query_set(query.get(), "store", store.c_str()), PIMENTO_OK);
  EXPECT_EQ(Kernel(query).status, PIMENTO_NOT_FOUND);
  EXPECT_NE(std::string(pimento_problem()).find("[api-not-tuned]"), std::string::npos);
  ASSERT_EQ(pimento_query_set(query.get(), "map", "tune"), PIMENTO_OK);
  const Kernel tuned(query);
  ASSERT_EQ(tuned.status, PIMENTO_OK) << pimento_problem();
  ASSERT_EQ(pimento_query_set(query.get(), "map", "kept"), PIMENTO_OK);
  const Kernel kept(query);
  ASSERT_EQ(kept.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(kept.description(), tuned.description());
  EXPECT_TRUE(kept.description()["parts"][0]["mapping"].get<std::string>().starts_with("M1:"));
  for (const char *end : {"", "-wal", "-shm"}) std::filesystem::remove(store.string() + end);
}

TEST(CInterfaceKernels, SeveralThreadsTakeTurns) {
  const Query query({{"kernel", "y[i] = x[i] + x[i]"}, {"size", "i=100"}, {"dtype", "i32"}, {"map", "host"}});
  const Kernel kernel(query);
  ASSERT_EQ(kernel.status, PIMENTO_OK) << pimento_problem();
  std::vector<std::thread> threads;
  std::array<std::vector<std::int32_t>, 4> results;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<std::int32_t> x(100, t), &y = results[static_cast<std::size_t>(t)];
      y.resize(100);
      for (int n = 0; n < 20; ++n) kernel.run(n % 2 == 0 ? "simulate" : "estimate", {x.data(), y.data()});
    });
  for (std::thread &t : threads) t.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(results[static_cast<std::size_t>(t)], std::vector<std::int32_t>(100, 2 * t));
}

}  // namespace
