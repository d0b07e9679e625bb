// Queries and answers of the C interface, owned.
#pragma once

#include <gtest/gtest.h>
#include <pimento.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

namespace pimento::test {

class Query {
 public:
  Query(std::initializer_list<std::pair<const char *, const char *>> options) : query_(pimento_query_create()) {
    for (const auto &[key, value] : options)
      EXPECT_EQ(pimento_query_set(query_, key, value), PIMENTO_OK) << pimento_problem();
  }
  ~Query() { pimento_query_destroy(query_); }
  Query(const Query &) = delete;
  Query &operator=(const Query &) = delete;

  pimento_query *get() const { return query_; }

 private:
  pimento_query *query_;
};

class Answer {
 public:
  explicit Answer(const Query &query) { status = pimento_ask(query.get(), &answer_); }
  Answer(const Query &query, const char *verb) { status = pimento_run(query.get(), verb, &answer_); }
  ~Answer() { pimento_answer_destroy(answer_); }
  Answer(const Answer &) = delete;
  Answer &operator=(const Answer &) = delete;

  const pimento_answer *get() const { return answer_; }
  /// NaN where there is none.
  double number(std::size_t row, const std::string &path) const {
    double value = std::nan("");
    static_cast<void>(pimento_answer_number(answer_, row, path.c_str(), &value));
    return value;
  }
  std::string text(std::size_t row, const std::string &path) const {
    const char *found = pimento_answer_text(answer_, row, path.c_str());
    return found != nullptr ? found : "(none)";
  }

  int status = -1;

 private:
  pimento_answer *answer_ = nullptr;
};

}  // namespace pimento::test
