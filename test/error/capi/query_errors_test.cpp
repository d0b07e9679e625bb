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

TEST(CInterfaceErrors, NullsAreRefusedByTheFunctionsOfVersion2) {
  const Query query({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"map", "reference"}});
  pimento_answer *answer = nullptr;
  pimento_kernel *kernel = nullptr;
  EXPECT_FAILS(pimento_run(nullptr, "estimate", &answer), PIMENTO_WRONG_USAGE, "the query is NULL");
  EXPECT_FAILS(pimento_run(query.get(), nullptr, &answer), PIMENTO_WRONG_USAGE, "the verb is NULL");
  EXPECT_FAILS(pimento_run(query.get(), "estimate", nullptr), PIMENTO_WRONG_USAGE,
               "the pointer for the answer is NULL");
  EXPECT_FAILS(pimento_kernel_create(nullptr, &kernel), PIMENTO_WRONG_USAGE, "the query is NULL");
  EXPECT_FAILS(pimento_kernel_create(query.get(), nullptr), PIMENTO_WRONG_USAGE, "the pointer for the kernel is NULL");
  EXPECT_FAILS(pimento_kernel_run(nullptr, "estimate", nullptr, 0, &answer), PIMENTO_WRONG_USAGE, "the kernel is NULL");
  ASSERT_EQ(pimento_kernel_create(query.get(), &kernel), PIMENTO_OK) << pimento_problem();
  char byte = 0;
  void *arrays[] = {&byte, nullptr, &byte};
  EXPECT_FAILS(pimento_kernel_run(kernel, nullptr, arrays, 3, &answer), PIMENTO_WRONG_USAGE, "the mode is NULL");
  EXPECT_FAILS(pimento_kernel_run(kernel, "estimate", nullptr, 3, &answer), PIMENTO_WRONG_USAGE,
               "the list of arrays is");
  EXPECT_FAILS(pimento_kernel_run(kernel, "estimate", arrays, 3, nullptr), PIMENTO_WRONG_USAGE,
               "for the answer is NULL");
  EXPECT_FAILS(pimento_kernel_run(kernel, "estimate", arrays, 3, &answer), PIMENTO_WRONG_USAGE,
               "the array of 'x' is NULL");
  EXPECT_FAILS(pimento_kernel_run(kernel, "estimate", arrays, 2, &answer), PIMENTO_WRONG_USAGE, "[api-arrays]");
  EXPECT_FAILS(pimento_kernel_run(kernel, "guess", arrays, 3, &answer), PIMENTO_WRONG_USAGE,
               "use simulate or estimate");
  EXPECT_EQ(answer, nullptr);
  pimento_kernel_destroy(kernel);
  pimento_kernel_destroy(nullptr);
  EXPECT_EQ(pimento_kernel_json(nullptr), nullptr);
  EXPECT_EQ(pimento_answer_table(nullptr), nullptr);
}

TEST(CInterfaceErrors, VerbsAndTheirOptionsAreChecked) {
  Query query({{"kernel", "gemv"}, {"target", "hbm-pim"}});
  pimento_answer *answer = nullptr;
  EXPECT_FAILS(pimento_run(query.get(), "estimat", &answer), PIMENTO_WRONG_USAGE, "did you mean 'estimate'");
  EXPECT_FAILS(pimento_run(query.get(), "upmem-cc", &answer), PIMENTO_WRONG_USAGE, "[api-verb]");
  EXPECT_FAILS(pimento_run(query.get(), "profile", &answer), PIMENTO_WRONG_USAGE, "[api-verb]");
  EXPECT_FAILS(pimento_query_set(query.get(), "json", "true"), PIMENTO_WRONG_USAGE, "[api-key]");
  EXPECT_FAILS(pimento_query_set(query.get(), "no-check", "perhaps"), PIMENTO_WRONG_USAGE, "true or false");
  ASSERT_EQ(pimento_query_set(query.get(), "budget", "3"), PIMENTO_OK);
  EXPECT_FAILS(pimento_run(query.get(), "estimate", &answer), PIMENTO_WRONG_USAGE, "'estimate' has no option 'budget'");
  EXPECT_FAILS(pimento_ask(query.get(), &answer), PIMENTO_WRONG_USAGE, "'compare' has no option 'budget'");
  ASSERT_EQ(pimento_query_set(query.get(), "budget", nullptr), PIMENTO_OK);
  ASSERT_EQ(pimento_query_add(query.get(), "target", "attacc"), PIMENTO_OK);
  EXPECT_FAILS(pimento_run(query.get(), "estimate", &answer), PIMENTO_WRONG_USAGE, "takes one machine, 2 are given");
  const Query nothing({{"target", "hbm-pim"}});
  pimento_kernel *kernel = nullptr;
  EXPECT_FAILS(pimento_run(nothing.get(), "estimate", &answer), PIMENTO_WRONG_USAGE, "the query has no kernel");
  EXPECT_FAILS(pimento_kernel_create(nothing.get(), &kernel), PIMENTO_WRONG_USAGE, "the query has no kernel");
  EXPECT_EQ(kernel, nullptr);
}

TEST(CInterfaceErrors, AKernelThatCannotRunSaysWhy) {
  const Query query({{"kernel", "y[i] = exp(x[i])"}, {"size", "i=64"}, {"target", "hbm-pim"}, {"offload", "all"}});
  pimento_kernel *kernel = nullptr;
  EXPECT_FAILS(pimento_kernel_create(query.get(), &kernel), PIMENTO_NO_ANSWER, "exp");
  EXPECT_EQ(kernel, nullptr);
  // A device program has no tensors.
  const Query source({{"kernel", "gemv"}, {"size", "m=64,n=64"}, {"emit", "llvcnm"}, {"map", "reference"}});
  const Answer text(source, "compile");
  ASSERT_EQ(text.status, PIMENTO_OK) << pimento_problem();
  const std::string program = pimento_answer_table(text.get());
  const Query query2({{"target", "hbm-pim"}});
  ASSERT_EQ(pimento_query_text(query2.get(), "llvcnm", program.data(), program.size(), nullptr), PIMENTO_OK);
  EXPECT_FAILS(pimento_kernel_create(query2.get(), &kernel), PIMENTO_NO_ANSWER, "[bound-program]");
  EXPECT_EQ(kernel, nullptr);
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
