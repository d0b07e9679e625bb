#include "pimento/driver/verbs/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "pimento/base/suggest.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kForms = "pimento store merge ALL.db A.db B.db ..., or pimento store show FILE.db";

std::string kindsText(const tune::StoredProblem &p) {
  std::vector<std::string> kinds;
  for (const auto &[kind, n] : p.results) kinds.push_back(fmt::format("{} {}", emit::grouped(n), kind));
  return fmt::format("{}", fmt::join(kinds, ", "));
}

std::string sharesText(const tune::StoredShares &s) {
  return fmt::format("{} of {} shares", s.done.size(), s.of);
}

/// What of shares is not there.
void warn(const tune::StoreContents &contents, std::vector<std::string> &warnings) {
  constexpr std::size_t kMost = 20;
  const auto say = [&](const tune::StoredProblem &p, const tune::StoredShares &s, std::vector<std::int64_t> numbers,
                       const char *what) {
    if (numbers.empty()) return;
    const std::size_t more = numbers.size() > kMost ? numbers.size() - kMost : 0;
    numbers.resize(numbers.size() - more);
    warnings.push_back(fmt::format("{}: shares {}{} of {} {}: the command without --share computes them", p.about,
                                   fmt::join(numbers, ", "), more > 0 ? fmt::format(" and {} more", more) : "", s.of,
                                   what));
  };
  for (const tune::StoredProblem &p : contents.problems)
    for (const tune::StoredShares &s : p.plans) {
      std::vector<std::int64_t> unfinished;
      for (const std::int64_t n : s.begun)
        if (!s.done.contains(n)) unfinished.push_back(n);
      say(p, s, s.missing(), "are missing");
      say(p, s, unfinished, "are not finished");
    }
}

Json jsonOf(const tune::StoreContents &contents) {
  Json problems = Json::array();
  for (const tune::StoredProblem &p : contents.problems) {
    Json plans = Json::array();
    for (const tune::StoredShares &s : p.plans)
      plans.push_back({{"of", s.of}, {"done", s.done}, {"begun", s.begun}, {"missing", s.missing()}});
    problems.push_back({{"about", p.about}, {"results", p.results}, {"plans", plans}});
  }
  return problems;
}

}  // namespace

Result<StoreAnswer> store(const Options &options) {
  const std::string action = options.inputs.empty() ? "" : options.inputs.front();
  const std::vector<std::string> files(options.inputs.begin() + (options.inputs.empty() ? 0 : 1), options.inputs.end());
  const bool isMerge = action == "merge";
  if (!isMerge && action != "show")
    return usageError("store-action", "store " + action, "what is to be done with stores is not known",
                      action.empty() ? kForms : suggest(action, {"merge", "show"}) + "; " + kForms);
  if (isMerge ? files.size() < 2 : files.size() != 1)
    return usageError("store-action", "store " + action,
                      isMerge ? "merging takes two stores at least" : "one store is shown at a time", kForms);
  StoreAnswer answer;
  if (isMerge) {
    auto merged = tune::mergeStores(files.front(), {files.begin() + 1, files.end()});
    if (!merged) return merged.diagnostics();
    answer.contents = merged->all;
    answer.merged = std::move(*merged);
  } else {
    auto contents = tune::contentsOfStore(files.front());
    if (!contents) return contents.diagnostics();
    answer.contents = std::move(*contents);
  }
  warn(answer.contents, answer.warnings);
  return answer;
}

Outcome show(const StoreAnswer &answer, const Options &options) {
  if (options.isJson) {
    Json j = {{"store", answer.contents.file}, {"problems", jsonOf(answer.contents)}};
    if (answer.merged) {
      j["taken"] = answer.merged->results;
      j["new"] = answer.merged->newResults;
    }
    j["warnings"] = answer.warnings;
    return {j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", {}, 0};
  }
  std::string out;
  if (answer.merged)
    out = fmt::format("{} results taken, {} of them new\n", emit::grouped(answer.merged->results),
                      emit::grouped(answer.merged->newResults));
  emit::Columns table("lll");
  table.row({"problem", "results", "shares"});
  table.rule();
  for (const tune::StoredProblem &p : answer.contents.problems) {
    std::vector<std::string> shares;
    for (const tune::StoredShares &s : p.plans) shares.push_back(sharesText(s));
    table.row({p.about, kindsText(p), fmt::format("{}", fmt::join(shares, ", "))});
  }
  out += fmt::format("{}\n{}", answer.contents.file, table.str());
  for (const std::string &w : answer.warnings) out += fmt::format("\nnote: {}", w);
  return {out + (answer.warnings.empty() ? "" : "\n"), {}, 0};
}

}  // namespace pimento::driver
