#include "pimento/targets/l3_sram/path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "pimento/emit/format.h"
#include "pimento/targets/l3_sram/transposition.h"

namespace pimento::targets::l3_sram {

using Step = evaluate::Target::Step;

namespace {

/// States that are followed at a time, of programs with few runs and with many.
constexpr std::size_t kStates = 16, kStatesOfMany = 4, kManyRuns = 256;

struct Node {
  std::int64_t cycles = 0;
  std::unique_ptr<ChipState> state;
  int before = -1;  ///< of the last run's nodes
  Place place = Place::kCore;
};

std::unique_ptr<ChipState> copyOf(const ChipState &state) {
  return std::make_unique<ChipState>(state);
}

class Path {
 public:
  Path(const std::vector<const ChipKernel *> &runs, const ChipState &idle, const machine::Machine &machine,
       Cache *shared)
      : runs_(runs), idle_(idle), machine_(machine), shared_(shared) {}

  Result<std::vector<Step>> choose() {
    if (isByEquation2()) return byEquation2();
    const Result<std::vector<Place>> places = least();
    if (!places) return places.diagnostics();
    return explained(*places);
  }

  Result<ChipRun> total() {
    std::vector<Place> places;
    if (isByEquation2()) {
      const auto steps = byEquation2();
      if (!steps) return steps.diagnostics();
      for (const Step &s : *steps) places.push_back(static_cast<Place>(s.place));
    } else {
      Result<std::vector<Place>> found = least();
      if (!found) return found.diagnostics();
      places = std::move(*found);
    }
    return totalOf(places);
  }

 private:
  bool isByEquation2() const { return machine_.kernels->decision == machine::ChipKernels::Decision::kEquation2; }

  Result<std::vector<Place>> least() {
    Result<std::vector<Place>> least = shortest();
    if (!least) return least;
    Result<ChipRun> best = totalOf(*least);
    for (int p = 0; p < kPlaces; ++p) {
      const std::vector<Place> pure = allIn(static_cast<Place>(p));
      if (pure.empty()) continue;
      const Result<ChipRun> other = totalOf(pure);
      if (other && (!best || other->cycles() < best->cycles())) {
        best = other;
        *least = pure;
      }
    }
    return least;
  }

  bool mayRun(std::size_t run, Place place) const {
    const std::vector<Place> places = runs_[run]->places();
    return std::ranges::find(places, place) != places.end();
  }

  /// Every run in one place, those that cannot in the next best; empty: none can.
  std::vector<Place> allIn(Place place) const {
    std::vector<Place> places;
    bool isAny = false;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r] == nullptr) {
        places.push_back(Place::kCore);
        continue;
      }
      const bool can = mayRun(r, place);
      isAny |= can;
      Place other = Place::kCore;
      if (mayRun(r, Place::kNearL3))
        other = Place::kNearL3;
      else if (!mayRun(r, other))
        other = runs_[r]->places().front();
      places.push_back(can ? place : other);
    }
    return isAny ? places : std::vector<Place>();
  }

  Result<ChipRun> totalOf(const std::vector<Place> &places) const {
    std::unique_ptr<ChipState> state = copyOf(idle_);
    ChipRun total;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r] == nullptr) continue;
      const auto ran = runs_[r]->run(places[r], *state, shared_);
      if (!ran) return ran.diagnostics();
      total.add(ran->time);
    }
    return total;
  }

  Result<std::vector<Place>> shortest() {
    std::vector<std::vector<Node>> levels(1);
    levels.front().push_back({0, copyOf(idle_), -1, Place::kCore});
    const bool isOfMany = runs_.size() > kManyRuns;
    const std::size_t most = isOfMany ? kStatesOfMany : kStates;
    if (isOfMany) findLives();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const ChipKernel *run = runs_[r];
      std::vector<Node> next;
      std::map<std::string, std::size_t> byKey;
      Diagnostics refused;
      for (std::size_t n = 0; n < levels.back().size(); ++n) {
        const Node &from = levels.back()[n];
        if (run == nullptr) {
          next.push_back({from.cycles, copyOf(*from.state), static_cast<int>(n), Place::kCore});
          continue;
        }
        for (const Place place : run->places()) {
          std::unique_ptr<ChipState> state = copyOf(*from.state);
          const auto ran = run->run(place, *state, shared_);
          if (!ran) {
            refused = ran.diagnostics();
            continue;
          }
          Node node{from.cycles + ran->time.cycles(), std::move(state), static_cast<int>(n), place};
          const auto [at, isNew] = byKey.try_emplace(node.state->key(), next.size());
          if (isNew)
            next.push_back(std::move(node));
          else if (node.cycles < next[at->second].cycles)
            next[at->second] = std::move(node);
        }
      }
      if (next.empty()) return refused;
      std::ranges::stable_sort(next, {}, &Node::cycles);
      if (next.size() > most) next.resize(most);
      if (isOfMany) {
        const std::int64_t worth = next.front().cycles + worthAfter(r);
        std::erase_if(next, [&](const Node &n) { return n.cycles > worth; });
      }
      // Only the last states are needed; their way is.
      for (Node &old : levels.back()) old.state.reset();
      levels.push_back(std::move(next));
    }
    std::vector<Place> places(runs_.size());
    int at = 0;
    for (std::size_t r = runs_.size(); r-- > 0;) {
      const Node &node = levels[r + 1][static_cast<std::size_t>(at)];
      places[r] = node.place;
      at = node.before;
    }
    return places;
  }

  /// By tensor: runs from where on it holds something, and until where that is read.
  void findLives() {
    const std::size_t tensors = idle_.tensors.size();
    from_.assign(tensors, -1);  // inputs
    until_.assign(tensors, -1);
    std::vector<bool> isMade(tensors, false);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r] == nullptr) continue;
      for (const std::size_t t : runs_[r]->reads()) {
        isMade[t] = true;
        until_[t] = static_cast<std::int64_t>(r);
      }
      for (const std::size_t t : runs_[r]->writes()) {
        if (!isMade[t]) from_[t] = static_cast<std::int64_t>(r);
        isMade[t] = true;
      }
    }
  }

  /// What a state behind a run can be worth more than another, in programs of many runs: all that is read later moved
  /// out and in again, and a start of the arrays.
  std::int64_t worthAfter(std::size_t run) const {
    constexpr std::int64_t kStart = 20'000;
    const auto any = std::ranges::find_if(runs_, [](const ChipKernel *k) { return k != nullptr; });
    if (any == runs_.end()) return 0;  // one state, which stays
    const auto at = static_cast<std::int64_t>(run);
    std::int64_t bytes = 0;
    for (std::size_t t = 0; t < until_.size(); ++t)
      if (from_[t] <= at && until_[t] > at) bytes += (*any)->bytesOf(t);
    return kStart + 2 * memoryCycles(machine_, bytes);
  }

  /// What each run would take elsewhere, from the state that it finds.
  Result<std::vector<Step>> explained(const std::vector<Place> &places) const {
    std::vector<Step> steps(runs_.size());
    std::unique_ptr<ChipState> state = copyOf(idle_);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r] == nullptr) continue;
      steps[r].place = static_cast<int>(places[r]);
      std::vector<std::string> others;
      std::unique_ptr<ChipState> after;
      for (const Place place : runs_[r]->places()) {
        std::unique_ptr<ChipState> there = copyOf(*state);
        const auto ran = runs_[r]->run(place, *there, shared_);
        if (ran) others.push_back(fmt::format("{} {}", name(place), emit::grouped(ran->time.cycles())));
        if (!ran && place == places[r]) return ran.diagnostics();
        if (place == places[r]) after = std::move(there);
      }
      state = std::move(after);
      steps[r].why = others.size() == 1
                         ? "no other place"
                         : fmt::format("the whole program takes least; here: {} cycles", fmt::join(others, ", "));
    }
    return steps;
  }

  Result<std::vector<Step>> byEquation2() const {
    std::vector<Step> steps(runs_.size());
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r] == nullptr) continue;
      const Place other = mayRun(r, Place::kNearL3) ? Place::kNearL3 : Place::kCore;
      Place place = other;
      std::string why = "no graph for the arrays";
      if (mayRun(r, Place::kInL3)) {
        const auto e = runs_[r]->equation2();
        if (!e) return e.diagnostics();
        if (e->isInMemory()) place = Place::kInL3;
        why = fmt::format("equation (2): {:.0f} {} {:.0f}", e->left(), e->isInMemory() ? ">" : "<=", e->right());
      }
      steps[r] = {static_cast<int>(place), why};
    }
    return steps;
  }

  const std::vector<const ChipKernel *> &runs_;
  const ChipState &idle_;
  const machine::Machine &machine_;
  Cache *shared_;
  std::vector<std::int64_t> from_, until_;
};

}  // namespace

Result<ChipRun> totalOfPath(const std::vector<const ChipKernel *> &runs, const ChipState &idle,
                            const machine::Machine &machine, Cache *shared) {
  return Path(runs, idle, machine, shared).total();
}

Result<std::vector<Step>> choosePath(const std::vector<const ChipKernel *> &runs, const ChipState &idle,
                                     const machine::Machine &machine, Cache *shared) {
  return Path(runs, idle, machine, shared).choose();
}

}  // namespace pimento::targets::l3_sram
