#include "pimento/tune/tuning.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/evaluate/target.h"
#include "pimento/search/pareto.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/explore.h"
#include "pimento/tune/predicted.h"
#include "pimento/tune/predictor.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace pimento::tune {

namespace {

using Json = nlohmann::json;

constexpr const char *kKind = "tuned";
constexpr std::size_t kMostOnFront = 64;

// --- an answer as the store keeps it

Json jsonOf(const TunedMapping &m) {
  return {m.mapping, m.cost.kernel.value, m.cost.total.value, m.cost.energy.value, m.cost.kernelEnergy.value};
}

TunedMapping mappingIn(const Json &j) {
  TunedMapping m;
  m.mapping = j.at(0).get<std::string>();
  m.cost = {Cycles(j.at(1).get<std::int64_t>()), Cycles(j.at(2).get<std::int64_t>()), Picojoules(j.at(3).get<double>()),
            Picojoules(j.at(4).get<double>())};
  return m;
}

std::string textOf(const Tuned &t) {
  Json front = Json::array();
  for (const TunedMapping &m : t.front) front.push_back(jsonOf(m));
  const DraftFates &d = t.drafts;
  return Json{{"best", jsonOf(t.best)},
              {"front", front},
              {"reference", t.reference ? jsonOf(*t.reference) : Json()},
              {"drafts", {d.all, d.rule1, d.rule2, d.rule3, d.equal, d.bounded, d.illegal, d.evaluated, d.open}},
              {"stop", static_cast<int>(t.stop)},
              {"gap", t.gap},
              {"guess", t.guess ? Json(*t.guess) : Json()},
              {"sampled", t.isSampled},
              {"checked", t.isChecked},
              {"runs", t.deviceRuns}}
      .dump();
}

/// Nothing: it is damaged, and is found again.
std::optional<Tuned> tunedIn(const std::string &text) {
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded()) return std::nullopt;
  try {
    Tuned t;
    t.best = mappingIn(j.at("best"));
    for (const Json &m : j.at("front")) t.front.push_back(mappingIn(m));
    if (!j.at("reference").is_null()) t.reference = mappingIn(j.at("reference"));
    const auto d = j.at("drafts").get<std::vector<std::int64_t>>();
    if (d.size() != 9) return std::nullopt;
    t.drafts = {d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8]};
    t.stop = static_cast<search::Stop>(j.at("stop").get<int>());
    t.gap = j.at("gap").get<double>();
    if (const Json guess = j.value("guess", Json()); !guess.is_null()) t.guess = guess.get<double>();
    t.isSampled = j.at("sampled").get<bool>();
    t.isChecked = j.at("checked").get<bool>();
    t.deviceRuns = j.at("runs").get<std::int64_t>();
    return t;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

std::string nameOf(const TuneOptions &options, const Control &control) {
  std::string out = fmt::format("{}{} budget {}{}", control.scope, name(options.objective), options.budget,
                                options.isExhaustive ? " exhaustive" : "");
  if (options.predictor != nullptr)
    out += fmt::format(" best {} by predictor {}", options.predicted, options.predictor->version());
  return out;
}

// --- the answer of an exploration

std::vector<TunedMapping> frontOf(const Exploration &found) {
  search::Pareto pareto;
  for (std::size_t i = 0; i < found.rows.size(); ++i)
    if (const Row &r = found.rows[i]; r.how == search::Fate::kEstimated)
      pareto.add({static_cast<double>(r.cost.total.value), r.cost.energy.value, static_cast<std::int64_t>(i)});
  std::vector<TunedMapping> front;
  for (const search::Pareto::Point &p : pareto.front()) {
    const Row &r = found.rows[static_cast<std::size_t>(p.number)];
    if (front.size() < kMostOnFront) front.push_back({r.mapping, r.cost});
  }
  return front;
}

/// Where the budget was spent too early, the reference may be better than all that was run.
Tuned answerOf(const Exploration &found, evaluate::Objective objective) {
  Tuned t;
  const Row &best = found.rows[static_cast<std::size_t>(found.front.front())];
  t.best = {best.mapping, best.cost};
  t.front = frontOf(found);
  double worse = 1;
  if (found.reference) {
    t.reference = {found.referenceMapping, *found.reference};
    const double ours = evaluate::valueOf(t.best.cost, objective),
                 theirs = evaluate::valueOf(*found.reference, objective);
    if (found.stop == search::Stop::kBudget && theirs < ours) {
      worse = ours / theirs;
      t.best = *t.reference;
    }
  }
  const mapping::DraftCounts &dropped = found.drafts;
  t.drafts = {found.space + dropped.rule1 + dropped.rule2 + dropped.rule3,
              dropped.rule1,
              dropped.rule2,
              dropped.rule3,
              found.equal,
              found.bounded,
              found.illegal,
              found.estimated,
              found.open};
  t.stop = found.stop;
  // Nothing costs less than (1 - gap) of the best that was run, which is so many times the reference.
  t.gap = std::max(0.0, 1 - (1 - std::max(found.proof.gap.time, found.proof.gap.energy)) * worse);
  t.isSampled = found.proof.isSampled;
  t.deviceRuns = found.deviceRuns;
  return t;
}

/// No candidate costs less than (1 - gap) times the best, as far as bounds without programs say.
double gapOf(const Problem &problem, evaluate::Objective objective, double best) {
  const auto leasts = problem.target->leastCosts(problem.all(), *problem.machine);
  if (leasts == nullptr || best <= 0) return 1;
  double least = best;
  for (Candidates candidates(problem); candidates.next();) {
    const auto bound = leasts->of(candidates.mapping());
    if (!bound) return 1;
    least = std::min(least, evaluate::valueOf(evaluate::costOf(*problem.machine, {}, *bound), objective));
  }
  return 1 - least / best;
}

Result<Tuned> tunePredicted(const Problem &problem, const TuneOptions &options, const Control &control) {
  const auto count = static_cast<std::size_t>(options.predicted);
  const Result<Guesses> guesses = guess(problem, *options.predictor, options.objective, count, control);
  if (!guesses) return guesses.diagnostics();
  std::vector<std::string> mappings;
  for (const Guess &g : guesses->best) mappings.push_back(g.mapping);
  ExploreOptions how;
  how.isUnbounded = true;
  how.objective = options.objective;
  how.only = &mappings;
  const Result<Exploration> found = explore(problem, how, control);
  if (!found) return found.diagnostics();
  Tuned t = answerOf(*found, options.objective);
  for (const Guess &g : guesses->best)
    if (g.mapping == t.best.mapping) t.guess = g.cost;
  t.drafts.all = guesses->space + guesses->drafts.rule1 + guesses->drafts.rule2 + guesses->drafts.rule3;
  t.drafts.rule1 = guesses->drafts.rule1;
  t.drafts.rule2 = guesses->drafts.rule2;
  t.drafts.rule3 = guesses->drafts.rule3;
  t.drafts.illegal = guesses->illegal;
  t.drafts.open = guesses->space - t.drafts.evaluated - t.drafts.equal - t.drafts.illegal;
  t.gap = gapOf(problem, options.objective, evaluate::valueOf(t.best.cost, options.objective));
  return t;
}

}  // namespace

std::string_view Tuned::stopText() const {
  switch (stop) {
    case search::Stop::kDone:
      if (guess) return "predicted";
      return isSampled ? "sampled" : "optimal";
    case search::Stop::kBudget:
      return "budget";
    case search::Stop::kStopped:
      break;
  }
  return "interrupted";
}

std::optional<Tuned> knownAnswer(const TuneOptions &options, const Control &control) {
  if (control.store == nullptr) return std::nullopt;
  const auto kept = control.store->find(kKind, nameOf(options, control));
  return kept ? tunedIn(*kept) : std::nullopt;
}

Result<Tuned> tune(const Problem &problem, const TuneOptions &options, const Control &control) {
  if (options.predictor != nullptr) return tunePredicted(problem, options, control);
  ExploreOptions how;
  how.isExhaustive = options.isExhaustive;
  how.budget = options.budget;
  how.objective = options.objective;
  how.keepsPartial = true;
  const Result<Exploration> found = explore(problem, how, control);
  if (!found) return found.diagnostics();
  if (found->front.empty()) {  // of a share
    Tuned t;
    t.drafts.all = static_cast<std::int64_t>(found->rows.size());
    t.deviceRuns = found->deviceRuns;
    return t;
  }
  return answerOf(*found, options.objective);
}

Status keep(const Tuned &answer, const TuneOptions &options, const Control &control) {
  if (control.store == nullptr || answer.stop == search::Stop::kStopped) return okStatus();
  return control.store->put(kKind, nameOf(options, control), textOf(answer));
}

}  // namespace pimento::tune
