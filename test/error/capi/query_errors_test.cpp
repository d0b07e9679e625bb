// The C interface for compilers, used wrongly: a status and words, never a crash.
#include <gtest/gtest.h>
#include <pimento.h>

#include <string>

#include "test/support/capi_query.h"

namespace {

using pimento::test::Answer;
using pimento::test::Query;

/// `call` fails with `code`, and says `text`.
#define EXPECT_FAILS(call, code, text)                                                            \
  do {                                                                                            \
    EXPECT_EQ((call), code);                                                                      \
    EXPECT_NE(std::string(pimento_problem()).find(text), std::string::npos) << pimento_problem(); \
  } while (0)

TEST(CInterfaceErrors, NullsAreRefused) {
  const Query query({{"kernel", "gemv"}});
  pimento_answer *answer = nullptr;
  double number = 7;
  std::size_t row = 0;
  EXPECT_FAILS(pimento_query_set(nullptr, "kernel", "gemv"), PIMENTO_WRONG_USAGE, "the query is NULL [api-null]");
  EXPECT_FAILS(pimento_query_set(query.get(), nullptr, "gemv"), PIMENTO_WRONG_USAGE, "the key is NULL");
  EXPECT_FAILS(pimento_query_add(nullptr, "set", "a=1"), PIMENTO_WRONG_USAGE, "the query is NULL");
  EXPECT_FAILS(pimento_query_add(query.get(), "set", nullptr), PIMENTO_WRONG_USAGE, "the value is NULL");
  EXPECT_FAILS(pimento_query_text(query.get(), "mlir", nullptr, 0, nullptr), PIMENTO_WRONG_USAGE, "the text is NULL");
  EXPECT_FAILS(pimento_query_text(query.get(), nullptr, "", 0, nullptr), PIMENTO_WRONG_USAGE, "the language is NULL");
  EXPECT_FAILS(pimento_ask(nullptr, &answer), PIMENTO_WRONG_USAGE, "the query is NULL");
  EXPECT_FAILS(pimento_ask(query.get(), nullptr), PIMENTO_WRONG_USAGE, "the pointer for the answer is NULL");
  EXPECT_FAILS(pimento_answer_number(nullptr, 0, "time_ns", &number), PIMENTO_WRONG_USAGE, "the answer is NULL");
  EXPECT_FAILS(pimento_answer_least(nullptr, "time_ns", &row), PIMENTO_WRONG_USAGE, "the answer is NULL");
  EXPECT_EQ(answer, nullptr);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(pimento_answer_rows(nullptr), 0U);
  EXPECT_EQ(pimento_answer_ok(nullptr, 0), 0);
  EXPECT_EQ(pimento_answer_count(nullptr, 0, ""), 0U);
  EXPECT_EQ(pimento_answer_text(nullptr, 0, "target"), nullptr);
  EXPECT_EQ(pimento_answer_key(nullptr, 0, "", 0), nullptr);
  EXPECT_EQ(pimento_answer_json(nullptr), nullptr);
  pimento_query_destroy(nullptr);
  pimento_answer_destroy(nullptr);
}

TEST(CInterfaceErrors, OptionsThatAreNoneNameTheNearest) {
  const Query query({});
  EXPECT_FAILS(pimento_query_set(query.get(), "kernle", "gemv"), PIMENTO_WRONG_USAGE, "did you mean 'kernel'");
  EXPECT_FAILS(pimento_query_set(query.get(), "kernle", "gemv"), PIMENTO_WRONG_USAGE, "[api-key]");
  EXPECT_FAILS(pimento_query_add(query.get(), "kernel", "gemv"), PIMENTO_WRONG_USAGE, "'kernel' is not a list");
  EXPECT_FAILS(pimento_query_set(query.get(), "jobs", "many"), PIMENTO_WRONG_USAGE, "[api-value]");
  EXPECT_FAILS(pimento_query_set(query.get(), "seed", "-1"), PIMENTO_WRONG_USAGE, "[api-value]");
  EXPECT_FAILS(pimento_query_text(query.get(), "cobol", "", 0, nullptr), PIMENTO_WRONG_USAGE, "choices: mlir, c");
}

TEST(CInterfaceErrors, AQueryWithoutKernelHasNoAnswer) {
  const Query query({{"target", "hbm-pim"}});
  const Answer answer(query);
  EXPECT_EQ(answer.status, PIMENTO_WRONG_USAGE);
  EXPECT_EQ(answer.get(), nullptr);
}

TEST(CInterfaceErrors, WrongInputIsAnAnswerOfReasons) {
  const struct {
    const char *key, *value, *code;
  } wrong[] = {{"kernel", "gemw", "unknown-input"},        {"size", "m", "bad-size"},
               {"dtype", "f17", "unknown-dtype"},          {"set", "timing.tRQ=1", "unknown-path"},
               {"map", "nonsense", "map-unknown-keyword"}, {"offload", "any", "unknown-offload"},
               {"engine", "none", "unknown-engine"},       {"constant", "B", "unknown-input-tensor"},
               {"target", "upmen", "unknown-target"}};
  for (const auto &w : wrong) {
    const Query query({{"kernel", "gemv"}, {"target", "hbm-pim"}});
    ASSERT_EQ(pimento_query_set(query.get(), w.key, w.value), PIMENTO_OK);
    const Answer answer(query);
    EXPECT_EQ(answer.status, PIMENTO_NO_ANSWER) << w.key;
    EXPECT_EQ(answer.text(0, "diagnostics[0].code"), w.code);
    EXPECT_NE(std::string(pimento_problem()).find(answer.text(0, "error")), std::string::npos) << pimento_problem();
    EXPECT_FALSE(pimento_answer_ok(answer.get(), 0));
  }
}

TEST(CInterfaceErrors, PathsThatLeadNowhere) {
  const Answer answer(Query({{"kernel", "relu"}, {"size", "n=4096"}, {"target", "hbm-pim"}, {"map", "reference"}}));
  double number = 7;
  std::size_t row = 9;
  for (const char *path : {"", "nothing", "stages", "stages[", "stages[]", "stages[9].cycles", "stages[0]",
                           "stages[-1]", "target", "cycles.x", "cycles[0]", "breakdown.", ".", "[0]", "stages[0].", "]",
                           "[", "..", "stages[99999999999999999999].cycles"})
    EXPECT_FAILS(pimento_answer_number(answer.get(), 0, path, &number), PIMENTO_NOT_FOUND, "[api-path]");
  EXPECT_EQ(number, 7);
  EXPECT_EQ(pimento_answer_number(answer.get(), 1, "cycles", &number), PIMENTO_NOT_FOUND);
  EXPECT_EQ(pimento_answer_least(answer.get(), "target", &row), PIMENTO_NOT_FOUND);
  EXPECT_EQ(pimento_answer_text(answer.get(), 0, "cycles"), nullptr);
  EXPECT_EQ(pimento_answer_count(answer.get(), 0, "cycles"), 0U);
  EXPECT_EQ(pimento_answer_ok(answer.get(), 1), 0);
}

}  // namespace
