// The C interface for compilers: queries in, rows out.
#include <gtest/gtest.h>
#include <pimento.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "test/support/capi_query.h"

namespace {

using pimento::test::Answer;
using pimento::test::Query;

constexpr const char *kMatvec = R"(
func.func @f(%A: memref<256x512xf16>, %x: memref<512xf16>, %y: memref<256xf16>) {
  linalg.matvec ins(%A, %x : memref<256x512xf16>, memref<512xf16>) outs(%y : memref<256xf16>)
  return
}
)";

TEST(CInterface, AKernelOfTheZooHasTimeEnergyMappingAndAPlace) {
  const Query query(
      {{"kernel", "gemv"}, {"size", "m=4096,n=4096"}, {"target", "hbm-pim"}, {"map", "reference"}, {"constant", "A"}});
  const Answer answer(query);
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  ASSERT_EQ(pimento_answer_rows(answer.get()), 1U);
  EXPECT_TRUE(pimento_answer_ok(answer.get(), 0));
  EXPECT_EQ(answer.number(0, "cycles"), 13166);  // the vendor's simulator, and `pimento estimate`
  EXPECT_GT(answer.number(0, "time_ns"), 0);
  EXPECT_GT(answer.number(0, "energy_pj"), 0);
  EXPECT_EQ(answer.text(0, "target"), "hbm-pim");
  EXPECT_EQ(answer.text(0, "stages[0].where"), "pim");
  EXPECT_EQ(answer.text(0, "stages[0].mapping_why"), "the reference mapping");
  EXPECT_GT(answer.number(0, "stages[0].host_time_ns"), answer.number(0, "stages[0].offloaded_time_ns"));
  EXPECT_EQ(answer.number(0, "stages[0].offloaded_time_ns"), answer.number(0, "time_ns"));
}

TEST(CInterface, AnyMappingIsLookedForUnlessOneIsGiven) {
  const Query query({{"kernel", "y[i] += A[i,j] * x[j]"},
                     {"size", "i=256,j=512"},
                     {"target", "hbm-pim"},
                     {"dtype", "f16"},
                     {"offload", "all"}});
  const Answer chosen(query);
  ASSERT_EQ(chosen.status, PIMENTO_OK) << pimento_problem();
  EXPECT_NE(chosen.text(0, "stages[0].mapping_why").find("were estimated"), std::string::npos);
  ASSERT_EQ(pimento_query_set(query.get(), "map", chosen.text(0, "mapping").c_str()), PIMENTO_OK);
  const Answer given(query);
  ASSERT_EQ(given.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(given.text(0, "stages[0].mapping_why"), "given");
  EXPECT_EQ(given.number(0, "total_cycles"), chosen.number(0, "total_cycles"));
}

TEST(CInterface, AKernelThatTheHostDoesFasterStaysThereWithTheReason) {
  const Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"target", "hbm-pim"}});
  const Answer answer(query);
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(answer.text(0, "stages[0].where"), "host");
  EXPECT_NE(answer.text(0, "stages[0].why"), "");
  EXPECT_EQ(answer.number(0, "time_ns"), answer.number(0, "stages[0].host_time_ns"));
}

TEST(CInterface, TargetsAreRowsInTheirOrderAndTheFastestIsTheOneWithTheLeastTime) {
  Query query({{"kernel", "add"}, {"size", "n=1048576"}, {"offload", "all"}, {"map", "reference"}});
  for (const char *target : {"upmem", "hbm-pim", "nonsense"})
    ASSERT_EQ(pimento_query_add(query.get(), "target", target), PIMENTO_OK);
  const Answer answer(query);
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  ASSERT_EQ(pimento_answer_rows(answer.get()), 3U);
  EXPECT_EQ(answer.text(0, "target"), "upmem");
  std::size_t best = 9;
  ASSERT_EQ(pimento_answer_least(answer.get(), "time_ns", &best), PIMENTO_OK);
  ASSERT_LT(best, 3U);
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_TRUE(!pimento_answer_ok(answer.get(), row) ||
                answer.number(best, "time_ns") <= answer.number(row, "time_ns"));
  EXPECT_FALSE(pimento_answer_ok(answer.get(), 2));
  EXPECT_EQ(answer.text(2, "diagnostics[0].code"), "unknown-target");
  EXPECT_NE(answer.text(2, "diagnostics[0].hint"), "");
  EXPECT_EQ(answer.text(2, "diagnostics[0].message"), answer.text(2, "error"));
}

TEST(CInterface, WithoutTargetsEveryMachineIsAsked) {
  const Query query({{"kernel", "relu"}, {"size", "n=4096"}, {"map", "reference"}});
  const Answer answer(query);
  EXPECT_GE(pimento_answer_rows(answer.get()), 2U);
}

TEST(CInterface, NumbersOfTheMachineCanBeSet) {
  Query query(
      {{"kernel", "gemv"}, {"size", "m=1024,n=1024"}, {"target", "hbm-pim"}, {"map", "reference"}, {"offload", "all"}});
  const double before = Answer(query).number(0, "cycles");
  ASSERT_EQ(pimento_query_add(query.get(), "set", "timing.tRP=40"), PIMENTO_OK);
  EXPECT_GT(Answer(query).number(0, "cycles"), before);
  ASSERT_EQ(pimento_query_set(query.get(), "set", nullptr), PIMENTO_OK);
  EXPECT_EQ(Answer(query).number(0, "cycles"), before);
}

TEST(CInterface, MlirInMemoryIsAKernel) {
  const Query query({{"target", "hbm-pim"}, {"offload", "all"}});
  const std::string text = kMatvec;
  ASSERT_EQ(pimento_query_text(query.get(), "mlir", text.data(), text.size(), nullptr), PIMENTO_OK);
  const Answer answer(query);
  if (!pimento_has("mlir")) {
    EXPECT_EQ(answer.status, PIMENTO_NO_ANSWER);
    EXPECT_EQ(answer.text(0, "diagnostics[0].code"), "needs-llvm");
    return;
  }
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  EXPECT_GT(answer.number(0, "cycles"), 0);
}

TEST(CInterface, AMappingThatTheTextStatesIsTaken) {
  if (!pimento_has("mlir")) GTEST_SKIP() << "a build without LLVM";
  const Query query({{"target", "hbm-pim"}, {"offload", "all"}});
  std::string text = kMatvec;
  ASSERT_EQ(pimento_query_text(query.get(), "mlir", text.data(), text.size(), nullptr), PIMENTO_OK);
  const std::string chosen = Answer(query).text(0, "mapping");
  text.replace(text.find("linalg.matvec") + 13, 0, " {pimento.mapping = \"" + chosen + "\"}");
  ASSERT_EQ(pimento_query_text(query.get(), "mlir", text.data(), text.size(), nullptr), PIMENTO_OK);
  EXPECT_EQ(Answer(query).text(0, "stages[0].mapping_why"), "given");
  EXPECT_EQ(Answer(query).text(0, "mapping"), chosen);
  ASSERT_EQ(pimento_query_set(query.get(), "map", "reference"), PIMENTO_OK);
  EXPECT_EQ(Answer(query).text(0, "mapping"), "reference");
}

TEST(CInterface, AMistakeInATextHasItsPlace) {
  if (!pimento_has("mlir")) GTEST_SKIP() << "a build without LLVM";
  const Query query({{"target", "hbm-pim"}});
  const std::string text = "func.func @f() {\n  foo.bar\n  return\n}\n";
  ASSERT_EQ(pimento_query_text(query.get(), "mlir", text.data(), text.size(), "mine"), PIMENTO_OK);
  const Answer answer(query);
  EXPECT_EQ(answer.status, PIMENTO_NO_ANSWER);
  EXPECT_EQ(answer.text(0, "diagnostics[0].code"), "unsupported-op");
  EXPECT_EQ(answer.text(0, "diagnostics[0].file"), "mine.mlir");
  EXPECT_EQ(answer.number(0, "diagnostics[0].line"), 2);
}

TEST(CInterface, GroupsAndListsCanBeWalked) {
  const Answer answer(Query({{"kernel", "gemv"},
                             {"size", "m=1024,n=1024"},
                             {"target", "hbm-pim"},
                             {"map", "reference"},
                             {"offload", "all"}}));
  EXPECT_EQ(pimento_answer_count(answer.get(), 0, "stages"), 1U);
  const std::size_t terms = pimento_answer_count(answer.get(), 0, "energy_breakdown");
  ASSERT_GT(terms, 1U);
  double sum = 0;
  for (std::size_t i = 0; i < terms; ++i)
    sum += answer.number(
        0, std::string("energy_breakdown.") + pimento_answer_key(answer.get(), 0, "energy_breakdown", i) + ".pj");
  EXPECT_NEAR(sum, answer.number(0, "energy_pj"), 1e-6 * sum);
  EXPECT_EQ(pimento_answer_key(answer.get(), 0, "energy_breakdown", terms), nullptr);
}

TEST(CInterface, TheJsonHoldsWhatTheFunctionsGive) {
  const Answer answer(Query({{"kernel", "relu"}, {"size", "n=65536"}, {"target", "hbm-pim"}, {"map", "reference"}}));
  const nlohmann::json all = nlohmann::json::parse(pimento_answer_json(answer.get()));
  EXPECT_EQ(all["rows"][0]["time_ns"].get<double>(), answer.number(0, "time_ns"));
  EXPECT_EQ(all["rows"][0]["run"]["offload"], "best");
}

TEST(CInterface, OneQueryMayBeAskedByManyThreadsAtOnce) {
  const Query query({{"kernel", "gemv"},
                     {"size", "m=1024,n=1024"},
                     {"target", "hbm-pim"},
                     {"map", "reference"},
                     {"offload", "all"},
                     {"jobs", "1"}});
  const double cycles = Answer(query).number(0, "cycles");
  std::vector<double> found(4);
  {
    std::vector<std::jthread> threads;
    for (double &f : found) threads.emplace_back([&] { f = Answer(query).number(0, "cycles"); });
  }
  for (const double f : found) EXPECT_EQ(f, cycles);
}

TEST(CInterface, ThreadsMayReadMlirAtOnce) {
  if (!pimento_has("mlir")) GTEST_SKIP() << "a build without LLVM";
  const std::string text = kMatvec;
  std::vector<double> found(4);
  {
    std::vector<std::jthread> threads;
    for (double &f : found)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          const Query own({{"target", "hbm-pim"}, {"offload", "all"}, {"map", "reference"}, {"jobs", "1"}});
          EXPECT_EQ(pimento_query_text(own.get(), "mlir", text.data(), text.size(), nullptr), PIMENTO_OK);
          f = Answer(own).number(0, "cycles");
        }
      });
  }
  for (const double f : found) EXPECT_EQ(f, found[0]);
  EXPECT_GT(found[0], 0);
}

TEST(CInterface, TheEngineCanBeChosen) {
  const Query query(
      {{"kernel", "relu"}, {"size", "n=16777216"}, {"target", "hbm-pim"}, {"map", "reference"}, {"offload", "all"}});
  EXPECT_EQ(Answer(query).text(0, "exact"), "fast-forwarded");
  ASSERT_EQ(pimento_query_set(query.get(), "engine", "two-slice"), PIMENTO_OK);
  EXPECT_EQ(Answer(query).text(0, "exact"), "extrapolated");
}

TEST(CInterface, TheLibraryIsOfTheHeadersVersion) {
  EXPECT_EQ(pimento_api_version(), PIMENTO_API_VERSION);
  EXPECT_EQ(std::string(pimento_version()).find_first_not_of("0123456789."), std::string::npos);
  EXPECT_TRUE(pimento_has("cnm"));
  EXPECT_FALSE(pimento_has("cobol"));
  EXPECT_FALSE(pimento_has(nullptr));
}

}  // namespace
