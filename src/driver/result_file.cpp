#include "pimento/driver/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/identity.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::json;

constexpr const char *kHint = "give a result that `pimento estimate --json` or `simulate --json` wrote";

Diagnostic notAResult(const std::string &file, const std::string &why, std::string hint = kHint) {
  return error("not-a-result", {file, 0, 0}, why, std::move(hint));
}

/// Line and column of a byte.
Location placeOf(std::string_view text, std::size_t at, const std::string &file) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t start = before.rfind('\n');
  return {file, line, static_cast<int>(before.size() - (start == before.npos ? 0 : start + 1)) + 1};
}

constexpr std::uint64_t kMostLaunches = 1'000'000;
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

/// Reads the members of a run; the first that is not what it should be is kept.
class RunReader {
 public:
  explicit RunReader(const Json &run) : run_(run) {}

  std::string text(const char *key) {
    const auto at = run_.find(key);
    if (at == run_.end()) return {};
    if (at->is_string()) return at->get<std::string>();
    wrong(key, "a text");
    return {};
  }
  std::vector<std::string> texts(const char *key) {
    std::vector<std::string> out;
    const auto at = run_.find(key);
    if (at == run_.end()) return out;
    if (!at->is_array()) wrong(key, "a list of texts");
    for (const Json &t : *at) {
      if (!t.is_string()) {
        wrong(key, "a list of texts");
        break;
      }
      out.push_back(t.get<std::string>());
    }
    return out;
  }
  std::uint64_t number(const char *key, std::uint64_t fallback) {
    const auto at = run_.find(key);
    if (at == run_.end()) return fallback;
    if (at->is_number_unsigned()) return at->get<std::uint64_t>();
    wrong(key, "a whole number");
    return fallback;
  }
  const std::string &problem() const { return problem_; }

 private:
  void wrong(const char *key, const char *what) {
    if (problem_.empty()) problem_ = fmt::format("'run.{}' is not {}", key, what);
  }
  const Json &run_;
  std::string problem_;
};

}  // namespace

Result<ResultFile> parseResult(std::string_view text, const std::string &file) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error &e) {
    return error("bad-json", placeOf(text, e.byte == 0 ? 0 : e.byte - 1, file), "this is not JSON", kHint);
  } catch (const Json::exception &) {
    return error("bad-json", {file, 0, 0}, "this is JSON with a number or a text that cannot be read", kHint);
  }
  if (!json.is_object()) return notAResult(file, "this JSON is no result: it is not an object");
  if (json.contains("rows"))
    return notAResult(file, "this holds several results", "estimate one of them with --json, and explain that");
  if (!json.contains("cycles") || !json.contains("breakdown"))
    return notAResult(file, "this JSON is no result: it has no cycles and breakdown");
  if (const auto exact = json.find("exact"); exact != json.end() && *exact == "extrapolated")
    return notAResult(file, "the result was extrapolated: its numbers are multiples, and have no other derivation",
                      "estimate it by fast-forward, and explain that");
  const auto run = json.find("run");
  if (run == json.end() || !run->is_object())
    return notAResult(file, "the result does not say what made it: it has no 'run'",
                      "estimate it again with this version, or explain the input itself");
  RunReader r(*run);
  ResultFile out;
  emit::RunText &o = out.run;
  o.verb = r.text("verb");
  o.input = r.text("input");
  o.sizes = r.texts("sizes");
  o.dtype = r.text("dtype");
  o.variant = r.text("variant");
  o.function = r.text("function");
  o.target = r.text("target");
  o.sets = r.texts("sets");
  o.maps = r.texts("map");
  o.data = r.text("data");
  o.seed = r.number("seed", 1);
  o.offload = r.text("offload");
  o.constants = r.texts("constants");
  o.ins = r.texts("in");
  o.outs = r.texts("out");
  o.launches = static_cast<std::int64_t>(std::clamp<std::uint64_t>(r.number("launches", 1), 1, kMostLaunches));
  o.version = r.text("version");
  o.machine = r.text("machine");
  if (!r.problem().empty())
    return error("bad-run", {file, 0, 0}, r.problem(), "the file was edited; estimate it again");
  const std::vector<std::string> verbs = {"estimate", "simulate", "compare"};
  if (std::find(verbs.begin(), verbs.end(), out.run.verb) == verbs.end())
    return error("bad-run", {file, 0, 0}, fmt::format("'run.verb' is '{}'", out.run.verb),
                 "results that can be explained come from estimate, simulate or compare");
  if (out.run.input.empty() || out.run.target.empty())
    return error("bad-run", {file, 0, 0}, "the run names no input or no target",
                 "the file was edited; estimate it again");
  collect(json, {}, 0, out.numbers);
  return out;
}

Options optionsOf(const emit::RunText &run, const Options &options) {
  Options o = options;
  o.input = run.input;
  o.sizes = run.sizes;
  o.dtype = run.dtype;
  o.variant = run.variant.empty() ? "plain" : run.variant;
  o.function = run.function;
  o.target = run.target;
  o.sets = run.sets;
  o.maps = run.maps;
  o.data = run.data;
  o.seed = run.seed;
  o.offload = run.offload;
  o.constants = run.constants;
  o.ins = run.ins;
  o.outs = run.outs;
  o.launches = run.launches;
  return o;
}

namespace {

/// FNV-1a, 64 bits: tells machines apart, no more.
std::string fingerprint(const machine::Machine &machine) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : machine::identity(machine)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", h);
}

}  // namespace

emit::RunText runOf(const char *verb, const Options &o, const machine::Machine &machine) {
  emit::RunText r;
  r.verb = verb;
  r.input = o.input;
  r.sizes = o.sizes;
  r.dtype = o.dtype;
  r.variant = o.variant;
  r.function = o.function;
  r.target = o.target;
  r.sets = o.sets;
  r.maps = o.maps;
  r.data = o.data;
  r.seed = o.seed;
  r.offload = o.offload;
  r.constants = o.constants;
  r.ins = o.ins;
  for (const std::string &out : o.outs)
    if (out.find('=') == std::string::npos) r.outs.push_back(out);
  r.launches = o.launches;
  r.engine = o.engine;
  r.alpha = o.alpha.value_or(evaluate::TwoSlice{}.alpha);
  r.version = PIMENTO_VERSION;
  r.machine = fingerprint(machine);
  return r;
}

Status compareNumbers(const ResultFile &saved, const ResultNumbers &now, const emit::RunText &run,
                      const std::string &file) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> changed;
  for (const auto &[path, value] : saved.numbers) {
    if (path == "wall_us" || path == "compile_us") continue;
    const auto at = now.find(path);
    if (at == now.end())
      changed.push_back(fmt::format("{} was {}, is gone", path, numberText(value)));
    else if (at->second != value)
      changed.push_back(fmt::format("{} was {}, is {}", path, numberText(value), numberText(at->second)));
  }
  if (changed.empty()) return okStatus();
  const std::size_t count = changed.size();
  changed.resize(std::min(changed.size(), kShown));
  std::string why = "the input has changed since, or the result was edited";
  if (saved.run.version != run.version)
    why =
        fmt::format("pimento {} made it, this is {}", saved.run.version.empty() ? "?" : saved.run.version, run.version);
  else if (saved.run.machine != run.machine)
    why = fmt::format("the numbers of machine '{}' have changed since", run.target);
  return error(
      "result-changed", {file, 0, 0},
      fmt::format("{} of its numbers are others now: {}{}", count, join(changed, "; "), count > kShown ? "; ..." : ""),
      why + "; estimate it again to explain what holds now");
}

}  // namespace pimento::driver
