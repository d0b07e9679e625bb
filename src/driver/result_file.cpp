#include "pimento/driver/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "pimento/base/overloaded.h"
#include "pimento/base/text.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/run.h"
#include "pimento/machine/identity.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::json;

constexpr const char *kHint = "pass a result written by `pimento estimate --json` or `simulate --json`";

Diagnostic notAResult(const std::string &file, const std::string &why, std::string hint = kHint) {
  return error("not-a-result", {file, 0, 0}, why, std::move(hint));
}

Diagnostic badRun(const std::string &file, const std::string &why) {
  return error("bad-run", {file, 0, 0}, why, "the file was edited; estimate it again");
}

/// Line and column of a byte.
Location placeOf(std::string_view text, std::size_t at, const std::string &file) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n');
  return {file, line, static_cast<int>(before.size() - (start == before.npos ? 0 : start + 1)) + 1};
}

constexpr int kDeepest = 16;  // results are four deep

void collect(const Json &j, const std::string &path, int depth, ResultNumbers &out) {
  if (depth > kDeepest) return;
  if (j.is_number()) {
    out[path] = j.get<double>();
  } else if (j.is_object()) {
    for (const auto &[key, value] : j.items())
      if (!(path.empty() && key == "run")) collect(value, path.empty() ? key : path + "." + key, depth + 1, out);
  } else if (j.is_array()) {
    for (std::size_t i = 0; i < j.size(); ++i) collect(j[i], fmt::format("{}[{}]", path, i), depth + 1, out);
  }
}

/// Whether results of this verb's runs have the option.
bool isInRunOf(const OptionRow &row, VerbId verb) {
  return !row.runKey.empty() && (row.verbs.has(verb) || row.alsoInRunOf.has(verb));
}

/// One text of `run`. Diagnostic: bad-run.
Result<std::string> textAt(const Json &run, const char *key, const std::string &file) {
  const auto at = run.find(key);
  if (at == run.end()) return std::string();
  if (at->is_string()) return at->get<std::string>();
  return badRun(file, fmt::format("'run.{}' is not a string", key));
}

/// Sets an option to what `run` says. Diagnostic: bad-run.
Status readOption(const OptionRow &row, const Json &value, const std::string &file, Options &options) {
  reset(row, options);
  std::vector<std::string> entries;
  if (isList(row)) {
    if (!value.is_array() || !std::ranges::all_of(value, [](const Json &v) { return v.is_string(); }))
      return badRun(file, fmt::format("'run.{}' is not a list of strings", row.runKey));
    entries = value.get<std::vector<std::string>>();
  } else if (!row.runText.empty()) {
    if (value != "" && value != std::string(row.runText))
      return badRun(file, fmt::format("'run.{}' is neither \"\" nor \"{}\"", row.runKey, row.runText));
    if (value != "") entries = {"true"};
  } else if (std::holds_alternative<std::string Options::*>(row.field)) {
    if (!value.is_string()) return badRun(file, fmt::format("'run.{}' is not a string", row.runKey));
    entries = {value.get<std::string>()};
  } else {
    entries = {value.dump()};  // a number, true or false
  }
  for (const std::string &entry : entries)
    if (const Status s = set(row, entry, options); !s)
      return badRun(file, fmt::format("'run.{}' is {}: {}", row.runKey, entry, s.diagnostics().front().hint));
  return okStatus();
}

Status readRun(const Json &run, const std::string &file, ResultFile &out) {
  const auto verb = textAt(run, "verb", file), input = textAt(run, "input", file);
  const auto version = textAt(run, "version", file), machine = textAt(run, "machine", file);
  for (const Result<std::string> *text : {&verb, &input, &version, &machine})
    if (!*text) return text->diagnostics();
  const std::vector<VerbId> known = {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompare};
  const auto at = std::ranges::find(known, *verb, [](VerbId v) { return verbOf(v).name; });
  if (at == known.end())
    return error("bad-run", {file, 0, 0}, fmt::format("'run.verb' is '{}'", *verb),
                 "results that can be explained come from estimate, simulate or compare");
  out.verb = *at;
  out.run.input = *input;
  out.version = *version;
  out.machine = *machine;
  for (const OptionRow &row : optionTable()) {
    if (!isInRunOf(row, out.verb)) continue;
    if (const auto value = run.find(std::string(row.runKey)); value != run.end())
      if (Status s = readOption(row, *value, file, out.run); !s) return s;
  }
  if (out.run.variant.empty()) out.run.variant = Options().variant;
  if (out.run.input.empty() || out.run.target.empty())
    return badRun(file, "the run does not name its input, or its target");
  return okStatus();
}

}  // namespace

Result<ResultFile> parseResult(std::string_view text, const std::string &file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error &e) {
    return error("bad-json", placeOf(text, e.byte == 0 ? 0 : e.byte - 1, file), "this is not JSON", kHint);
  } catch (const Json::exception &) {
    return error("bad-json", {file, 0, 0}, "this JSON has an invalid number or string", kHint);
  }
  if (!json.is_object()) return notAResult(file, "this JSON is not a result: it is not an object");
  if (json.contains("tune") && json.contains("best")) {  // of tune: that of what it found
    const Json best = json["best"];
    json = best;
    if (!json.is_object()) return notAResult(file, "this JSON is not a result: 'best' is not an object");
  }
  if (json.contains("rows"))
    return notAResult(file, "this file has several results", "estimate one of them with --json and explain that");
  if (!json.contains("cycles") || !json.contains("breakdown"))
    return notAResult(file, "this JSON is not a result: it has no cycles and breakdown");
  if (const auto exact = json.find("exact"); exact != json.end() && *exact == "extrapolated")
    return notAResult(file, "the result was extrapolated: its numbers are multiples and cannot be derived further",
                      "estimate it by fast-forward, and explain that");
  const auto run = json.find("run");
  if (run == json.end() || !run->is_object())
    return notAResult(file, "the result has no 'run', so it cannot be repeated",
                      "estimate it again with this version, or explain the input itself");
  ResultFile out;
  if (Status s = readRun(*run, file, out); !s) return s.diagnostics();
  collect(json, {}, 0, out.numbers);
  return out;
}

Options optionsOf(const ResultFile &result, const Options &options) {
  Options out = options;
  out.input = result.run.input;
  for (const OptionRow &row : optionTable())
    if (isInRunOf(row, result.verb)) std::visit([&](auto field) { out.*field = result.run.*field; }, row.field);
  return out;
}

namespace {

/// FNV-1a, 64 bits: tells machines apart, no more.
std::string fingerprint(const machine::Machine &machine) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : machine::identity(machine)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", h);
}

}  // namespace

emit::RunText runOf(VerbId verb, const Options &given, const machine::Machine &machine) {
  Options options = given;
  // Files that a run writes are not a part of it.
  std::erase_if(options.outs, [](const std::string &out) { return out.find('=') != std::string::npos; });
  emit::RunText run;
  run.verb = verbOf(verb).name;
  run.input = options.input;
  for (const OptionRow &row : optionTable()) {
    if (!isInRunOf(row, verb) || (!row.isAlwaysInRun && isUsual(row, options))) continue;
    emit::RunOption o{row.runKey, {}};
    std::visit(overloaded{[&](std::optional<double> Options::*field) { o.value = (options.*field).value_or(0); },
                          [&](int Options::*field) { o.value = std::int64_t{options.*field}; },
                          [&](bool Options::*field) {
                            if (row.runText.empty())
                              o.value = options.*field;
                            else
                              o.value = options.*field ? std::string(row.runText) : std::string();
                          },
                          [&](auto field) { o.value = options.*field; }},
               row.field);
    run.options.push_back(std::move(o));
  }
  run.command = commandLine(verb, options);
  run.version = PIMENTO_VERSION;
  run.machine = fingerprint(machine);
  return run;
}

Status compareNumbers(const ResultFile &saved, const ResultNumbers &now, const emit::RunText &run,
                      const std::string &file) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> changed;
  for (const auto &[path, value] : saved.numbers) {
    if (path == "wall_us" || path == "compile_us") continue;
    const auto at = now.find(path);
    if (at == now.end())
      changed.push_back(fmt::format("{} was {} and no longer exists", path, numberText(value)));
    else if (at->second != value)
      changed.push_back(fmt::format("{} was {}, is {}", path, numberText(value), numberText(at->second)));
  }
  if (changed.empty()) return okStatus();
  const std::size_t count = changed.size();
  changed.resize(std::min(changed.size(), kShown));
  std::string why = "the input has changed since, or the result was edited";
  if (saved.version != run.version)
    why =
        fmt::format("it was made by pimento {}, this is {}", saved.version.empty() ? "?" : saved.version, run.version);
  else if (saved.machine != run.machine)
    why = fmt::format("the numbers of machine '{}' have changed since", saved.run.target);
  return error(
      "result-changed", {file, 0, 0},
      fmt::format("{} of its numbers have changed: {}{}", count, join(changed, "; "), count > kShown ? "; ..." : ""),
      why + "; estimate it again to explain the current numbers");
}

}  // namespace pimento::driver
