#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "pimento/driver/options.h"
#include "pimento/driver/profile_lines.h"
#include "pimento/driver/profile_verdict.h"
#include "pimento/driver/source_files.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/sharing.h"

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

Json savedJson(const evaluate::Attributed::Saved &s, bool hasEnergy) {
  return {{"cycles", s.cycles}, {"energy_pj", hasEnergy ? Json(s.energy) : Json(nullptr)}};
}

/// What instructions took; `more`: what they are.
Json ownJson(const ProfileAnswer &a, const evaluate::Attributed &own, Json more) {
  const Profile &p = a.profile();
  Json served = Json::object(), lostBy = Json::object(), saved = Json::object();
  const std::vector<machine::CacheLevel> &caches = a.machine().caches;
  for (std::size_t l = 0; l < own.served.size(); ++l)
    if (own.served[l] > 0) served[l < caches.size() ? caches[l].name : "memory"] = own.served[l];
  std::int64_t operations = 0;
  for (const std::int64_t n : own.operations) operations += n;
  for (const auto &[reason, n] : lost(own))
    if (n > 0) lostBy[reason] = n;
  if (a.machine().cim) {
    saved["paper_low"] = savedJson(own.low, p.low.energyImprovement.has_value());
    saved["paper_high"] = savedJson(own.high, p.high.energyImprovement.has_value());
    if (p.resimulated) saved["resimulated"] = savedJson(own.resimulated, p.resimulated->energyImprovement.has_value());
  }
  more["instructions"] = own.executions;
  more["cycles"] = own.cycles;
  more["energy_pj"] = own.energy;
  more["loads_served"] = served;
  more["candidates"] = own.trees;
  more["operations"] = operations;
  more["operations_offloaded"] = own.operations[0];
  more["instructions_replaced"] = own.replaced;
  more["lost"] = lostBy;
  more["saved"] = saved;
  return more;
}

Json orNull(const std::string &text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json callJson(const ProfileAnswer &a, const CallShare &c) {
  Json inlined = Json::array();
  for (const CallShare &i : c.inlined) inlined.push_back(callJson(a, i));
  return {{"function", c.function},
          {"file", orNull(c.file)},
          {"line", c.line},
          {"cycles", c.own.cycles},
          {"cycles_with_inlined", c.all.cycles},
          {"energy_pj", c.own.energy},
          {"energy_with_inlined_pj", c.all.energy},
          {"inlined", inlined}};
}

/// "functions", "lines", "inlined" and "sources", as far as they were asked for.
void addLines(const ProfileAnswer &a, Json &to) {
  Json functions = Json::array(), lines = Json::array(), calls = Json::array(), sources = Json::array();
  if (!a.lines)
    for (const FunctionCycles &f : a.functions) functions.push_back({{"name", f.name}, {"cycles", f.cycles}});
  to["functions"] = functions;
  if (!a.lines) return;
  for (const FunctionShare &f : a.lines->functions) to["functions"].push_back(ownJson(a, f.own, {{"name", f.name}}));
  for (const LineShare &l : a.lines->lines)
    lines.push_back(ownJson(
        a, l.own,
        {{"file", orNull(l.file)}, {"line", l.line == 0 ? Json(nullptr) : Json(l.line)}, {"function", l.function}}));
  for (const CallShare &c : a.lines->calls)
    if (!c.inlined.empty()) calls.push_back(callJson(a, c));
  for (const SourceShare &s : a.lines->sources) {
    Json chunks = Json::array();
    for (const SourceChunk &c : s.chunks) chunks.push_back({{"first", c.first}, {"text", c.text}});
    sources.push_back({{"file", s.file}, {"path", orNull(s.path)}, {"state", name(s.state)}, {"chunks", chunks}});
  }
  Json reasons = Json::object();
  for (const auto &[reason, n] : lost(a.profile().candidates)) reasons[reason] = reasonInWords(reason);
  to["reasons"] = reasons;
  to["lines"] = lines;
  to["inlined"] = calls;
  to["sources"] = sources;
}

std::string toJson(const ProfileAnswer &a) {
  const Profile &p = a.profile();
  Json bridge = Json::array();
  for (const evaluate::BridgeStep &s : p.bridge) bridge.push_back({{"effect", s.effect}, {"cycles", s.cycles}});
  Json lostBy = Json::object(), terms = Json::object();
  for (const auto &[reason, n] : lost(p.candidates)) lostBy[reason] = n;
  for (const energy::EnergyRow &r : p.energy.rows) terms[r.term] = r.energy.value;
  Json j = {
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
      {"functions", nullptr},
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
  if (a.sharing) j["ranks"] = emit::sharingJson(*a.sharing);
  addLines(a, j);
  // Names and sources may have any bytes.
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
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

/// The row of what functions or lines took.
std::vector<std::string> ownRow(const ProfileAnswer &a, std::string what, const evaluate::Attributed &own) {
  const Profile &p = a.profile();
  const evaluate::Attributed::Saved &saved = p.resimulated ? own.resimulated : own.high;
  const auto cycles = static_cast<double>(p.cycles);
  return {std::move(what),
          fmt::format("{}", own.cycles),
          percent(ratio(own.cycles, p.cycles)),
          percent(p.energy.total.value > 0 ? own.energy / p.energy.total.value : 0),
          fmt::format("{}", own.operations[0]),
          fmt::format("{:.2f} %", cycles > 0 ? 100 * saved.cycles / cycles + 0.0 : 0.0),
          std::string(mainReason(own))};
}

/// "prog.c:12" of a line, with its function.
std::string placeOf(const LineShare &l) {
  if (l.file.empty()) return fmt::format("? in {}", l.function);
  return fmt::format("{}:{} in {}", l.file.substr(l.file.rfind('/') + 1), l.line, l.function);
}

std::string linesTables(const ProfileAnswer &a, std::size_t top) {
  const std::vector<std::string> head = {"cycles", "share", "energy", "moved", "saved", "what keeps the rest"};
  const auto table = [&](const char *what) {
    emit::Columns out("lrrrrrl", 2);
    std::vector<std::string> titles = {what};
    titles.insert(titles.end(), head.begin(), head.end());
    out.row(titles);
    return out;
  };
  emit::Columns functions = table("function"), lines = table("line");
  for (std::size_t i = 0; i < std::min(top, a.lines->functions.size()); ++i)
    functions.row(ownRow(a, a.lines->functions[i].name, a.lines->functions[i].own));
  for (std::size_t i = 0; i < std::min(top, a.lines->lines.size()); ++i)
    lines.row(ownRow(a, placeOf(a.lines->lines[i]), a.lines->lines[i].own));
  return "\nFunctions\n" + functions.str() + (a.lines->calls.empty() ? "" : "\nLines\n" + lines.str()) +
         "  moved: operations that caches compute; saved: cycles of all that the program takes less there\n";
}

std::string toTable(const ProfileAnswer &a, std::size_t top) {
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
  if (a.lines) {
    out += linesTables(a, top);
  } else if (!a.functions.empty()) {
    out += "\nFunctions\n";
    emit::Columns functions("lrr", 2);
    for (std::size_t i = 0; i < std::min(top, a.functions.size()); ++i)
      functions.row({a.functions[i].name, fmt::format("{}", a.functions[i].cycles),
                     percent(ratio(a.functions[i].cycles, p.cycles))});
    out += functions.str();
  }
  if (a.sharing) out += "\n" + emit::sharingText(a.sharing.get());
  for (const std::string &w : a.warnings) out += fmt::format("\nnote: {}", w);
  return out + (a.warnings.empty() ? "" : "\n");
}

}  // namespace

Outcome show(const ProfileAnswer &answer, const Options &options) {
  return {options.isJson ? toJson(answer) : toTable(answer, static_cast<std::size_t>(options.top)), {}, 0};
}

}  // namespace pimento::driver
