// Profiles of programs of a host: from JSON to what is shown.
#include "pimento/emit/html/profile_result.h"

namespace pimento::emit::html {

namespace {

constexpr int kMostDepth = 64;  ///< of inlined calls

/// Savings may be losses.
std::optional<double> maybeNumber(const Node &node, std::string_view key) {
  const auto found = node.find(key);
  return found ? std::optional(found->number()) : std::nullopt;
}

/// The account that rows are shown with: simulated again, else the paper's high one.
std::optional<Node> accountOf(const Node &saved) {
  if (auto again = saved.find("resimulated")) return again;
  return saved.find("paper_high");
}

TakenResult readTaken(const Node &node, std::string_view name) {
  TakenResult r;
  r.function = node.at(name).text();
  r.cycles = node.at("cycles").amount();
  r.file = node.textOr("file", "");
  r.line = node.amountOr("line", 0);
  r.instructions = node.amountOr("instructions", 0);
  r.energyPj = node.amountOr("energy_pj", 0);
  r.operations = node.amountOr("operations", 0);
  r.offloaded = node.amountOr("operations_offloaded", 0);
  r.replaced = node.amountOr("instructions_replaced", 0);
  if (const auto lost = node.find("lost")) r.lost = readAmounts(*lost);
  if (const auto saved = node.find("saved"))
    if (const auto account = accountOf(*saved)) {
      r.savedCycles = maybeNumber(*account, "cycles");
      r.savedEnergyPj = maybeNumber(*account, "energy_pj");
    }
  return r;
}

CallResult readCall(const Node &node, int depth) {
  CallResult c;
  c.function = node.at("function").text();
  c.file = node.textOr("file", "");
  c.line = node.amountOr("line", 0);
  c.cycles = node.at("cycles").amount();
  c.allCycles = node.at("cycles_with_inlined").amount();
  c.allEnergyPj = node.amountOr("energy_with_inlined_pj", 0);
  if (const auto inlined = node.find("inlined"); inlined && depth < kMostDepth)
    for (const Node &i : inlined->items()) c.inlined.push_back(readCall(i, depth + 1));
  return c;
}

SourceResult readSource(const Node &node) {
  SourceResult s;
  s.file = node.at("file").text();
  s.state = node.textOr("state", "");
  for (const Node &chunk : node.at("chunks").items())
    s.chunks.push_back({chunk.at("first").amount(), chunk.at("text").texts()});
  return s;
}

}  // namespace

const std::string *SourceResult::at(double line) const {
  for (const Chunk &c : chunks)
    if (line >= c.first && line < c.first + static_cast<double>(c.text.size()))
      return &c.text[static_cast<std::size_t>(line - c.first)];
  return nullptr;
}

std::string HostProfileResult::wordsOf(const std::string &reason) const {
  const auto found = reasons.find(reason);
  return found == reasons.end() ? reason : found->second;
}

HostProfileResult readHostProfile(const Node &node) {
  HostProfileResult r;
  r.program = node.at("program").text();
  r.target = node.at("target").text();
  r.exact = node.textOr("exact", "");
  r.instructions = node.at("instructions").amount();
  r.cycles = node.at("cycles").amount();
  r.timeNs = node.at("time_ns").amount();
  r.energyPj = node.at("energy_pj").amount();
  r.stack = readAmounts(node.at("cpi_stack"));
  r.lost = readAmounts(node.at("lost"));
  r.offloaded = node.at("operations_offloaded").amount();
  r.operations = r.offloaded;
  for (const auto &[reason, n] : r.lost)
    if (!reason.starts_with("load_")) r.operations += n;
  const Node reads = node.at("reads");
  r.convertible = reads.at("cc").amount();
  r.reads = r.convertible + reads.at("nc").amount();
  r.verdict = node.textsOr("verdict");
  r.warnings = node.textsOr("warnings");
  r.sharing = readRanks(node);
  if (const auto accounts = node.find("accounts")) {
    const auto again = accounts->find("resimulated");
    r.account = again ? "simulated again" : "the paper's formula, high";
    const auto paper = accounts->find("paper");
    if (const auto account = again ? again : paper ? paper->find("high") : std::nullopt) {
      r.speedup = account->maybeAmount("speedup");
      r.energyImprovement = account->maybeAmount("energy_improvement");
    }
  }
  if (const auto reasons = node.find("reasons"))
    for (const auto &[key, words] : reasons->members()) r.reasons[key] = words.text();
  for (const Node &f : node.at("functions").items()) r.functions.push_back(readTaken(f, "name"));
  const auto lines = node.find("lines");
  r.hasLines = lines.has_value();
  if (lines)
    for (const Node &l : lines->items()) r.lines.push_back(readTaken(l, "function"));
  if (const auto calls = node.find("inlined"))
    for (const Node &c : calls->items()) r.calls.push_back(readCall(c, 0));
  if (const auto sources = node.find("sources"))
    for (const Node &s : sources->items()) r.sources.push_back(readSource(s));
  return r;
}

}  // namespace pimento::emit::html
