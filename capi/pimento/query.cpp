#include "query.h"

#include <algorithm>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/option_table.h"
#include "pimento/driver/verbs.h"

namespace pimento::capi {

namespace {

using driver::VerbId;

/// The verbs that pimento_run asks.
constexpr driver::VerbSet kVerbs = {VerbId::kTargets,  VerbId::kKernels, VerbId::kCompile, VerbId::kEstimate,
                                    VerbId::kSimulate, VerbId::kCompare, VerbId::kExplore, VerbId::kTune,
                                    VerbId::kExplain,  VerbId::kReport,  VerbId::kStore};

/// How an answer is shown, and where it goes, is not asked for by an option.
bool isOfTheTool(const driver::OptionRow &row) {
  return row.name == "json" || row.name == "output" || row.name == "quiet";
}

bool isOfAnyVerb(const driver::OptionRow &row) {
  for (const driver::Verb &verb : driver::verbs())
    if (kVerbs.has(verb.id) && row.verbs.has(verb.id)) return !row.name.empty() && !isOfTheTool(row);
  return false;
}

const driver::OptionRow *rowOf(std::string_view key) {
  if (const driver::OptionRow *row = driver::optionOfApi(key)) return row;
  for (const driver::OptionRow &row : driver::optionTable())
    if (row.name == key && isOfAnyVerb(row)) return &row;
  return nullptr;
}

Diagnostic unknownKey(std::string_view key) {
  std::vector<std::string> keys;
  for (const driver::OptionRow &row : driver::optionTable()) {
    if (!row.apiKey.empty()) keys.emplace_back(row.apiKey);
    if (row.apiKey.empty() && isOfAnyVerb(row)) keys.emplace_back(row.name);
  }
  return usageError("api-key", "", "a query has no option '" + std::string(key) + "'", suggest(key, keys));
}

/// Sets a value, or adds one to a list. Diagnostic: api-value.
Status setValue(const driver::OptionRow &row, std::string_view value, driver::Options &options) {
  const Status s = driver::set(row, value, options);
  if (s) return s;
  const Diagnostic &d = s.diagnostics().front();
  return usageError("api-value", "", d.message, d.hint);
}

}  // namespace

bool Query::asks(VerbId verb) {
  return kVerbs.has(verb);
}

std::vector<std::string> Query::verbNames() {
  std::vector<std::string> names;
  for (const driver::Verb &verb : driver::verbs())
    if (kVerbs.has(verb.id)) names.emplace_back(verb.name);
  return names;
}

Status Query::set(std::string_view key, const char *value) {
  const driver::OptionRow *row = rowOf(key);
  if (row == nullptr) return unknownKey(key);
  driver::Options changed = options_;
  const Query plain;
  std::visit([&](auto field) { changed.*field = plain.options_.*field; }, row->field);
  if (value != nullptr)
    if (Status s = setValue(*row, value, changed); !s) return s;
  if (key == "kernel") changed.text.reset();
  options_ = std::move(changed);
  return okStatus();
}

Status Query::add(std::string_view key, std::string_view value) {
  const driver::OptionRow *row = rowOf(key);
  if (row == nullptr) return unknownKey(key);
  if (!isList(*row)) return usageError("api-key", "", "option '" + std::string(key) + "' is not a list", "set it");
  return setValue(*row, value, options_);
}

Status Query::setText(std::string_view language, std::string text, std::string name) {
  std::vector<std::string> languages;
  for (const driver::InputKind &kind : driver::inputKinds()) {
    if (!kind.isText) continue;
    languages.emplace_back(kind.name);
    if (language != kind.name) continue;
    const std::string_view ending = kind.endings[0];
    options_.input = name.empty() ? "kernel" : std::move(name);
    if (!options_.input.ends_with(ending)) options_.input += ending;
    options_.text = std::move(text);
    return okStatus();
  }
  return usageError("api-value", "", "'" + std::string(language) + "' is not a kernel language",
                    suggest(language, languages));
}

/// An option whose name no row of the verb has, given all the same.
Status Query::checkTaken(VerbId verb) const {
  for (const driver::OptionRow &row : driver::optionTable()) {
    if (!row.apiKey.empty() || row.name.empty() || isUsual(row, options_)) continue;
    const bool isTaken = std::ranges::any_of(driver::optionTable(), [&](const driver::OptionRow &other) {
      return other.field == row.field && (other.verbs.has(verb) || !other.apiKey.empty());
    });
    if (!isTaken)
      return usageError(
          "api-key", "",
          "'" + std::string(driver::verbOf(verb).name) + "' has no option '" + std::string(row.name) + "'",
          "set it to NULL, or ask a verb that has it");
  }
  return okStatus();
}

driver::Options Query::common() const {
  driver::Options o = options_;
  o.isJson = true;
  o.isQuiet = true;
  o.tools = tools_;
  o.isStopped = isStopped_.get();
  return o;
}

Result<driver::Options> Query::options() const {
  if (Status s = checkTaken(VerbId::kCompare); !s) return s.diagnostics();
  driver::Options o = common();
  if (o.offload.empty()) o.offload = "best";
  return o;
}

Result<driver::Options> Query::options(VerbId verb) const {
  if (Status s = checkTaken(verb); !s) return s.diagnostics();
  driver::Options o = common();
  if (verb == VerbId::kCompare) return o;
  if (o.targets.size() > 1)
    return usageError("api-value", "",
                      "'" + std::string(driver::verbOf(verb).name) + "' takes one machine, " +
                          std::to_string(o.targets.size()) + " are given",
                      "set 'target', or ask 'compare'");
  if (!o.targets.empty()) o.target = o.targets.front();
  if (driver::verbOf(verb).areFiles) o.inputs.insert(o.inputs.begin(), o.input);
  return o;
}

}  // namespace pimento::capi
