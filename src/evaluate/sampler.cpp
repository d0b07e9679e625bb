#include "pimento/evaluate/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pimento/base/statistics.h"

namespace pimento::evaluate {

namespace {

/// What `lead` has, and `factor` times what `all` has beyond it.
class Extrapolation {
 public:
  Extrapolation(const Profile &lead, double factor) : lead_(lead), factor_(factor) {}

  void operator()(std::int64_t &all, std::int64_t lead) const {
    all = lead + std::llround(static_cast<double>(all - lead) * factor_);
  }
  void operator()(Picojoules &all, Picojoules lead) const {
    all = Picojoules(lead.value + (all.value - lead.value) * factor_);
  }
  template <typename Key>
  void operator()(std::map<Key, std::int64_t> &all, const std::map<Key, std::int64_t> &lead) const {
    for (auto &[key, x] : all) {
      const auto found = lead.find(key);
      (*this)(x, found == lead.end() ? 0 : found->second);
    }
  }
  template <typename List>
  void list(List &all, const List &lead) const {
    for (std::size_t i = 0; i < all.size(); ++i) (*this)(all[i], lead[i]);
  }

  void apply(trace::CandidateCounts &c) const {
    const trace::CandidateCounts &l = lead_.candidates;
    (*this)(c.trees, l.trees);
    (*this)(c.stored, l.stored);
    list(c.operations, l.operations);
    list(c.loads, l.loads);
    for (std::size_t i = 0; i < c.at.size(); ++i) {
      (*this)(c.at[i].trees, l.at[i].trees);
      (*this)(c.at[i].stored, l.at[i].stored);
      (*this)(c.at[i].loads, l.at[i].loads);
      list(c.at[i].operations, l.at[i].operations);
    }
    (*this)(c.removed.operations, l.removed.operations);
    (*this)(c.removed.loads, l.removed.loads);
    (*this)(c.removed.stores, l.removed.stores);
    (*this)(c.removed.registerReads, l.removed.registerReads);
    (*this)(c.removed.registerWrites, l.removed.registerWrites);
  }
  void apply(Account &a, const Account &l) const {
    (*this)(a.counts, l.counts);
    if (a.energy && l.energy) apply(*a.energy, *l.energy);
  }
  void apply(energy::EnergyReport &e, const energy::EnergyReport &l) const {
    for (std::size_t i = 0; i < e.rows.size(); ++i) {
      (*this)(e.rows[i].count, l.rows[i].count);
      (*this)(e.rows[i].energy, l.rows[i].energy);
      (*this)(e.rows[i].low, l.rows[i].low);
      (*this)(e.rows[i].high, l.rows[i].high);
    }
    for (auto &[name, c] : e.components) {
      const auto found = l.components.find(name);
      const energy::ComponentEnergy before = found == l.components.end() ? energy::ComponentEnergy{} : found->second;
      (*this)(c.dynamic, before.dynamic);
      (*this)(c.background, before.background);
    }
    (*this)(e.dynamic, l.dynamic);
    (*this)(e.background, l.background);
    (*this)(e.total, l.total);
    (*this)(e.low, l.low);
    (*this)(e.high, l.high);
  }
  void apply(ClassedAccesses &a) const {
    (*this)(a.writes, lead_.accesses.writes);
    (*this)(a.notConvertible, lead_.accesses.notConvertible);
    (*this)(a.convertible, lead_.accesses.convertible);
  }

 private:
  const Profile &lead_;
  double factor_;
};

/// Causes sum to the cycles: the largest takes what rounding leaves.
void makeSum(std::map<std::string, std::int64_t> &stack, std::int64_t cycles) {
  if (stack.empty()) return;
  std::int64_t sum = 0;
  for (const auto &[cause, x] : stack) sum += x;
  const auto isLess = [](const auto &a, const auto &b) { return a.second < b.second; };
  std::max_element(stack.begin(), stack.end(), isLess)->second += cycles - sum;
}

}  // namespace

Sampler::Sampler(Profiler &profiler, const SamplePlan &plan, std::uint64_t seed)
    : profiler_(profiler), plan_(plan), random_(seed), period_(plan.lead) {}

void Sampler::place() {
  const auto room = static_cast<std::uint64_t>(plan_.period - plan_.fill - plan_.measured);
  begin_ = period_ + static_cast<std::int64_t>(random_.below(room + 1));
  period_ += plan_.period;
}

void Sampler::endLead() {
  lead_ = profiler_.profile();
  state_ = State::kWarm;
  place();
}

void Sampler::endWindow() {
  const Profiler::Progress now = profiler_.progress();
  cpis_.push_back(static_cast<double>(now.cycles - from_.cycles) /
                  static_cast<double>(now.instructions - from_.instructions));
  state_ = State::kWarm;
  place();
}

void Sampler::onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  if (state_ == State::kLead && instructions_ >= plan_.lead) endLead();
  if (state_ == State::kMeasure && instructions_ >= begin_ + plan_.fill + plan_.measured) endWindow();
  if (state_ == State::kWarm && instructions_ >= begin_) state_ = State::kFill;
  if (state_ == State::kFill && instructions_ >= begin_ + plan_.fill) {
    state_ = State::kMeasure;
    from_ = profiler_.progress();
  }
  instructions_ += count;
  if (state_ == State::kWarm)
    profiler_.warm(block, count, accesses);
  else
    profiler_.onBlock(block, count, accesses);
}

void Sampler::onEnd() {
  profiler_.onEnd();
  // A window that the stream's end has cut counts if most of it ran.
  if (state_ == State::kMeasure && 2 * (profiler_.progress().instructions - from_.instructions) >= plan_.measured)
    endWindow();
}

Profile Sampler::profile() const {
  Profile p = profiler_.profile();
  if (!lead_) {
    p.interval = {static_cast<double>(p.cycles), static_cast<double>(p.cycles)};
    return p;
  }
  const auto rest = static_cast<double>(instructions_ - lead_->instructions);
  const auto run = static_cast<double>(p.instructions - lead_->instructions);
  const auto before = static_cast<double>(lead_->cycles), windows = static_cast<double>(cpis_.size());
  // Without a window what ran beyond the lead, or the lead itself, stands for the rest.
  double cpi =
      run > 0 ? static_cast<double>(p.cycles - lead_->cycles) / run : before / static_cast<double>(lead_->instructions);
  if (!cpis_.empty()) cpi = std::accumulate(cpis_.begin(), cpis_.end(), 0.0) / windows;
  const std::int64_t cycles = std::llround(before + rest * cpi);
  if (cpis_.size() > 1) {
    double squares = 0;
    for (const double c : cpis_) squares += (c - cpi) * (c - cpi);
    constexpr double kBelow = 0.995;  // 99 % between both ends
    const double half =
        studentQuantile(kBelow, static_cast<int>(cpis_.size()) - 1) * std::sqrt(squares / (windows - 1) / windows);
    p.interval = {std::max(before, before + rest * (cpi - half)), before + rest * (cpi + half)};
  }
  const Extrapolation extrapolate(*lead_, run > 0 ? rest / run : 1);
  const auto beyond = static_cast<double>(p.cycles - lead_->cycles);
  const Extrapolation stretch(*lead_, beyond > 0 ? static_cast<double>(cycles - lead_->cycles) / beyond : 1);
  stretch(p.stack, lead_->stack);
  makeSum(p.stack, cycles);
  stretch(p.cyclesAt, lead_->cyclesAt);
  extrapolate(p.counts, lead_->counts);
  extrapolate.apply(p.candidates);
  extrapolate.apply(p.accesses);
  extrapolate.apply(p.energy, lead_->energy);
  extrapolate.apply(p.low, lead_->low);
  extrapolate.apply(p.high, lead_->high);
  p.instructions = instructions_;
  p.cycles = cycles;
  return p;
}

}  // namespace pimento::evaluate
