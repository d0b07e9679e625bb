// The C interface: any verb, copies of queries, and what can be stopped.
#include <gtest/gtest.h>
#include <pimento.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "test/support/capi_query.h"

namespace {

using nlohmann::json;
using pimento::test::Answer;
using pimento::test::Query;

TEST(CInterfaceVerbs, AVerbAnswersAsTheToolDoes) {
  const Query query({{"kernel", "gemv"}, {"size", "m=4096,n=4096"}, {"map", "reference"}, {"constant", "A"}});
  const Answer answer(query, "estimate");
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  const json j = json::parse(pimento_answer_json(answer.get()));
  EXPECT_EQ(j["cycles"], 13166);
  EXPECT_EQ(j["run"]["offload"], "");  // the verb's default, not pimento_ask's
  EXPECT_EQ(pimento_answer_rows(answer.get()), 1U);
  EXPECT_TRUE(pimento_answer_ok(answer.get(), 0));
  EXPECT_EQ(answer.number(0, "breakdown.compute"), 13166);
  const std::string table = pimento_answer_table(answer.get());
  EXPECT_NE(table.find("13,166 on the device"), std::string::npos) << table;
}

TEST(CInterfaceVerbs, OptionsHaveTheNamesOfTheCommandLine) {
  const Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"emit", "cnm"}, {"map", "reference"}});
  const Answer answer(query, "compile");
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  const std::string text = json::parse(pimento_answer_json(answer.get()));
  EXPECT_EQ(text, pimento_answer_table(answer.get()));
  EXPECT_TRUE(text.starts_with("cnm gemv\n")) << text;
}

TEST(CInterfaceVerbs, AComparisonByVerbHasItsRows) {
  Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"map", "reference"}});
  for (const char *target : {"hbm-pim", "attacc"})
    ASSERT_EQ(pimento_query_add(query.get(), "target", target), PIMENTO_OK);
  const Answer answer(query, "compare");
  ASSERT_EQ(answer.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(pimento_answer_rows(answer.get()), 2U);
  EXPECT_EQ(answer.text(1, "target"), "attacc");
}

TEST(CInterfaceVerbs, SharesOfASweepAreMerged) {
  const std::string start = testing::TempDir() + "capi_shares_" + std::to_string(::getpid());
  const std::string all = start + "_all.db", first = start + "_1.db", second = start + "_2.db";
  for (const auto &[share, store] : {std::pair("1/2", first), std::pair("2/2", second)}) {
    const Query query({{"kernel", "gemv"},
                       {"size", "m=64,n=64"},
                       {"map", "reference"},
                       {"sweep", "tRP=14,16,18"},
                       {"share", share},
                       {"store", store.c_str()}});
    ASSERT_EQ(Answer(query, "explore").status, PIMENTO_OK) << pimento_problem();
  }
  Query merge({{"kernel", "merge"}});
  for (const std::string &file : {all, first, second})
    ASSERT_EQ(pimento_query_add(merge.get(), "files", file.c_str()), PIMENTO_OK);
  const Answer merged(merge, "store");
  ASSERT_EQ(merged.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(merged.number(0, "new"), 3);

  const Query show({{"kernel", "show"}, {"files", all.c_str()}});
  EXPECT_EQ(Answer(show, "store").status, PIMENTO_OK) << pimento_problem();
  ASSERT_EQ(pimento_query_set(merge.get(), "kernel", "show"), PIMENTO_OK);
  EXPECT_EQ(Answer(merge, "store").status, PIMENTO_NO_ANSWER);
  EXPECT_NE(std::string(pimento_problem()).find("[store-action]"), std::string::npos) << pimento_problem();
  for (const std::string &file : {all, first, second}) std::filesystem::remove(file);
}

TEST(CInterfaceVerbs, ACopyIsAQueryOfItsOwn) {
  const Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"map", "reference"}});
  pimento_query *copy = pimento_query_copy(query.get());
  ASSERT_NE(copy, nullptr);
  ASSERT_EQ(pimento_query_set(copy, "size", "m=128,n=64"), PIMENTO_OK);
  pimento_answer *of = nullptr;
  ASSERT_EQ(pimento_run(copy, "estimate", &of), PIMENTO_OK) << pimento_problem();
  double m = 0;
  EXPECT_EQ(pimento_answer_number(of, 0, "sizes.m", &m), PIMENTO_OK);
  EXPECT_EQ(m, 128);
  pimento_answer_destroy(of);
  pimento_query_destroy(copy);
  EXPECT_EQ(Answer(query, "estimate").number(0, "sizes.m"), 64);
  EXPECT_EQ(pimento_query_copy(nullptr), nullptr);
}

TEST(CInterfaceVerbs, ASearchThatIsStoppedAnswersWithWhatItFoundAndTheNextOneRuns) {
  const Query query(
      {{"kernel", "gemv"}, {"size", "m=512,n=512"}, {"store", "none"}, {"no-check", "true"}, {"jobs", "1"}});
  pimento_query_stop(query.get());  // nothing runs: what runs next
  const Answer stopped(query, "tune");
  // Before anything was evaluated there is nothing to answer with.
  EXPECT_TRUE(stopped.status == PIMENTO_NO_ANSWER || stopped.text(0, "stop") == "interrupted")
      << stopped.text(0, "stop") << pimento_problem();
  const Answer whole(query, "tune");
  ASSERT_EQ(whole.status, PIMENTO_OK) << pimento_problem();
  EXPECT_EQ(whole.text(0, "stop"), "optimal");
  pimento_query_stop(nullptr);
}

TEST(CInterfaceVerbs, AllThatIsWrongIsJsonWithItsPlace) {
  Query query({{"target", "hbm-pim"}});
  const std::string text = "cnm a\noperand x f16[4] input\noperand x f16[4] output\nkernel k {\n  nonsense\n}\n";
  ASSERT_EQ(pimento_query_text(query.get(), "cnm", text.data(), text.size(), "wrong.cnm"), PIMENTO_OK);
  const Answer answer(query, "estimate");
  EXPECT_EQ(answer.status, PIMENTO_NO_ANSWER);
  const json problems = json::parse(pimento_problem_json());
  ASSERT_GE(problems.size(), 2U) << problems;
  EXPECT_EQ(problems[0]["code"], "cnm-duplicate");
  EXPECT_EQ(problems[0]["file"], "wrong.cnm");
  EXPECT_EQ(problems[0]["line"], 3);
  EXPECT_NE(problems[1]["hint"], "");
  EXPECT_EQ(problems[0]["text"], pimento_problem());
}

}  // namespace
