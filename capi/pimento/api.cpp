// The functions of pimento.h.
#include <pimento.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "answer.h"
#include "failure.h"
#include "pimento/base/diagnostics.h"
#include "pimento/base/suggest.h"
#include "pimento/driver/bound_kernel.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/verbs.h"
#include "pimento/driver/verbs/evaluated.h"
#include "pimento/emit/json.h"
#include "query.h"

using namespace pimento;
using capi::guarded;
using capi::guardedOr;
using capi::wrongUsage;

struct pimento_query : capi::Query {};
struct pimento_answer : capi::Answer {
  using capi::Answer::Answer;
};
struct pimento_kernel {
  std::unique_ptr<driver::BoundKernel> bound;
  std::string json;
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

using Json = nlohmann::ordered_json;

std::string describe(const driver::BoundKernel &kernel) {
  static constexpr const char *kRoles[] = {"input", "output", "inout", "temporary"};
  Json j = {{"target", kernel.target()},
            {"map", kernel.map()},
            {"tensors", Json::array()},
            {"parts", Json::array()},
            {"device_bytes", kernel.footprint().value},
            {"capacity_bytes", kernel.capacity().value}};
  for (const kernel::Tensor &t : kernel.tensors())
    j["tensors"].push_back({{"name", t.name},
                            {"type", name(t.type)},
                            {"shape", t.shape},
                            {"role", kRoles[static_cast<int>(t.role)]},
                            {"constant", t.isConstant}});
  for (const driver::BoundKernel::Part &p : kernel.parts())
    j["parts"].push_back(
        {{"kernel", p.kernel}, {"where", p.isOnHost ? "host" : "pim"}, {"mapping", p.mapping}, {"why", p.why}});
  return j.dump() + "\n";
}

/// Clears the wish to stop once what it was about is over.
class Stoppable {
 public:
  explicit Stoppable(const capi::Query &query) : query_(query) {}
  ~Stoppable() { query_.goOn(); }
  Stoppable(const Stoppable &) = delete;
  Stoppable &operator=(const Stoppable &) = delete;

 private:
  const capi::Query &query_;
};

Diagnostics located(Diagnostics found, const driver::Options &options) {
  driver::locate(found, options);
  return found;
}

/// A text that is no JSON as JSON.
bool isJsonVerb(driver::VerbId verb) {
  return verb != driver::VerbId::kCompile && verb != driver::VerbId::kReport;
}

int ask(const pimento_query &query, driver::VerbId verb, pimento_answer **answer) {
  const Result<driver::Options> options = query.options(verb);
  if (!options) return capi::fail(PIMENTO_WRONG_USAGE, options.diagnostics());
  std::string table;
  driver::Outcome outcome = driver::run(verb, *options, &table);
  if (outcome.status == 3) return capi::fail(PIMENTO_INTERNAL, outcome.diagnostics);
  if (outcome.status == 0 || !outcome.text.empty())
    *answer = new pimento_answer(isJsonVerb(verb) ? std::move(outcome.text) : Json(outcome.text).dump() + "\n",
                                 std::move(table));
  if (outcome.status == 0) return PIMENTO_OK;
  return capi::fail(PIMENTO_NO_ANSWER, located(std::move(outcome.diagnostics), *options));
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

const char *pimento_problem_json(void) {
  thread_local std::string json;
  return guardedOr<const char *>("[]\n", [] {
    json = emit::toJson(capi::lastDiagnostics());
    return json.c_str();
  });
}

pimento_query *pimento_query_create(void) {
  return guardedOr<pimento_query *>(nullptr, [] { return new pimento_query; });
}

pimento_query *pimento_query_copy(const pimento_query *query) {
  return guardedOr<pimento_query *>(
      nullptr, [&]() -> pimento_query * { return query != nullptr ? new pimento_query(*query) : nullptr; });
}

void pimento_query_stop(const pimento_query *query) {
  if (query != nullptr) query->stop();
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
    const Result<driver::Options> options = query->options();
    if (!options) return capi::fail(PIMENTO_WRONG_USAGE, options.diagnostics());
    const Stoppable stoppable(*query);
    std::string table;
    const driver::Outcome outcome = driver::run(driver::VerbId::kCompare, *options, &table);
    if (outcome.status != 0)
      return capi::fail(PIMENTO_NO_ANSWER, outcome.diagnostics.empty()
                                               ? error(DiagnosticKind::kOurs, "api-internal", {}, "no message", "")
                                               : outcome.diagnostics.front());
    auto made = std::make_unique<pimento_answer>(outcome.text, std::move(table));
    const bool isAny = made->isAnyOk();
    const std::string *why = made->text(0, "diagnostics[0].message");
    *answer = made.release();
    if (isAny) return static_cast<int>(PIMENTO_OK);
    return capi::fail(PIMENTO_NO_ANSWER,
                      unsupported("api-no-answer", {}, why != nullptr ? *why : "no machine was given",
                                  "each row of the answer has its diagnostics"));
  });
}

int pimento_run(const pimento_query *query, const char *verb, pimento_answer **answer) {
  if (answer != nullptr) *answer = nullptr;
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (verb == nullptr) return isNull("the verb");
    if (answer == nullptr) return isNull("the pointer for the answer");
    const driver::Verb *found = driver::verbNamed(verb);
    if (found == nullptr || !capi::Query::asks(found->id))
      return wrongUsage("api-verb", "'" + std::string(verb) + "' is not a verb of this interface",
                        suggest(verb, capi::Query::verbNames()));
    if (found->isInputRequired && !query->hasKernel())
      return wrongUsage("api-value", "the query has no kernel", "set the option 'kernel', or call pimento_query_text");
    const Stoppable stoppable(*query);
    return ask(*query, found->id, answer);
  });
}

void pimento_answer_destroy(pimento_answer *answer) {
  delete answer;
}

size_t pimento_answer_rows(const pimento_answer *answer) {
  return guardedOr<size_t>(0, [&]() -> size_t { return answer != nullptr ? answer->rows() : 0; });
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
  return guardedOr<const char *>(
      nullptr, [&]() -> const char * { return answer != nullptr ? answer->json().c_str() : nullptr; });
}

const char *pimento_answer_table(const pimento_answer *answer) {
  return guardedOr<const char *>(
      nullptr, [&]() -> const char * { return answer != nullptr ? answer->table().c_str() : nullptr; });
}

int pimento_kernel_create(const pimento_query *query, pimento_kernel **kernel) {
  if (kernel != nullptr) *kernel = nullptr;
  return guarded([&] {
    if (query == nullptr) return isNull("the query");
    if (kernel == nullptr) return isNull("the pointer for the kernel");
    if (!query->hasKernel())
      return wrongUsage("api-value", "the query has no kernel", "set the option 'kernel', or call pimento_query_text");
    const Result<driver::Options> options =
        query->options(query->asksToTune() ? driver::VerbId::kTune : driver::VerbId::kSimulate);
    if (!options) return capi::fail(PIMENTO_WRONG_USAGE, options.diagnostics());
    const Stoppable stoppable(*query);
    Result<std::unique_ptr<driver::BoundKernel>> bound = driver::BoundKernel::make(*options);
    if (!bound) return capi::fail(PIMENTO_NO_ANSWER, located(std::move(bound.diagnostics()), *options));
    if (*bound == nullptr)
      return capi::fail(
          PIMENTO_NOT_FOUND,
          usageError("api-not-tuned", "", "the kernel has not been tuned at these sizes", "set 'map' to \"tune\""));
    std::string json = describe(**bound);
    *kernel = new pimento_kernel{std::move(*bound), std::move(json)};
    return static_cast<int>(PIMENTO_OK);
  });
}

void pimento_kernel_destroy(pimento_kernel *kernel) {
  delete kernel;
}

const char *pimento_kernel_json(const pimento_kernel *kernel) {
  return kernel != nullptr ? kernel->json.c_str() : nullptr;
}

int pimento_kernel_run(const pimento_kernel *kernel, const char *mode, void *const *arrays, size_t count,
                       pimento_answer **answer) {
  if (answer != nullptr) *answer = nullptr;
  return guarded([&] {
    if (kernel == nullptr) return isNull("the kernel");
    if (mode == nullptr) return isNull("the mode");
    if (arrays == nullptr && count > 0) return isNull("the list of arrays");
    if (answer == nullptr) return isNull("the pointer for the answer");
    const std::string how = mode;
    if (how != "simulate" && how != "estimate")
      return wrongUsage("api-value", "'" + how + "' is not a mode", "use simulate or estimate");
    driver::BoundKernel &bound = *kernel->bound;
    if (count != bound.tensors().size())
      return wrongUsage("api-arrays",
                        "the kernel has " + std::to_string(bound.tensors().size()) + " tensors, " +
                            std::to_string(count) + " arrays are given",
                        "pimento_kernel_json lists them");
    for (size_t a = 0; a < count; ++a)
      if (arrays[a] == nullptr) return isNull(("the array of '" + bound.tensors()[a].name + "'").c_str());
    const auto chosen = how == "simulate" ? driver::BoundMode::kSimulate : driver::BoundMode::kEstimate;
    Result<driver::Evaluated> done = bound.run(chosen, std::span(arrays, count));
    if (!done) {
      const bool isOurs = done.diagnostics().front().kind == DiagnosticKind::kOurs;
      return capi::fail(isOurs ? PIMENTO_INTERNAL : PIMENTO_NO_ANSWER, done.diagnostics());
    }
    const auto kept = std::make_shared<const driver::Evaluated>(std::move(*done));
    const auto shown = [kept](bool isJson) {
      driver::Options as;
      as.isJson = isJson;
      return driver::show(*kept, as).text;
    };
    *answer = new pimento_answer([shown] { return shown(true); }, [shown] { return shown(false); });
    return static_cast<int>(PIMENTO_OK);
  });
}
