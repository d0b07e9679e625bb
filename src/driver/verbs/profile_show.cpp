#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "pimento/driver/profile_verdict.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/emit/columns.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;
using evaluate::Profile;

double shareOf(const trace::ProgramEnd &g) {
  return ratio(g.instructions, g.instructions + g.leftOut + g.otherInstructions);
}

Json orNull(const std::optional<double> &x) {
  return x ? Json(*x) : Json(nullptr);
}

Json accountJson(const evaluate::Account &a) {
  Json terms = Json::object();
  if (a.energy)
    for (const energy::EnergyRow &r : a.energy->rows) terms[r.term] = r.energy.value;
  return {{"cycles", a.cycles},
          {"speedup", a.speedup},
          {"energy_improvement", orNull(a.energyImprovement)},
          {"share_processor", orNull(a.shareProcessor)},
          {"share_caches", orNull(a.shareCaches)},
          {"most_improvement", orNull(a.mostImprovement)},
          {"energy_pj", a.energy ? Json(a.energy->total.value) : Json(nullptr)},
          {"energy_breakdown", terms},
          {"counts", a.counts}};
}

Json accountsJson(const Profile &p) {
  Json accounts = {{"paper", {{"low", accountJson(p.low)}, {"high", accountJson(p.high)}}}};
  if (p.release) accounts["release"] = accountJson(*p.release);
  if (p.resimulated) accounts["resimulated"] = accountJson(*p.resimulated);
  if (p.ideal) accounts["ideal"] = accountJson(*p.ideal);
  return accounts;
}

Json executedJson(const std::optional<Executed> &e) {
  if (!e) return nullptr;
  return {{"instructions", e->instructions}, {"computed", e->computed}, {"gone", e->gone}};
}

/// What tells the choices apart.
Json choicesJson(const ProfileAnswer &a) {
  Json out = Json::array();
  for (const ProfileChoice &c : a.choices) {
    const Profile &p = c.profile;
    Json levels = Json::array(), caches = Json::object();
    if (c.machine.cim)
      for (const int l : c.machine.cim->levels) levels.push_back(c.machine.caches[static_cast<std::size_t>(l)].name);
    for (const machine::CacheLevel &l : c.machine.caches)
      caches[l.name] = {{"size", l.size.value}, {"ways", l.ways}, {"banks", l.banks}};
    out.push_back({{"name", nameOf(c)},
                   {"technology", c.technology},
                   {"arrays", c.arrays},
                   {"levels", levels},
                   {"caches", caches},
                   {"cycles", p.cycles},
                   {"energy_pj", p.energy.total.value},
                   {"candidates", p.candidates.trees},
                   {"macr", p.conversion},
                   {"accounts", accountsJson(p)},
                   {"executed", executedJson(c.executed)}});
  }
  return out;
}

std::string toJson(const ProfileAnswer &a) {
  const Profile &p = a.profile();
  Json bridge = Json::array();
  for (const evaluate::BridgeStep &s : p.bridge) bridge.push_back({{"effect", s.effect}, {"cycles", s.cycles}});
  Json lostBy = Json::object(), functions = Json::array(), terms = Json::object();
  for (const auto &[reason, n] : lost(p.candidates)) lostBy[reason] = n;
  for (const FunctionCycles &f : a.functions) functions.push_back({{"name", f.name}, {"cycles", f.cycles}});
  for (const energy::EnergyRow &r : p.energy.rows) terms[r.term] = r.energy.value;
  const Json j = {
      {"program", a.program},
      {"target", a.machine().name},
      {"instructions", p.instructions},
      {"cycles", p.cycles},
      {"cpi", ratio(p.cycles, p.instructions)},
      {"cpi_stack", p.stack},
      {"time_ns", a.machine().toTime(Cycles(p.cycles)).value / 1000.0},
      {"energy_pj", p.energy.total.value},
      {"energy_breakdown", terms},
      {"exact", a.isSampled ? "sampled" : "simulated"},
      {"interval", p.interval ? Json{{"level", 0.99}, {"cycles", *p.interval}} : Json()},
      {"counts", p.counts},
      {"macr",
       {{"paper", p.conversion},
        {"release", p.conversionRelease},
        {"l1", p.conversionL1},
        {"other", p.conversionOther}}},
      {"reads", {{"wr", p.accesses.writes}, {"nc", p.accesses.notConvertible}, {"cc", p.accesses.convertible}}},
      {"candidates", p.candidates.trees},
      {"stored", p.candidates.stored},
      {"operations_offloaded", p.candidates.offloaded()},
      {"lost", lostBy},
      {"proved", p.candidates.proved},
      {"disproved", p.candidates.disproved},
      {"accounts", accountsJson(p)},
      {"reshaped",
       {{"computing", p.reshaped.computing},
        {"gone", p.reshaped.gone},
        {"addresses", p.reshaped.addresses},
        {"shared", p.reshaped.shared},
        {"moved_down", p.movedDown},
        {"copied", p.copied}}},
      {"executed", executedJson(a.choices.front().executed)},
      {"bridge", bridge},
      {"choices", a.choices.size() > 1 ? choicesJson(a) : Json::array()},
      {"verdict", verdictOf(a)},
      {"functions", functions},
      {"guest",
       {{"engine", a.engine},
        {"exit_status", a.guest.exitStatus},
        {"signal", a.guest.signal},
        {"replaced", a.guest.wasReplaced},
        {"threads", a.guest.otherThreads + 1},
        {"processes", a.guest.otherProcesses + 1},
        {"instructions_left_out", a.guest.leftOut},
        {"undecodable", a.guest.undecodable},
        {"share", shareOf(a.guest)}}},
      {"warnings", a.warnings},
  };
  return j.dump(1) + "\n";
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

/// Accounts side by side: how much faster, how much less energy, and where that is saved.
std::string accountsTable(const ProfileAnswer &a) {
  const Profile &p = a.profile();
  emit::Columns out("lrrrrr", 2);
  out.row({"account", "cycles", "speedup", "less energy", "processor", "caches"});
  const auto row = [&](const char *name, const evaluate::Account &account, bool isTimed = true) {
    const auto times = [](const std::optional<double> &x) { return x ? fmt::format("{:.3f}", *x) : "-"; };
    // Shares of next to nothing say nothing.
    constexpr double kLeast = 0.01;
    const bool isMuch = account.energyImprovement && std::abs(*account.energyImprovement - 1) >= kLeast;
    const auto share = [&](const std::optional<double> &x) {
      return x && isMuch ? fmt::format("{:.0f} %", 100 * *x) : "-";
    };
    out.row({name, isTimed ? fmt::format("{:.0f}", account.cycles) : "-",
             isTimed ? fmt::format("{:.3f}", account.speedup) : "-", times(account.energyImprovement),
             share(account.shareProcessor), share(account.shareCaches)});
  };
  if (p.release) row("release", *p.release, false);
  row("paper, low", p.low);
  row("paper, high", p.high);
  if (p.resimulated) row("simulated again", *p.resimulated);
  if (p.ideal) row("the same, operations in no time", *p.ideal);
  std::string text = out.str();
  if (p.resimulated)
    text += fmt::format("  {} instructions are gone, caches run {}, the core {} more for addresses\n", p.reshaped.gone,
                        p.reshaped.computing, p.reshaped.addresses);
  if (p.resimulated && p.reshaped.shared > 0)
    text += fmt::format("  {} of what caches run share the row of another\n", p.reshaped.shared);
  for (const ProfileChoice &c : a.choices)
    if (c.executed)
      text += fmt::format(
          "  reshaped program executed{}: {} instructions, {} computed in caches; output, status and memory equal\n",
          a.choices.size() > 1 ? fmt::format(" ({})", nameOf(c)) : "", c.executed->instructions, c.executed->computed);
  if (p.low.energyImprovement)
    text += fmt::format("  energies of {}, not validated; shares are of what is saved\n", a.machine().energySet);
  if (p.bridge.empty()) return text;
  emit::Columns bridge("lrr", 2);
  bridge.row({"effect", "cycles", "change"});
  bridge.row({"the program as it is", fmt::format("{}", p.cycles), ""});
  double before = static_cast<double>(p.cycles);
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"constant_cpi", "instructions gone, cycles per instruction as before (paper, high)"},
      {"overlap", "simulated: what they really took"},
      {"operations", "operations take time"},
      {"banks", "and their banks"},
      {"order", "they wait for stores, and stores for them"},
      {"moves", "operands are copied"}};
  for (const evaluate::BridgeStep &s : p.bridge) {
    const auto word = std::ranges::find(kWords, s.effect, &std::pair<std::string_view, std::string_view>::first);
    bridge.row({std::string(word->second), fmt::format("{:.0f}", s.cycles), fmt::format("{:+.0f}", s.cycles - before)});
    before = s.cycles;
  }
  return text + "\nFrom the paper's account to the simulated one\n" + bridge.str();
}

/// All choices of caches and levels, simulated again.
std::string choicesTable(const ProfileAnswer &a) {
  emit::Columns out("lrrrrr", 2);
  out.row({"choice", "cycles", "candidates", "speedup", "ideal", "less energy"});
  const auto times = [](const std::optional<double> &x) { return x ? fmt::format("{:.3f}", *x) : "-"; };
  for (const ProfileChoice &c : a.choices) {
    const Profile &p = c.profile;
    out.row({nameOf(c), fmt::format("{}", p.cycles), fmt::format("{}", p.candidates.trees),
             p.resimulated ? fmt::format("{:.3f}", p.resimulated->speedup) : fmt::format("{:.3f}", p.high.speedup),
             p.ideal ? fmt::format("{:.3f}", p.ideal->speedup) : "-",
             times(p.resimulated ? p.resimulated->energyImprovement : p.high.energyImprovement)});
  }
  return out.str();
}

std::string toTable(const ProfileAnswer &a) {
  const Profile &p = a.profile();
  std::string out = fmt::format("{} on {}\n\n", a.program, a.machine().name);
  const std::vector<std::string> verdict = verdictOf(a);
  for (const std::string &sentence : verdict)
    for (const std::string &line : emit::wrapped(sentence, emit::kWidth)) out += line + "\n";
  if (!verdict.empty()) out += "\n";
  if (a.choices.size() > 1)
    out +=
        fmt::format("Choices\n{}\nWhat follows is of the first, {}.\n\n", choicesTable(a), nameOf(a.choices.front()));
  emit::Columns head("lrl");
  head.row({"instructions", fmt::format("{}", p.instructions)});
  head.row(
      {"cycles", fmt::format("{}", p.cycles), fmt::format("{:.3f} per instruction", ratio(p.cycles, p.instructions))});
  if (p.interval)
    head.row({"", fmt::format("{:.0f}", (*p.interval)[0]),
              fmt::format("to {:.0f} with 99 % probability (sampled)", (*p.interval)[1])});
  head.row({"time", fmt::format("{:.1f} us", a.machine().toTime(Cycles(p.cycles)).value / 1e6)});
  head.row({"energy", fmt::format("{:.2f} uJ", p.energy.total.value / 1e6), "modelled, not validated"});
  head.row({"engine", a.engine});
  head.row({"exit status",
            a.guest.signal != 0 ? fmt::format("signal {}", a.guest.signal) : fmt::format("{}", a.guest.exitStatus)});
  out += head.str() + "\nWhere the cycles went\n";
  emit::Columns stack("lrr", 2);
  for (const auto &[cause, cycles] : p.stack)
    stack.row({cause, fmt::format("{}", cycles), percent(ratio(cycles, p.cycles))});
  out += stack.str() + "\nWhat caches could compute\n";
  emit::Columns cim("lrl", 2);
  const trace::CandidateCounts &c = p.candidates;
  std::int64_t operations = 0;
  for (const std::int64_t n : c.operations) operations += n;
  cim.row({"trees", fmt::format("{}", c.trees),
           fmt::format("{} stored, {} back to a register", c.stored, c.trees - c.stored)});
  cim.row({"operations", fmt::format("{}", c.offloaded()), fmt::format("of {} that the caches have", operations)});
  cim.row({"reads", fmt::format("{}", p.accesses.convertible),
           fmt::format("of {}", p.accesses.convertible + p.accesses.notConvertible)});
  cim.row({"accesses replaced", percent(p.conversion),
           fmt::format("of all loads and stores (MACR): {} at the first data cache, {} behind it",
                       percent(p.conversionL1), percent(p.conversionOther))});
  if (c.proved > 0)
    cim.row({"proved", fmt::format("{}", c.proved),
             fmt::format("stored trees computed again from their leaves, {} differ", c.disproved)});
  out += cim.str() + "\nWith caches that compute\n" + accountsTable(a) + "\nWhy not\n";
  emit::Columns why("lrl", 2);
  for (const auto &[reason, n] : lost(c))
    if (n > 0) why.row({reason, fmt::format("{}", n), std::string(reasonInWords(reason))});
  out += why.str();
  if (!a.functions.empty()) {
    out += "\nFunctions\n";
    emit::Columns functions("lrr", 2);
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < std::min(kMost, a.functions.size()); ++i)
      functions.row({a.functions[i].name, fmt::format("{}", a.functions[i].cycles),
                     percent(ratio(a.functions[i].cycles, p.cycles))});
    out += functions.str();
  }
  for (const std::string &w : a.warnings) out += fmt::format("\nnote: {}", w);
  return out + (a.warnings.empty() ? "" : "\n");
}

}  // namespace

Outcome show(const ProfileAnswer &answer, const Options &options) {
  return {options.isJson ? toJson(answer) : toTable(answer), {}, 0};
}

}  // namespace pimento::driver
