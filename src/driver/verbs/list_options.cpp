#include "pimento/driver/verbs/list_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/columns.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> verbsOf(const OptionRow &row) {
  std::vector<std::string> names;
  for (const Verb &v : verbs())
    if (row.verbs.has(v.id)) names.emplace_back(v.name);
  return names;
}

Json toJson(const OptionRow &row) {
  return {{"name", "--" + std::string(row.name)},
          {"letter", row.letter != 0 ? "-" + std::string(1, row.letter) : ""},
          {"value", row.value},
          {"repeatable", isList(row)},
          {"verbs", verbsOf(row)},
          {"default", usualText(row)},
          {"help", row.help},
          {"page", row.page}};
}

}  // namespace

Result<OptionList> options(const Options &given) {
  if (given.input.empty()) return OptionList{};
  const auto verb = std::ranges::find(verbs(), given.input, &Verb::name);
  if (verb != verbs().end()) return OptionList{verb->id};
  std::vector<std::string> names;
  for (const Verb &v : verbs()) names.emplace_back(v.name);
  return usageError("unknown-verb", "", fmt::format("unknown verb '{}'", given.input), suggest(given.input, names));
}

Outcome show(const OptionList &of, const Options &options) {
  Json list = Json::array();
  emit::Columns table("lll");
  for (const OptionRow &row : optionTable()) {
    if (row.name.empty() || (of.verb && !row.verbs.has(*of.verb))) continue;
    list.push_back(toJson(row));
    table.row({fmt::format("--{}{}{}", row.name, row.value.empty() ? "" : " ", row.value), helpOf(row),
               of.verb ? "" : join(verbsOf(row), ", ")});
  }
  return {options.isJson ? Json{{"options", list}}.dump(2) + "\n" : table.str(), {}, 0};
}

}  // namespace pimento::driver
