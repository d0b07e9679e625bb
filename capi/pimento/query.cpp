#include "query.h"

#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/option_table.h"

namespace pimento::capi {

namespace {

Diagnostic unknownKey(std::string_view key) {
  std::vector<std::string> keys;
  for (const driver::OptionRow &row : driver::optionTable())
    if (!row.apiKey.empty()) keys.emplace_back(row.apiKey);
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

Query::Query() {
  options_.offload = "best";
}

Status Query::set(std::string_view key, const char *value) {
  const driver::OptionRow *row = driver::optionOfApi(key);
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
  const driver::OptionRow *row = driver::optionOfApi(key);
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

driver::Options Query::options() const {
  driver::Options o = options_;
  o.isJson = true;
  o.isQuiet = true;
  o.tools = tools_;
  return o;
}

}  // namespace pimento::capi
