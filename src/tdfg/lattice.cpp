#include "pimento/tdfg/lattice.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pimento::tdfg {

namespace {

using kernel::DimKind;

/// The only loop that an index moves with: -1 none, -2 several.
int loopOf(const StreamIndex &index) {
  int loop = -1;
  for (std::size_t d = 0; d < index.factors.size(); ++d) {
    if (index.factors[d] == 0) continue;
    if (loop >= 0) return -2;
    loop = static_cast<int>(d);
  }
  return loop;
}

class Chooser {
 public:
  Chooser(Program &program, const Streams &streams)
      : program_(program), streams_(streams), loops_(streams.dims.size()) {
    for (const int load : liveLoads(streams)) loads_.push_back(streams.loads[static_cast<std::size_t>(load)]);
  }

  LatticeChoice run() {
    const Lattice bySource = assigned(false), byTarget = assigned(true);
    lattice_ = score(byTarget) >= score(bySource) ? byTarget : bySource;
    settleGuards();
    if (std::all_of(lattice_.dimOf.begin(), lattice_.dimOf.end(), [](int l) { return l < 0; }))
      return {std::nullopt, noLoop()};
    makeDims(lattice_);
    makeRounds();
    if (!makeRanges()) return {std::nullopt, reason_};
    return {std::move(lattice_), {}};
  }

 private:
  std::string noLoop() const {
    if (streams_.dims.empty()) return "a single element";
    for (const StreamDim &dim : streams_.dims)
      if (dim.kind == DimKind::kSequential) return "loop " + dim.name + " carries values from one point to the next";
    return "no loop moves along a dim of an array alone";
  }

  /// The loops that sum into an element may be reordered by nothing: one alone is on the lattice, the innermost.
  bool mayReduce(std::size_t loop) const {
    // Of an index like 70 * i + j nobody knows whether points meet.
    for (const StreamAccess &target : streams_.targets)
      for (const StreamIndex &index : target.index)
        if (index.factors[loop] != 0) return false;
    for (std::size_t d = loop + 1; d < loops_; ++d)
      if (streams_.dims[d].kind == DimKind::kReduction) return false;
    return true;
  }

  /// Whether all points of a parallel loop may load before any of them stores, next to loops that carry values: whoever
  /// loads what the nest stores does so at the same value of the loop.
  bool isApart(std::size_t loop) const {
    if (std::none_of(streams_.dims.begin(), streams_.dims.end(),
                     [](const StreamDim &d) { return d.kind == DimKind::kSequential; }))
      return true;
    for (const StreamAccess &target : streams_.targets)
      for (const StreamAccess &load : streams_.loads)
        if (load.array == target.array && !meetsItself(load, target, loop)) return false;
    return true;
  }

  static bool meetsItself(const StreamAccess &load, const StreamAccess &target, std::size_t loop) {
    for (std::size_t i = 0; i < target.index.size(); ++i) {
      if (static_cast<int>(i) == load.indirectAt || static_cast<int>(i) == target.indirectAt) continue;
      if (loopOf(target.index[i]) == static_cast<int>(loop) && load.index[i] == target.index[i]) return true;
    }
    return false;
  }

  /// A minimum with its index is found round by round.
  bool hasFollowers() const {
    return std::any_of(streams_.nest.stores.begin(), streams_.nest.stores.end(),
                       [](const kernel::Store &s) { return s.follows >= 0; });
  }

  bool isCandidate(std::size_t loop) const {
    if (!isApart(loop)) return false;
    const DimKind kind = streams_.dims[loop].kind;
    return kind == DimKind::kParallel || (kind == DimKind::kReduction && !hasFollowers() && mayReduce(loop));
  }

  void vote(const StreamAccess &access, int weight, std::size_t loop, std::array<int, 3> &votes) const {
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      const std::size_t l = access.index.size() - 1 - i;
      if (static_cast<int>(i) != access.indirectAt && l < 3 && loopOf(access.index[i]) == static_cast<int>(loop))
        votes[l] += weight;
    }
  }

  /// Loops from the innermost one out take the lattice dims that most accesses give them; with `isTargetFirst` those
  /// of targets choose first.
  Lattice assigned(bool isTargetFirst) const {
    Lattice lattice;
    lattice.dimOf.assign(loops_, -1);
    std::array<bool, 3> taken{};
    const auto take = [&](std::size_t loop, const std::array<int, 3> &votes) {
      int best = -1;
      for (int l = 0; l < 3; ++l) {
        const auto at = static_cast<std::size_t>(l);
        if (!taken[at] && votes[at] > (best < 0 ? 0 : votes[static_cast<std::size_t>(best)])) best = l;
      }
      if (best < 0) return;
      taken[static_cast<std::size_t>(best)] = true;
      lattice.dimOf[loop] = best;
    };
    if (isTargetFirst) {
      for (std::size_t d = loops_; d-- > 0;) {
        std::array<int, 3> votes{};
        for (const StreamAccess &target : streams_.targets) vote(target, 1, d, votes);
        if (isCandidate(d)) take(d, votes);
      }
    }
    for (std::size_t d = loops_; d-- > 0;) {
      if (!isCandidate(d) || lattice.dimOf[d] >= 0) continue;
      std::array<int, 3> votes{};
      for (const StreamAccess &load : loads_) vote(load, 1, d, votes);
      for (const StreamAccess &target : streams_.targets) vote(target, 2, d, votes);
      take(d, votes);
    }
    return lattice;
  }

  /// Arrays that lie along the lattice; among equals, loops on it that are parallel.
  int score(Lattice lattice) const {
    makeDims(lattice);
    int score = 0;
    for (const StreamAccess &load : loads_) score += isAligned(load, lattice) ? 16 : 0;
    for (const StreamAccess &target : streams_.targets) score += isAligned(target, lattice) ? 4 : 0;
    for (std::size_t d = 0; d < loops_; ++d)
      if (lattice.dimOf[d] >= 0) score += streams_.dims[d].kind == DimKind::kParallel ? 2 : 0;
    return score;
  }

  /// A condition on two lattice dims is no box: the outer loop of them becomes a round.
  void settleGuards() {
    for (bool isSettled = false; !isSettled;) {
      isSettled = true;
      for (const StreamIndex &guard : streams_.guards) {
        int first = -1, many = 0;
        for (std::size_t d = 0; d < loops_; ++d) {
          if (guard.factors[d] == 0 || lattice_.dimOf[d] < 0) continue;
          if (first < 0) first = static_cast<int>(d);
          many += guard.factors[d] == 1 || guard.factors[d] == -1 ? 1 : 2;
        }
        if (many < 2) continue;
        const auto loop = static_cast<std::size_t>(first);
        lattice_.dimOf[loop] = -1;
        isSettled = false;
      }
    }
  }

  // ---- Coordinates ----

  /// Where the first access that a loop's lattice dim suits puts it: targets first.
  bool placeBy(const std::vector<StreamAccess> &accesses, std::size_t l, LatticeDim &dim) const {
    for (const StreamAccess &access : accesses) {
      if (l >= access.index.size()) continue;
      const std::size_t i = access.index.size() - 1 - l;
      const StreamIndex &index = access.index[i];
      if (static_cast<int>(i) == access.indirectAt || loopOf(index) != dim.loop) continue;
      const std::int64_t stride = index.factors[static_cast<std::size_t>(dim.loop)];
      if (stride < 1) continue;
      dim.stride = stride;
      dim.offset = index.form;
      return true;
    }
    return false;
  }

  void makeDims(Lattice &lattice) const {
    std::size_t rank = 1;
    for (const int l : lattice.dimOf) rank = std::max(rank, static_cast<std::size_t>(l + 1));
    for (const auto *accesses : {&streams_.targets, &std::as_const(loads_)})
      for (const StreamAccess &access : *accesses)
        if (access.index.size() <= 3) rank = std::max(rank, access.index.size());
    lattice.dims.assign(rank, {});
    for (std::size_t d = 0; d < loops_; ++d) {
      if (lattice.dimOf[d] < 0) continue;
      const auto l = static_cast<std::size_t>(lattice.dimOf[d]);
      LatticeDim &dim = lattice.dims[l];
      dim.loop = static_cast<int>(d);
      if (!placeBy(streams_.targets, l, dim)) placeBy(loads_, l, dim);
    }
  }

  void makeRounds() {
    lattice_.roundName.assign(loops_, -1);
    for (std::size_t d = 0; d < loops_; ++d) {
      if (lattice_.dimOf[d] >= 0) continue;
      std::string name = streams_.dims[d].name;
      // One name per loop of a program: regions that are not open use it too.
      int number = program_.nameNamed(name);
      for (int i = 1; number >= 0 && !isFree(number); ++i)
        number = program_.nameNamed(name = streams_.dims[d].name + "_" + std::to_string(i));
      if (number < 0) {
        number = static_cast<int>(program_.names.size());
        program_.names.push_back({Name::Kind::kLoop, name});
      }
      lattice_.roundName[d] = number;
      lattice_.rounds.push_back({number, {{Form{}}, {streams_.dims[d].extent}, 1}});
    }
  }

  /// A loop's name that neither a loop around regions nor a round of this region has.
  bool isFree(int number) const {
    if (program_.names[static_cast<std::size_t>(number)].kind != Name::Kind::kLoop) return false;
    for (const Loop &loop : program_.loops)
      if (loop.name == number) return false;
    return std::none_of(lattice_.rounds.begin(), lattice_.rounds.end(),
                        [number](const Round &r) { return r.name == number; });
  }

  /// Coordinates of lattice dims, and ranges of rounds, with the guards in them.
  bool makeRanges() {
    for (LatticeDim &dim : lattice_.dims) {
      if (dim.loop < 0) continue;
      const Form last = plus(streams_.dims[static_cast<std::size_t>(dim.loop)].extent, constantForm(-1));
      dim.range = {{dim.offset}, {plus(plus(times(last, dim.stride), dim.offset), constantForm(1))}, dim.stride};
    }
    return std::all_of(streams_.guards.begin(), streams_.guards.end(),
                       [this](const StreamIndex &g) { return addGuard(g); });
  }

  bool addGuard(const StreamIndex &guard) {
    StreamIndex rest = withRounds(guard, lattice_);
    for (LatticeDim &dim : lattice_.dims) {
      if (dim.loop < 0 || rest.factors[static_cast<std::size_t>(dim.loop)] == 0) continue;
      const bool isLow = rest.factors[static_cast<std::size_t>(dim.loop)] > 0;
      // d >= -form, or d <= form: a coordinate of at least offset - stride * form, or of less than one behind.
      if (isLow) {
        addLow(dim.range, plus(times(rest.form, -dim.stride), dim.offset));
      } else {
        addHigh(dim.range, plus(plus(times(rest.form, dim.stride), dim.offset), constantForm(1)));
      }
      return true;
    }
    return addRoundGuard(guard, rest.form);
  }

  /// A condition on rounds alone bounds the innermost of them.
  bool addRoundGuard(const StreamIndex &guard, const Form &form) {
    for (std::size_t d = loops_; d-- > 0;) {
      const std::int64_t factor = guard.factors[d];
      if (factor == 0) continue;
      if (factor != 1 && factor != -1) break;
      for (Round &round : lattice_.rounds) {
        if (round.name != lattice_.roundName[d]) continue;
        const Form others = plus(form, nameForm(round.name, -factor));
        if (factor == 1) {
          addLow(round.range, times(others, -1));
        } else {
          addHigh(round.range, plus(others, constantForm(1)));
        }
        return true;
      }
    }
    reason_ = "a condition on loops outside bounds no loop";
    return false;
  }

  /// Whether a form is at least 0 because sizes are at least 1 and loops at least 0.
  bool isNeverNegative(const Form &form) const {
    std::int64_t least = form.constant;
    for (const Term &term : form.terms) {
      const Name::Kind kind = program_.names[static_cast<std::size_t>(term.name)].kind;
      if (term.factor < 0 || kind == Name::Kind::kQuotient) return false;
      if (kind == Name::Kind::kSize) least += term.factor;
    }
    return least >= 0;
  }

  /// The tighter bound alone where one is known to be it.
  void addLow(Range &range, Form form) const {
    for (Form &low : range.lows) {
      if (isNeverNegative(minus(low, form))) return;
      if (!isNeverNegative(minus(form, low))) continue;
      low = std::move(form);
      return;
    }
    range.lows.push_back(std::move(form));
  }
  void addHigh(Range &range, Form form) const {
    for (Form &high : range.highs) {
      if (isNeverNegative(minus(form, high))) return;
      if (!isNeverNegative(minus(high, form))) continue;
      high = std::move(form);
      return;
    }
    range.highs.push_back(std::move(form));
  }

  Program &program_;
  const Streams &streams_;
  std::size_t loops_;
  std::vector<StreamAccess> loads_;
  Lattice lattice_;
  std::string reason_;
};

}  // namespace

std::vector<int> liveLoads(const Streams &streams) {
  const std::vector<kernel::Value> &body = streams.nest.body;
  std::vector<bool> isLive(body.size(), false);
  std::vector<int> loads;
  for (const kernel::Store &store : streams.nest.stores) isLive[static_cast<std::size_t>(store.value)] = true;
  for (const StreamAccess &target : streams.targets)
    if (target.indirectIndex >= 0) isLive[static_cast<std::size_t>(target.indirectIndex)] = true;
  for (std::size_t v = body.size(); v-- > 0;) {
    if (!isLive[v]) continue;
    for (int a = 0; a < kernel::argumentCount(body[v].op); ++a)
      isLive[static_cast<std::size_t>(body[v].args[static_cast<std::size_t>(a)])] = true;
    if (body[v].op != kernel::Op::kLoad) continue;
    loads.push_back(body[v].access);
    const StreamAccess &load = streams.loads[static_cast<std::size_t>(loads.back())];
    if (load.indirectIndex >= 0) isLive[static_cast<std::size_t>(load.indirectIndex)] = true;
  }
  return loads;
}

LatticeChoice chooseLattice(Program &program, const Streams &streams) {
  return Chooser(program, streams).run();
}

StreamIndex withRounds(const StreamIndex &index, const Lattice &lattice) {
  StreamIndex rest = index;
  for (std::size_t d = 0; d < rest.factors.size(); ++d) {
    if (lattice.roundName.empty() || lattice.roundName[d] < 0) continue;
    rest.form = plus(rest.form, nameForm(lattice.roundName[d], rest.factors[d]));
    rest.factors[d] = 0;
  }
  return rest;
}

bool isAligned(const StreamAccess &access, const Lattice &lattice) {
  if (access.indirectAt >= 0 || access.index.size() > std::min<std::size_t>(3, lattice.dims.size())) return false;
  for (std::size_t i = 0; i < access.index.size(); ++i) {
    const LatticeDim &dim = lattice.dims[access.index.size() - 1 - i];
    for (std::size_t d = 0; d < access.index[i].factors.size(); ++d) {
      const std::int64_t factor = access.index[i].factors[d];
      if (lattice.dimOf[d] < 0 || factor == 0) continue;
      if (static_cast<int>(d) != dim.loop || factor != dim.stride) return false;
    }
  }
  return true;
}

}  // namespace pimento::tdfg
