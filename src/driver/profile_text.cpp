#include "pimento/driver/profile_text.h"

#include <nlohmann/json.hpp>

#include "pimento/evaluate/profile.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;
using evaluate::Account;

template <typename T>
Json maybe(const std::optional<T> &x) {
  return x ? Json(*x) : Json(nullptr);
}

template <typename T>
std::optional<T> maybeIn(const Json &j) {
  return j.is_null() ? std::nullopt : std::optional<T>(j.get<T>());
}

Json jsonOf(const energy::EnergyReport &e) {
  Json rows = Json::array();
  for (const energy::EnergyRow &r : e.rows) rows.push_back({r.term, r.energy.value});
  return {e.total.value, rows};
}

energy::EnergyReport energyIn(const Json &j) {
  energy::EnergyReport e;
  e.total = Picojoules(j.at(0).get<double>());
  for (const Json &row : j.at(1)) {
    e.rows.emplace_back();
    e.rows.back().term = row.at(0).get<std::string>();
    e.rows.back().energy = Picojoules(row.at(1).get<double>());
  }
  return e;
}

Json jsonOf(const Account &a) {
  return {a.cycles,
          a.speedup,
          a.counts,
          a.energy ? jsonOf(*a.energy) : Json(nullptr),
          maybe(a.energyImprovement),
          maybe(a.shareProcessor),
          maybe(a.shareCaches),
          maybe(a.mostImprovement)};
}

Account accountIn(const Json &j) {
  Account a;
  a.cycles = j.at(0).get<double>();
  a.speedup = j.at(1).get<double>();
  a.counts = j.at(2).get<std::map<std::string, std::int64_t>>();
  if (!j.at(3).is_null()) a.energy = energyIn(j.at(3));
  a.energyImprovement = maybeIn<double>(j.at(4));
  a.shareProcessor = maybeIn<double>(j.at(5));
  a.shareCaches = maybeIn<double>(j.at(6));
  a.mostImprovement = maybeIn<double>(j.at(7));
  return a;
}

Json jsonOf(const std::optional<Account> &a) {
  return a ? jsonOf(*a) : Json(nullptr);
}

std::optional<Account> maybeAccountIn(const Json &j) {
  return j.is_null() ? std::nullopt : std::optional(accountIn(j));
}

}  // namespace

std::string textOf(const evaluate::Profile &p) {
  return Json{{"instructions", p.instructions},
              {"cycles", p.cycles},
              {"energy", jsonOf(p.energy)},
              {"candidates", {p.candidates.trees, p.candidates.stored, p.candidates.operations, p.candidates.loads}},
              {"conversion", p.conversion},
              {"low", jsonOf(p.low)},
              {"high", jsonOf(p.high)},
              {"release", jsonOf(p.release)},
              {"resimulated", jsonOf(p.resimulated)},
              {"ideal", jsonOf(p.ideal)}}
      .dump();
}

evaluate::Profile profileIn(const std::string &text) {
  const Json j = Json::parse(text);
  evaluate::Profile p;
  p.instructions = j.at("instructions").get<std::int64_t>();
  p.cycles = j.at("cycles").get<std::int64_t>();
  p.energy = energyIn(j.at("energy"));
  const Json &c = j.at("candidates");
  p.candidates.trees = c.at(0).get<std::int64_t>();
  p.candidates.stored = c.at(1).get<std::int64_t>();
  p.candidates.operations = c.at(2).get<std::array<std::int64_t, trace::kFates>>();
  p.candidates.loads = c.at(3).get<std::array<std::int64_t, trace::kLoadFates>>();
  p.conversion = j.at("conversion").get<double>();
  p.low = accountIn(j.at("low"));
  p.high = accountIn(j.at("high"));
  p.release = maybeAccountIn(j.at("release"));
  p.resimulated = maybeAccountIn(j.at("resimulated"));
  p.ideal = maybeAccountIn(j.at("ideal"));
  return p;
}

}  // namespace pimento::driver
