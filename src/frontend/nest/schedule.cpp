#include "pimento/frontend/nest/schedule.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/structured.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::DimKind;
using kernel::Op;

NestAccess targetOf(const NestStatement &s) {
  return {s.buffer, s.index, s.loops, 0, s.data.at};
}

std::vector<NestAccess> readsOf(const NestProgram &program, const NestStatement &s) {
  std::vector<NestAccess> reads;
  visitLoads(program, s, [&](int e) {
    const Expression &node = program.pool[e];
    reads.push_back({node.buffer, node.index, s.loops, 0, node.data().at});
  });
  return reads;
}

std::vector<int> commonLoops(const std::vector<int> &a, const std::vector<int> &b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

Affine project(const Affine &form, const std::vector<int> &loops) {
  Affine small{{}, form.constant};
  for (const int l : loops) small.coefficients.push_back(coefficient(form, l));
  return small;
}

std::vector<Affine> project(const std::vector<Affine> &forms, const std::vector<int> &loops) {
  std::vector<Affine> small;
  for (const Affine &form : forms) small.push_back(project(form, loops));
  return small;
}

kernel::Meeting meeting(const NestProgram &program, const NestStatement &a, const NestAccess &first,
                        const NestStatement &b, const NestAccess &second) {
  const auto extentsOf = [&](const NestStatement &s) {
    std::vector<std::int64_t> extents;
    for (const int l : s.loops) extents.push_back(program.loops[static_cast<std::size_t>(l)].extent);
    return extents;
  };
  const std::vector<Affine> one = project(first.index, a.loops), other = project(second.index, b.loops);
  return kernel::Meeting({extentsOf(a), project(a.guards, a.loops), &one, first.unknown},
                         {extentsOf(b), project(b.guards, b.loops), &other, second.unknown},
                         commonLoops(a.loops, b.loops).size());
}

std::vector<DimKind> kindsOf(NestProgram &program, const NestStatement &s, std::size_t counters) {
  const auto how = accumulationOf(program, s);
  const NestAccess target = targetOf(s);
  std::vector<DimKind> kinds(s.loops.size(), DimKind::kParallel);
  std::fill_n(kinds.begin(), counters, DimKind::kCounter);
  const auto carries = [&](const NestAccess &access, std::size_t d) {
    const kernel::Meeting m = meeting(program, s, target, s, access);
    return m.isPossible(d, 1, counters) || m.isPossible(d, -1, counters);
  };
  // What it reads of its own target, the element that it accumulates onto aside.
  std::vector<NestAccess> own;
  const auto see = [&](int root) {
    program.pool.visit(root, [&](int e) {
      const Expression &x = program.pool[e];
      if (x.op != Op::kLoad || x.buffer != s.buffer) return;
      own.push_back({x.buffer, x.index, s.loops, 0, x.data().at});
    });
  };
  for (const int root : {how ? how->term : s.value, how ? -1 : s.predicate, s.data.value})
    if (root >= 0) see(root);
  bool isOrdered = !how;
  for (std::size_t d = counters; d < kinds.size(); ++d) {
    if (std::none_of(own.begin(), own.end(), [&](const NestAccess &read) { return carries(read, d); })) continue;
    kinds[d] = DimKind::kSequential;
    isOrdered = true;
  }
  // A loop that the target does not name stores to one element, if conditions leave it more than one iteration or not.
  const auto isNamed = [&](std::size_t d) {
    return program.loops[static_cast<std::size_t>(s.loops[d])].extent == 1 ||
           std::ranges::any_of(target.index, [&](const Affine &form) { return coefficient(form, s.loops[d]) != 0; });
  };
  for (std::size_t d = counters; d < kinds.size(); ++d)
    if (kinds[d] == DimKind::kParallel && (!isNamed(d) || carries(target, d)))
      kinds[d] = isOrdered ? DimKind::kSequential : DimKind::kReduction;
  return kinds;
}

std::vector<DimKind> jointKindsOf(const NestProgram &program, const NestGroup &group, std::size_t counters) {
  std::vector<DimKind> kinds(group.front().loops.size(), DimKind::kParallel);
  std::fill_n(kinds.begin(), counters, DimKind::kCounter);
  for (const NestStatement &writer : group) {
    for (const NestStatement &other : group) {
      std::vector<NestAccess> accesses = readsOf(program, other);
      accesses.push_back(targetOf(other));
      for (const NestAccess &access : accesses) {
        if (access.buffer != writer.buffer) continue;
        const kernel::Meeting m = meeting(program, writer, targetOf(writer), other, access);
        for (std::size_t d = counters; d < kinds.size(); ++d)
          if (m.isPossible(d, 1, counters) || m.isPossible(d, -1, counters)) kinds[d] = DimKind::kSequential;
      }
    }
  }
  return kinds;
}

namespace {

class Scheduler {
 public:
  explicit Scheduler(NestProgram &program) : program_(program) {}

  NestSchedule run() {
    distribute(0, all().size(), 0);
    return std::move(out_);
  }

 private:
  const std::vector<NestStatement> &all() const { return program_.statements; }

  /// Whether both do nothing but accumulate integers into one buffer in one way: their order does not matter.
  bool mayReorder(const NestStatement &a, const NestStatement &b) {
    if (a.buffer != b.buffer) return false;
    const auto x = accumulationOf(program_, a), y = accumulationOf(program_, b);
    if (!x || !y || x->combine != y->combine || isFloat(program_.pool[x->term].type)) return false;
    const auto mentions = [&](int term, int buffer) {
      return program_.pool.contains(term, [&](const Expression &e) { return e.op == Op::kLoad && e.buffer == buffer; });
    };
    return !mentions(x->term, a.buffer) && !mentions(y->term, a.buffer);
  }

  /// Whether the second statement cannot wait for all iterations of the first, in one round of the first `counters`
  /// loops.
  bool isCrossing(const NestStatement &a, const NestStatement &b, std::size_t counters) {
    if (commonLoops(a.loops, b.loops).size() <= counters) return false;
    if (hasRounds(a, counters) || hasRounds(b, counters)) return true;
    const auto isCrossed = [&](const NestAccess &x, const NestAccess &y) {
      return x.buffer == y.buffer && meeting(program_, a, x, b, y).mayBeLater(counters);
    };
    const NestAccess first = targetOf(a), second = targetOf(b);
    const bool isFree = mayReorder(a, b);
    if (!isFree && isCrossed(first, second)) return true;
    for (const NestAccess &read : readsOf(program_, b))
      if (!(isFree && read.buffer == a.buffer) && isCrossed(first, read)) return true;
    for (const NestAccess &read : readsOf(program_, a))
      if (!(isFree && read.buffer == a.buffer) && isCrossed(read, second)) return true;
    return false;
  }

  /// Whether statements may be the stores of one kernel: a point's loads come before its stores, and what a later
  /// statement reads of an earlier one must be known to be the same element.
  bool canJoin(const NestGroup &group) {
    if (selectionOf(program_, group)) return true;
    const auto follows = [](const NestStatement &one) { return one.follows; };
    if (std::any_of(group.begin(), group.end(), follows)) return std::all_of(group.begin() + 1, group.end(), follows);
    for (std::size_t s = 0; s < group.size(); ++s) {
      if (group[s].loops != group[0].loops || group[s].guards != group[0].guards || group[s].data.isThere())
        return false;
      for (std::size_t earlier = 0; earlier < s; ++earlier) {
        if (group[earlier].buffer == group[s].buffer) return false;
        for (const NestAccess &read : readsOf(program_, group[s])) {
          if (read.buffer != group[earlier].buffer || read.index == group[earlier].index) continue;
          if (meeting(program_, group[earlier], targetOf(group[earlier]), group[s], read).mayCoincide()) return false;
        }
      }
    }
    return true;
  }

  /// Whether the second statement reads a value that the first kept, and all between run as one kernel point by point:
  /// an exchange needs no array for what it keeps.
  bool keepsTogether(std::size_t a, std::size_t b, std::size_t counters) {
    const int kept = all()[a].buffer;
    if (!program_.buffers[static_cast<std::size_t>(kept)].isKept || all()[a].loops.size() <= counters) return false;
    const std::vector<NestAccess> reads = readsOf(program_, all()[b]);
    if (std::none_of(reads.begin(), reads.end(), [&](const NestAccess &read) { return read.buffer == kept; }))
      return false;
    const NestGroup group(all().begin() + static_cast<std::ptrdiff_t>(a),
                          all().begin() + static_cast<std::ptrdiff_t>(b) + 1);
    const bool isAround =
        std::any_of(group.begin(), group.end(), [&](const NestStatement &s) { return hasRounds(s, counters); });
    if (isAround || !canJoin(group)) return false;
    const std::vector<DimKind> kinds = jointKindsOf(program_, group, counters);
    return std::none_of(kinds.begin(), kinds.end(), [](DimKind kind) { return kind == DimKind::kSequential; });
  }

  /// Statements [from, to), in one round of their first `counters` loops.
  void distribute(std::size_t from, std::size_t to, std::size_t counters) {
    std::vector<std::size_t> starts;
    for (std::size_t b = from; b < to; ++b) {
      if (!all()[b].follows) starts.push_back(b);
      for (std::size_t a = from; a < b; ++a) {
        if (!isCrossing(all()[a], all()[b], counters) && !keepsTogether(a, b, counters)) continue;
        while (starts.back() > a) starts.pop_back();
        break;
      }
    }
    starts.push_back(to);
    for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
      NestGroup group(all().begin() + static_cast<std::ptrdiff_t>(starts[g]),
                      all().begin() + static_cast<std::ptrdiff_t>(starts[g + 1]));
      const bool isAround =
          std::any_of(group.begin(), group.end(), [&](const NestStatement &s) { return hasRounds(s, counters); });
      if (isAround || (group.size() == 1 ? isBetterInside(group[0], counters) : !canJoin(group))) {
        loopAround(starts[g], starts[g + 1], counters);
        continue;
      }
      out_.groups.push_back(std::move(group));
      out_.counters.push_back(counters);
    }
  }

  void loopAround(std::size_t from, std::size_t to, std::size_t counters) {
    const std::size_t number = out_.loops.size();
    out_.loops.push_back({all()[from].loops[counters], out_.groups.size(), 0});
    distribute(from, to, counters + 1);
    out_.loops[number].end = out_.groups.size();
  }

  /// Whether none of a statement's loops is parallel before those outside run in rounds: an elimination.
  bool isBetterInside(const NestStatement &s, std::size_t counters) {
    constexpr std::int64_t kMostRounds = 1 << 16;
    const auto hasParallel = [&](std::size_t outside) {
      const std::vector<DimKind> kinds = kindsOf(program_, s, outside);
      for (std::size_t d = outside; d < kinds.size(); ++d)
        if (kinds[d] != DimKind::kSequential && extentOf(s, d) > 1) return true;
      return false;
    };
    if (s.data.isThere() || counters >= s.loops.size() || hasParallel(counters)) return false;
    std::int64_t rounds = 1;
    for (std::size_t outside = counters + 1; outside < s.loops.size(); ++outside) {
      rounds = multiplySaturated(rounds, extentOf(s, outside - 1));
      if (rounds > kMostRounds) return false;
      if (hasParallel(outside)) return true;
    }
    return false;
  }

  /// Whether a loop from number `counters` on must be around kernels.
  bool hasRounds(const NestStatement &s, std::size_t counters) const {
    return std::any_of(s.loops.begin() + static_cast<std::ptrdiff_t>(std::min(counters, s.loops.size())), s.loops.end(),
                       [&](int l) { return program_.loops[static_cast<std::size_t>(l)].isRound; });
  }

  std::int64_t extentOf(const NestStatement &s, std::size_t d) const {
    return program_.loops[static_cast<std::size_t>(s.loops[d])].extent;
  }

  NestProgram &program_;
  NestSchedule out_;
};

}  // namespace

NestSchedule schedule(NestProgram &program) {
  return Scheduler(program).run();
}

}  // namespace pimento::frontend
