// The functions of pimento.h.
#include <pimento.h>

#include <memory>
#include <string>

#include "answer.h"
#include "failure.h"
#include "pimento/base/diagnostics.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/verbs.h"
#include "query.h"

using namespace pimento;
using capi::guarded;
using capi::guardedOr;
using capi::wrongUsage;

struct pimento_query : capi::Query {};
struct pimento_answer : capi::Answer {
  using capi::Answer::Answer;
};

namespace {

int isNull(const char *what) {
  return wrongUsage("api-null", std::string(what) + " is NULL", "pimento.h names the arguments that may be NULL");
}

int statusOf(const Status &status) {
  return status ? PIMENTO_OK : capi::fail(PIMENTO_WRONG_USAGE, status.diagnostics().front());
}

int notFound(const char *path, const char *kind) {
  return capi::fail(PIMENTO_NOT_FOUND,
                    usageError("api-path", "", "the answer has no " + std::string(kind) + " '" + path + "'",
                               "pimento_answer_count and pimento_answer_key list what it has"));
}

}  // namespace

int pimento_api_version(void) {
  return PIMENTO_API_VERSION;
}

const char *pimento_version(void) {
  return PIMENTO_VERSION;
}

int pimento_has(const char *language) {
  return guardedOr(0, [&] { return language != nullptr && driver::reads(language) ? 1 : 0; });
}

const char *pimento_problem(void) {
  return capi::lastProblem();
}

pimento_query *pimento_query_create(void) {
  return guardedOr<pimento_query *>(nullptr, [] { return new pimento_query; });
}

void pimento_query_destroy(pimento_query *query) {
  delete query;
}

int pimento_query_set(pimento_query *query, const char *key, const char *value) {
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (key == nullptr) return isNull("the key");
    return statusOf(query->set(key, value));
  });
}

int pimento_query_add(pimento_query *query, const char *key, const char *value) {
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (key == nullptr) return isNull("the key");
    if (value == nullptr) return isNull("the value");
    return statusOf(query->add(key, value));
  });
}

int pimento_query_text(pimento_query *query, const char *language, const char *text, size_t size, const char *name) {
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (language == nullptr) return isNull("the language");
    if (text == nullptr) return isNull("the text");
    return statusOf(query->setText(language, std::string(text, size), name != nullptr ? name : ""));
  });
}

int pimento_ask(const pimento_query *query, pimento_answer **answer) {
  if (answer != nullptr) *answer = nullptr;
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (answer == nullptr) return isNull("the pointer for the answer");
    if (!query->hasKernel())
      return wrongUsage("api-value", "the query has no kernel", "set the option 'kernel', or call pimento_query_text");
    const driver::Outcome outcome = driver::run(driver::VerbId::kCompare, query->options());
    if (outcome.status != 0)
      return capi::fail(PIMENTO_NO_ANSWER, outcome.diagnostics.empty()
                                               ? error(DiagnosticKind::kOurs, "api-internal", {}, "no message", "")
                                               : outcome.diagnostics.front());
    auto made = std::make_unique<pimento_answer>(outcome.text);
    const bool isAny = made->isAnyOk();
    const std::string *why = made->text(0, "diagnostics[0].message");
    *answer = made.release();
    if (isAny) return static_cast<int>(PIMENTO_OK);
    return capi::fail(PIMENTO_NO_ANSWER,
                      unsupported("api-no-answer", {}, why != nullptr ? *why : "no machine was given",
                                  "each row of the answer has its diagnostics"));
  });
}

void pimento_answer_destroy(pimento_answer *answer) {
  delete answer;
}

size_t pimento_answer_rows(const pimento_answer *answer) {
  return answer != nullptr ? answer->rows() : 0;
}

int pimento_answer_ok(const pimento_answer *answer, size_t row) {
  return guardedOr(0, [&] { return answer != nullptr && answer->isOk(row) ? 1 : 0; });
}

int pimento_answer_least(const pimento_answer *answer, const char *path, size_t *row) {
  return guarded([&] {
    if (answer == nullptr) return isNull("the answer");
    if (path == nullptr) return isNull("the path");
    if (row == nullptr) return isNull("the pointer for the row");
    const auto found = answer->least(path);
    if (!found) return notFound(path, "number");
    *row = *found;
    return static_cast<int>(PIMENTO_OK);
  });
}

int pimento_answer_number(const pimento_answer *answer, size_t row, const char *path, double *value) {
  return guarded([&] {
    if (answer == nullptr) return isNull("the answer");
    if (path == nullptr) return isNull("the path");
    if (value == nullptr) return isNull("the pointer for the number");
    const auto found = answer->number(row, path);
    if (!found) return notFound(path, "number");
    *value = *found;
    return static_cast<int>(PIMENTO_OK);
  });
}

const char *pimento_answer_text(const pimento_answer *answer, size_t row, const char *path) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    const std::string *found = answer != nullptr && path != nullptr ? answer->text(row, path) : nullptr;
    return found != nullptr ? found->c_str() : nullptr;
  });
}

size_t pimento_answer_count(const pimento_answer *answer, size_t row, const char *path) {
  return guardedOr<size_t>(
      0, [&]() -> size_t { return answer != nullptr && path != nullptr ? answer->count(row, path) : 0; });
}

const char *pimento_answer_key(const pimento_answer *answer, size_t row, const char *path, size_t index) {
  return guardedOr<const char *>(nullptr, [&]() -> const char * {
    const std::string *found = answer != nullptr && path != nullptr ? answer->key(row, path, index) : nullptr;
    return found != nullptr ? found->c_str() : nullptr;
  });
}

const char *pimento_answer_json(const pimento_answer *answer) {
  return answer != nullptr ? answer->json().c_str() : nullptr;
}
