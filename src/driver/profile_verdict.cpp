#include "pimento/driver/profile_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/driver/verbs/profile.h"
#include "pimento/emit/format.h"

namespace pimento::driver {

namespace {

using evaluate::Account;

/// From which product of less time and less energy on it is worth something, and much.
constexpr double kLittle = 1.01, kMuch = 1.1;

/// How much less time and energy, as one number.
double gainOf(const evaluate::Profile &p) {
  return p.resimulated ? p.resimulated->speedup * p.resimulated->energyImprovement.value_or(1) : 0;
}

/// "3.2 % less time", "the same time".
std::string change(double improvement, std::string_view of) {
  constexpr double kSame = 0.0005;
  const double less = 1 - 1 / improvement;
  if (std::abs(less) < kSame) return fmt::format("the same {}", of);
  return less > 0 ? fmt::format("{:.1f} % less {}", 100 * less, of) : fmt::format("{:.1f} % more {}", -100 * less, of);
}

std::string howMuch(const ProfileAnswer &a, const ProfileChoice &best) {
  const Account &account = *best.profile.resimulated;
  const double gain = gainOf(best.profile);
  std::string out = gain >= kMuch ? "Worth it" : gain >= kLittle ? "Worth little" : "Not worth it";
  out += fmt::format(": against the same caches that do not compute, with {} the program takes {}", nameOf(best),
                     change(account.speedup, "time"));
  if (account.energyImprovement) out += fmt::format(" and {}", change(*account.energyImprovement, "energy"));
  out += a.choices.size() > 1 ? fmt::format(", the best of {} choices", a.choices.size()) : "";
  return out + fmt::format(" (simulated again; the paper's formula says {} to {}).",
                           change(best.profile.low.speedup, "time"), change(best.profile.high.speedup, "time"));
}

std::string whatMoves(const evaluate::Profile &p) {
  std::int64_t operations = 0;
  for (const std::int64_t n : p.candidates.operations) operations += n;
  if (p.candidates.trees == 0)
    return operations == 0
               ? "The program has no operation that the caches have."
               : fmt::format("None of its {} operations that the caches have can be moved.", emit::grouped(operations));
  return fmt::format(
      "{} of its {} operations that the caches have move, in {} candidates that replace {:.1f} % of loads "
      "and stores.",
      emit::grouped(p.candidates.offloaded()), emit::grouped(operations), emit::grouped(p.candidates.trees),
      100 * p.conversion);
}

/// The two reasons that keep the most operations.
std::string whatKeeps(const evaluate::Profile &p) {
  std::vector<std::pair<std::string, std::int64_t>> reasons;
  std::int64_t all = 0;
  for (const auto &[reason, n] : lost(p.candidates)) {
    if (reason.starts_with("load_") || n == 0) continue;
    reasons.emplace_back(reason, n);
    all += n;
  }
  if (reasons.empty()) return {};
  std::ranges::stable_sort(reasons, std::ranges::greater(), [](const auto &r) { return r.second; });
  std::string out = "The others stay because ";
  constexpr std::size_t kTold = 2;
  for (std::size_t i = 0; i < std::min(kTold, reasons.size()); ++i)
    out += fmt::format("{}{} ({:.0f} %)", i > 0 ? ", or " : "", reasonInWords(reasons[i].first),
                       100 * static_cast<double>(reasons[i].second) / static_cast<double>(all));
  return out + ".";
}

/// Where time goes that the formula does not see.
std::string whyNotTheFormula(const evaluate::Profile &p) {
  const Account &again = *p.resimulated;
  if (p.candidates.trees == 0) return {};
  const double hidden = again.cycles - p.ideal->cycles;
  std::string out;
  if (hidden > 0.01 * static_cast<double>(p.cycles))
    out = fmt::format(
        "Operations in caches take {:.1f} % of the time that the program took; if they took none, it would "
        "take {}.",
        100 * hidden / static_cast<double>(p.cycles), change(p.ideal->speedup, "time"));
  if (again.mostImprovement && *again.mostImprovement < 10)
    out += fmt::format("{}No more than {:.2f} times less energy is possible while all other events are as many as now.",
                       out.empty() ? "" : " ", *again.mostImprovement);
  return out;
}

}  // namespace

std::string nameOf(const ProfileChoice &choice) {
  std::string levels = choice.levels;
  if (levels.empty() && choice.machine.cim)
    for (const int l : choice.machine.cim->levels)
      levels += (levels.empty() ? "" : "+") + choice.machine.caches[static_cast<std::size_t>(l)].name;
  std::string of = choice.technology;
  for (const std::string &more : {choice.arrays, choice.caches})
    if (!more.empty()) of += (of.empty() ? "" : ", ") + more;
  return of.empty() ? levels : fmt::format("{} of {}", levels, of);
}

std::string_view reasonInWords(std::string_view reason) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"width", "they are of another width"},
      {"no_load", "they have no operand in memory"},
      {"register", "an operand comes from a register"},
      {"flags", "their flags are used"},
      {"conditional", "they may not take effect"},
      {"store_between", "a store comes in between"},
      {"level", "an operand lies where nothing computes"},
      {"levels", "operands lie at different levels"},
      {"bank", "operands lie in different banks"},
      {"bitline", "operands lie on different bitlines"},
      {"cost", "caches would take longer, or more energy"},
      {"load_kept", "the value is used elsewhere, too"},
      {"load_unused", "no such operation uses the value as it is"},
      {"load_rejected", "the operation that uses the value stays"},
  };
  const auto found = std::ranges::find(kWords, reason, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kWords) ? reason : found->second;
}

std::vector<std::string> verdictOf(const ProfileAnswer &a) {
  const auto best = std::ranges::max_element(a.choices, {}, [](const ProfileChoice &c) { return gainOf(c.profile); });
  if (best == a.choices.end() || !best->profile.resimulated) return {};
  std::vector<std::string> out = {howMuch(a, *best), whatMoves(best->profile), whatKeeps(best->profile),
                                  whyNotTheFormula(best->profile)};
  std::erase(out, "");
  return out;
}

}  // namespace pimento::driver
