#include "query.h"

#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::capi {

namespace {

using driver::Options;

struct TextOption {
  const char *key;
  std::string Options::*value;
};
constexpr TextOption kTexts[] = {
    {"kernel", &Options::input},    {"function", &Options::function}, {"dtype", &Options::dtype},
    {"variant", &Options::variant}, {"offload", &Options::offload},   {"data", &Options::data},
    {"engine", &Options::engine},
};

struct ListOption {
  const char *key;
  std::vector<std::string> Options::*values;
};
constexpr ListOption kLists[] = {
    {"size", &Options::sizes}, {"target", &Options::targets},     {"set", &Options::sets},
    {"map", &Options::maps},   {"constant", &Options::constants}, {"machines", &Options::machinePath},
};

constexpr const char *kJobs = "jobs", *kSeed = "seed";
constexpr std::int64_t kMostJobs = 1024;

template <typename Options, std::size_t N>
const Options *find(const Options (&options)[N], std::string_view key) {
  for (const Options &o : options)
    if (key == o.key) return &o;
  return nullptr;
}

Diagnostic unknownKey(std::string_view key) {
  std::vector<std::string> keys;
  for (const TextOption &o : kTexts) keys.emplace_back(o.key);
  for (const ListOption &o : kLists) keys.emplace_back(o.key);
  keys.insert(keys.end(), {kJobs, kSeed});
  return usageError("api-key", "", "a query has no option '" + std::string(key) + "'", suggest(key, keys));
}

Result<std::int64_t> wholeNumber(std::string_view key, std::string_view value, std::int64_t most) {
  const auto number = parseInteger(value);
  if (!number || *number < 0 || *number > most)
    return usageError("api-value", "", "'" + std::string(value) + "' is no value of '" + std::string(key) + "'",
                      "a whole number from 0 to " + std::to_string(most));
  return *number;
}

}  // namespace

Query::Query() {
  options_.offload = "best";
}

Status Query::set(std::string_view key, const char *value) {
  const Query plain;
  if (const TextOption *o = find(kTexts, key)) {
    options_.*(o->value) = value != nullptr ? std::string(value) : plain.options_.*(o->value);
    if (o->value == &Options::input) options_.text.reset();
    return okStatus();
  }
  if (const ListOption *o = find(kLists, key)) {
    (options_.*(o->values)).clear();
    return value != nullptr ? add(key, value) : okStatus();
  }
  if (key == kJobs) {
    const Result<std::int64_t> jobs = wholeNumber(key, value != nullptr ? value : "0", kMostJobs);
    if (!jobs) return jobs.diagnostics();
    options_.jobs = static_cast<int>(*jobs);
    return okStatus();
  }
  if (key == kSeed) {
    const Result<std::int64_t> seed = wholeNumber(key, value != nullptr ? value : "1", INT64_MAX);
    if (!seed) return seed.diagnostics();
    options_.seed = static_cast<std::uint64_t>(*seed);
    return okStatus();
  }
  return unknownKey(key);
}

Status Query::add(std::string_view key, std::string_view value) {
  if (const ListOption *o = find(kLists, key)) {
    (options_.*(o->values)).emplace_back(value);
    return okStatus();
  }
  if (find(kTexts, key) != nullptr || key == kJobs || key == kSeed)
    return usageError("api-key", "", "option '" + std::string(key) + "' is no list", "set it");
  return unknownKey(key);
}

Status Query::setText(std::string_view language, std::string text, std::string name) {
  const std::vector<std::string> languages = {"mlir", "c", "cnm", "llvcnm"};
  const std::string ending = "." + std::string(language);
  for (const std::string &known : languages) {
    if (language != known) continue;
    options_.input = name.empty() ? "kernel" : std::move(name);
    if (!options_.input.ends_with(ending)) options_.input += ending;
    options_.text = std::move(text);
    return okStatus();
  }
  return usageError("api-value", "", "'" + std::string(language) + "' is no language of kernels",
                    suggest(language, languages));
}

driver::Options Query::options() const {
  Options o = options_;
  // A compiler's question is which mapping is best; the command line's is what the reference takes.
  o.usualMap = "auto";
  o.isJson = true;
  o.isQuiet = true;
  o.tools = tools_;
  return o;
}

}  // namespace pimento::capi
