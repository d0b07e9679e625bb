// The border to C: what exceptions and broken invariants of ours become.
#include "capi/pimento/failure.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "pimento/base/thread_pool.h"

namespace pimento::capi {
namespace {

TEST(Failure, WhatAFunctionReturnsPasses) {
  EXPECT_EQ(guarded([] { return 7; }), 7);
  EXPECT_EQ(guardedOr(3, [] { return 7; }), 7);
}

TEST(Failure, ABrokenInvariantIsAStatusWithItsPlaceAndTheProcessGoesOn) {
  EXPECT_EQ(guarded([] {
              PIMENTO_CHECK(1 > 2);
              return 0;
            }),
            PIMENTO_INTERNAL);
  const std::string words = lastProblem();
  EXPECT_NE(words.find("internal error at failure_test.cpp:"), std::string::npos) << words;
  EXPECT_NE(words.find("1 > 2"), std::string::npos) << words;
  EXPECT_NE(words.find("[api-internal]"), std::string::npos) << words;
}

TEST(Failure, SoIsOneInAThreadOfOurs) {
  EXPECT_EQ(guarded([] {
              parallelFor(4, 100, [](std::int64_t i) { PIMENTO_CHECK(i != 50); });
              return 0;
            }),
            PIMENTO_INTERNAL);
}

TEST(Failure, MemoryThatRunsOutHasAStatusOfItsOwn) {
  EXPECT_EQ(guarded([]() -> int { throw std::bad_alloc(); }), PIMENTO_NO_MEMORY);
  EXPECT_STREQ(lastProblem(), "out of memory");
}

TEST(Failure, WhateverElseIsThrownIsAStatusToo) {
  EXPECT_EQ(guarded([]() -> int { throw std::runtime_error("words"); }), PIMENTO_INTERNAL);
  EXPECT_NE(std::string(lastProblem()).find("words"), std::string::npos);
  EXPECT_EQ(guarded([]() -> int { throw 5; }), PIMENTO_INTERNAL);
  EXPECT_STREQ(lastProblem(), "an exception without a message was thrown");
  EXPECT_EQ(guardedOr(3, []() -> int { throw 5; }), 3);
}

}  // namespace
}  // namespace pimento::capi
