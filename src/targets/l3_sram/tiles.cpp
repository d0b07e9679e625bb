#include "pimento/targets/l3_sram/tiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/targets/l3_sram/path.h"

namespace pimento::targets::l3_sram {

using evaluate::CompiledPart;
using evaluate::Target;

namespace {

/// A kernel that the user wrote, in one tile; of its members, which are its rounds.
struct Candidate {
  Tile tile;
  std::vector<std::unique_ptr<CompiledPart>> own;  ///< by member; empty: as they are
  std::vector<const ChipKernel *> chips;           ///< by member
  std::int64_t leastRun = 0;                       ///< of its members in the arrays, the shortest
  bool isLegal = true;
};

struct Kernel {
  std::vector<std::size_t> members;
  std::vector<Candidate> candidates;  ///< the first one is what there is
};

bool mayRunInL3(const ChipKernel *chip) {
  if (chip == nullptr) return false;
  const std::vector<Place> places = chip->places();
  return std::ranges::find(places, Place::kInL3) != places.end();
}

/// By kernel, the number of its candidate.
using Assignment = std::vector<std::size_t>;

class TileSearch {
 public:
  TileSearch(std::span<const Target::Member> members, std::span<const int> runs, const ChipState &idle,
             const machine::Machine &machine, const evaluate::RunMode &mode, const TileTools &tools)
      : members_(members), runs_(runs), idle_(idle), machine_(machine), mode_(mode), tools_(tools) {}

  Result<Target::Together> choose() {
    Target::Together out;
    out.instead.resize(members_.size());
    out.why.resize(members_.size());
    findKernels();
    if (kernels_.empty()) return out;
    const Assignment heuristic(kernels_.size(), 0);
    Result<ChipRun> first = totalOf(heuristic);
    if (!first) return first.diagnostics();
    const std::int64_t before = least_ = first->cycles();
    best_ = heuristic;
    keep(heuristic, *first);
    compileCandidates();
    uniform();
    if (spaceOf() > kExhaustive) leaveOut();
    const std::int64_t space = spaceOf();
    if (space <= kExhaustive)
      all();
    else
      oneAfterTheOther();
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      Candidate &chosen = kernels_[k].candidates[best_[k]];
      for (std::size_t m = 0; m < kernels_[k].members.size(); ++m) {
        const std::size_t member = kernels_[k].members[m];
        out.why[member] = whyOf(before, best_[k], tilesOfKernel_[k]);
        if (!chosen.own.empty()) out.instead[member] = std::move(chosen.own[m]);
      }
    }
    out.tried = std::move(tried_);
    return out;
  }

 private:
  std::string whyOf(std::int64_t before, std::size_t chosen, std::size_t tiles) const {
    return fmt::format(
        "of {} tiles {}, with which the whole program takes least of {} that were compared{}", tiles,
        chosen == 0 ? "the published heuristic's" : "another than the published heuristic's", tried_.size(),
        least_ < before ? fmt::format(", with the heuristic's tiles it takes {:.1f} % more",
                                      100.0 * static_cast<double>(before) / static_cast<double>(least_) - 100.0)
                        : std::string());
  }

  /// Kernels whose tile is open, and their tiles.
  void findKernels() {
    std::map<std::size_t, Kernel> byOrigin;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const Target::Member &member = members_[m];
      if (member.open == nullptr || member.compiled == nullptr) continue;
      if (!mayRunInL3(tools_.chipOf(*member.compiled))) continue;
      byOrigin[member.origin].members.push_back(m);
    }
    std::size_t programs = 0;
    for (auto &[origin, kernel] : byOrigin) {
      if (kernel.members.size() > kMostRounds) continue;
      const Target::Member &first = members_[kernel.members.front()];
      const Result<Plan> plan = graphsOf(first.part, machine_);
      if (!plan) continue;
      const auto tiles = tilesOf(first.part, *plan, machine_, first.open->mapping.parameters);
      if (!tiles || tiles->size() < 2) continue;
      programs += kernel.members.size() * tiles->size();
      if (programs > kMostKernels) break;
      for (const Tile &tile : *tiles) kernel.candidates.push_back({tile, {}, {}, 0, true});
      for (const std::size_t m : kernel.members)
        kernel.candidates.front().chips.push_back(tools_.chipOf(*members_[m].compiled));
      tilesOfKernel_.push_back(tiles->size());
      kernels_.push_back(std::move(kernel));
    }
  }

  void compileCandidates() {
    std::vector<std::pair<const Kernel *, Candidate *>> work;
    for (Kernel &k : kernels_)
      for (std::size_t c = 1; c < k.candidates.size(); ++c) work.emplace_back(&k, &k.candidates[c]);
    parallelFor(mode_.jobs, static_cast<std::int64_t>(work.size()), [&](std::int64_t i) {
      const auto &[kernel, candidate] = work[static_cast<std::size_t>(i)];
      compile(*kernel, *candidate);
    });
    for (Kernel &k : kernels_) std::erase_if(k.candidates, [](const Candidate &c) { return !c.isLegal; });
  }

  void compile(const Kernel &kernel, Candidate &candidate) const {
    candidate.leastRun = INT64_MAX;
    candidate.isLegal = false;
    for (const std::size_t m : kernel.members) {
      const Target::Member &member = members_[m];
      const Result<Plan> plan = graphsOf(member.part, machine_);
      if (!plan) return;
      const mapping::Mapping mapping = mappingIn(candidate.tile, member.part, *plan, machine_, *member.open);
      auto made = tools_.compile(member.part, mapping);
      if (!made) return;
      const ChipKernel *chip = tools_.chipOf(**made);
      if (!mayRunInL3(chip)) return;
      const Result<std::int64_t> least = chip->leastInArrays(mode_.shared);
      if (!least) return;
      candidate.leastRun = std::min(candidate.leastRun, *least);
      candidate.own.push_back(std::move(*made));
      candidate.chips.push_back(chip);
    }
    candidate.isLegal = true;
  }

  std::int64_t spaceOf() const {
    std::int64_t space = 1;
    for (const Kernel &k : kernels_) space = multiplySaturated(space, static_cast<std::int64_t>(k.candidates.size()));
    return space;
  }

  /// Those in which a single run in the arrays is longer than the best program that is known.
  void leaveOut() {
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      std::vector<Candidate> stay;
      const std::size_t best = best_[k];
      for (std::size_t c = 0; c < kernels_[k].candidates.size(); ++c) {
        Candidate &candidate = kernels_[k].candidates[c];
        if (c != 0 && c != best && candidate.leastRun >= least_) continue;
        if (c == best) best_[k] = stay.size();
        stay.push_back(std::move(candidate));
      }
      kernels_[k].candidates = std::move(stay);
    }
    known_ = {best_};  // others have other numbers now
  }

  Result<ChipRun> totalOf(const Assignment &a) const {
    std::vector<const ChipKernel *> chips(members_.size(), nullptr);
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m].compiled != nullptr) chips[m] = tools_.chipOf(*members_[m].compiled);
    for (std::size_t k = 0; k < kernels_.size(); ++k)
      for (std::size_t m = 0; m < kernels_[k].members.size(); ++m)
        chips[kernels_[k].members[m]] = kernels_[k].candidates[a[k]].chips[m];
    std::vector<const ChipKernel *> order;
    for (const int run : runs_) order.push_back(chips[static_cast<std::size_t>(run)]);
    return totalOfPath(order, idle_, machine_, mode_.shared);
  }

  /// Runs those that are new, and keeps the best: of equal ones the first.
  void evaluate(const std::vector<Assignment> &wanted) {
    std::vector<Assignment> fresh;
    for (const Assignment &a : wanted)
      if (!known_.contains(a) && std::ranges::find(fresh, a) == fresh.end()) fresh.push_back(a);
    std::vector<std::optional<ChipRun>> totals(fresh.size());
    parallelFor(mode_.jobs, static_cast<std::int64_t>(fresh.size()), [&](std::int64_t i) {
      const Result<ChipRun> found = totalOf(fresh[static_cast<std::size_t>(i)]);
      if (found) totals[static_cast<std::size_t>(i)] = *found;
    });
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      known_.insert(fresh[i]);
      if (!totals[i]) continue;
      keep(fresh[i], *totals[i]);
      if (totals[i]->cycles() >= least_) continue;
      least_ = totals[i]->cycles();
      best_ = fresh[i];
    }
  }

  void keep(const Assignment &a, const ChipRun &total) {
    known_.insert(a);
    std::vector<std::string> tiles;
    for (std::size_t k = 0; k < kernels_.size(); ++k)
      tiles.push_back(fmt::format("{}", fmt::join(kernels_[k].candidates[a[k]].tile, "x")));
    evaluate::TriedProgram tried{fmt::format("{}", fmt::join(tiles, " | ")), Cycles(total.cycles()), {}};
    for (int s = 0; s < kSpents; ++s)
      if (const std::int64_t n = total[static_cast<Spent>(s)]; n > 0)
        tried.spent.emplace_back(std::string(infoOf(static_cast<Spent>(s)).name), Cycles(n));
    tried_.push_back(std::move(tried));
  }

  void all() {
    std::vector<Assignment> every{{}};
    for (const Kernel &k : kernels_) {
      std::vector<Assignment> longer;
      for (const Assignment &a : every)
        for (std::size_t c = 0; c < k.candidates.size(); ++c) {
          longer.push_back(a);
          longer.back().push_back(c);
        }
      every = std::move(longer);
    }
    evaluate(every);
  }

  /// One tile wherever a kernel has it.
  void uniform() {
    std::vector<Assignment> all;
    for (const Kernel &k : kernels_)
      for (const Candidate &c : k.candidates) all.push_back(withTile(c.tile));
    evaluate(all);
  }

  void oneAfterTheOther() {
    for (bool isBetter = true; isBetter && known_.size() < static_cast<std::size_t>(kMostPrograms);) {
      const std::int64_t before = least_;
      for (std::size_t k = 0; k < kernels_.size(); ++k) {
        std::vector<Assignment> around;
        for (std::size_t c = 0; c < kernels_[k].candidates.size(); ++c) {
          around.push_back(best_);
          around.back()[k] = c;
        }
        evaluate(around);
      }
      isBetter = least_ < before;
    }
  }

  Assignment withTile(const Tile &tile) const {
    Assignment a;
    for (const Kernel &k : kernels_) {
      const auto at = std::ranges::find(k.candidates, tile, &Candidate::tile);
      a.push_back(at == k.candidates.end() ? 0 : static_cast<std::size_t>(at - k.candidates.begin()));
    }
    return a;
  }

  std::span<const Target::Member> members_;
  std::span<const int> runs_;
  const ChipState &idle_;
  const machine::Machine &machine_;
  const evaluate::RunMode &mode_;
  const TileTools &tools_;
  std::vector<Kernel> kernels_;
  std::vector<std::size_t> tilesOfKernel_;  ///< by kernel: how many there are
  std::set<Assignment> known_;
  std::vector<evaluate::TriedProgram> tried_;
  Assignment best_;
  std::int64_t least_ = 0;
};

}  // namespace

Result<Target::Together> chooseTiles(std::span<const Target::Member> members, std::span<const int> runs,
                                     const ChipState &idle, const machine::Machine &machine,
                                     const evaluate::RunMode &mode, const TileTools &tools) {
  return TileSearch(members, runs, idle, machine, mode, tools).choose();
}

}  // namespace pimento::targets::l3_sram
