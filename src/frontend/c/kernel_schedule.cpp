#include "pimento/frontend/c/kernel_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pimento/frontend/c/kernel_accumulation.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

NestAccess targetOf(const CStatement &s) {
  NestAccess access{s.buffer, s.index, s.loops, 0};
  if (s.lastIndex >= 0) access.index.pop_back();
  return access;
}

std::vector<NestAccess> readsOf(const CProgram &program, const CStatement &s) {
  std::vector<NestAccess> reads;
  visitLoads(program, s, [&](int e) {
    const Expression &node = program.pool[e];
    NestAccess access{node.buffer, node.index, s.loops, 0};
    if (node.args[0] >= 0) access.index.pop_back();
    reads.push_back(std::move(access));
  });
  return reads;
}

std::vector<int> commonLoops(const std::vector<int> &a, const std::vector<int> &b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

bool isSelection(CProgram &program, const CGroup &group) {
  if (group.size() != 2) return false;
  const CStatement &append = group[0], &count = group[1];
  const auto &pool = program.pool;
  if (append.lastIndex < 0 || append.index.size() != 1 || append.loops != count.loops ||
      append.guards != count.guards || append.predicate < 0 || append.predicate != count.predicate ||
      count.lastIndex >= 0) {
    return false;
  }
  int place = append.lastIndex;
  while (pool[place].op == Op::kCast && !isFloat(pool[place].type)) place = pool[place].args[0];
  const Expression &old = pool[place];
  const bool isAtCount = old.op == Op::kLoad && old.buffer == count.buffer && old.index == count.index &&
                         append.index.front().coefficients.empty() && append.index.front().constant == 0;
  if (!isAtCount || isFloat(old.type)) return false;
  CStatement plain = count;
  plain.predicate = -1;
  const auto added = accumulationOf(program, plain);
  if (!added || added->combine != kernel::Combine::kAdd || pool.integerOf(added->term) != 1) return false;
  const bool isFixed =
      std::all_of(count.index.begin(), count.index.end(), [](const Affine &form) { return form.coefficients.empty(); });
  bool readsOwn = false;
  for (const int root : {append.value, append.predicate}) {
    readsOwn = readsOwn || pool.contains(root, [&](const Expression &e) {
      return e.op == Op::kLoad && (e.buffer == append.buffer || e.buffer == count.buffer);
    });
  }
  return isFixed && !readsOwn;
}

namespace {

class Scheduler {
 public:
  explicit Scheduler(CProgram &program) : program_(program), extents_(program.extents()) {}

  Result<std::vector<CGroup>> run() {
    for (;;) {
      std::vector<CGroup> groups;
      const auto conflict = distribute(groups);
      if (!conflict) return groups;
      if (!unroll(*conflict)) return explain(*conflict);
    }
  }

 private:
  struct Conflict {
    std::size_t first = 0, second = 0;
    int buffer = -1;
  };

  std::vector<CStatement> &all() { return program_.statements; }

  /// Whether both do nothing but accumulate integers into one buffer in one way: their order does not matter.
  bool mayReorder(const CStatement &a, const CStatement &b) {
    if (a.buffer != b.buffer) return false;
    const auto x = accumulationOf(program_, a), y = accumulationOf(program_, b);
    if (!x || !y || x->combine != y->combine || isFloat(program_.pool[x->term].type)) return false;
    const auto mentions = [&](int term, int buffer) {
      return program_.pool.contains(term, [&](const Expression &e) { return e.op == Op::kLoad && e.buffer == buffer; });
    };
    return !mentions(x->term, a.buffer) && !mentions(y->term, a.buffer);
  }

  /// The buffer through which the second statement cannot wait for all iterations of the first; -1 if it can.
  int crossing(const CStatement &a, const CStatement &b) {
    const std::vector<int> common = commonLoops(a.loops, b.loops);
    if (common.empty()) return -1;
    const auto isCrossed = [&](const NestAccess &x, const NestAccess &y) {
      return x.buffer == y.buffer && meet(x, y, common, extents_).mayBeLater();
    };
    const NestAccess first = targetOf(a), second = targetOf(b);
    const bool isFree = mayReorder(a, b);
    if (!isFree && isCrossed(first, second)) return a.buffer;
    for (const NestAccess &read : readsOf(program_, b)) {
      if (!(isFree && read.buffer == a.buffer) && isCrossed(first, read)) return a.buffer;
    }
    for (const NestAccess &read : readsOf(program_, a)) {
      if (!(isFree && read.buffer == a.buffer) && isCrossed(read, second)) return b.buffer;
    }
    return -1;
  }

  /// Whether statements may be the stores of one kernel: a point's loads come before its stores, and what a later
  /// statement reads of an earlier one must be known to be the same element.
  bool canJoin(const CGroup &group) {
    if (isSelection(program_, group)) return true;
    for (std::size_t s = 0; s < group.size(); ++s) {
      if (group[s].loops != group[0].loops || group[s].guards != group[0].guards || group[s].lastIndex >= 0)
        return false;
      for (std::size_t earlier = 0; earlier < s; ++earlier) {
        if (group[earlier].buffer == group[s].buffer) return false;
        for (const NestAccess &read : readsOf(program_, group[s])) {
          if (read.buffer != group[earlier].buffer || read.index == group[earlier].index) continue;
          if (meet(targetOf(group[earlier]), read, group[0].loops, extents_).mayCoincide()) return false;
        }
      }
    }
    return true;
  }

  /// None where all statements found their kernels.
  std::optional<Conflict> distribute(std::vector<CGroup> &groups) {
    std::vector<std::size_t> starts;
    for (std::size_t b = 0; b < all().size(); ++b) {
      starts.push_back(b);
      for (std::size_t a = 0; a < b; ++a) {
        const int buffer = crossing(all()[a], all()[b]);
        if (buffer < 0) continue;
        while (starts.back() > a) starts.pop_back();
        // Whether they fit one kernel is known once all of them are.
        break;
      }
    }
    starts.push_back(all().size());
    for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
      CGroup group(all().begin() + static_cast<std::ptrdiff_t>(starts[g]),
                   all().begin() + static_cast<std::ptrdiff_t>(starts[g + 1]));
      if (group.size() > 1 && !canJoin(group)) return conflictIn(starts[g], starts[g + 1]);
      groups.push_back(std::move(group));
    }
    return std::nullopt;
  }

  Conflict conflictIn(std::size_t from, std::size_t to) {
    for (std::size_t b = from; b < to; ++b) {
      for (std::size_t a = from; a < b; ++a) {
        if (const int buffer = crossing(all()[a], all()[b]); buffer >= 0) return {a, b, buffer};
      }
    }
    return {from, to - 1, all()[from].buffer};
  }

  /// The loop around both statements, iteration by iteration, where that is few.
  bool unroll(const Conflict &conflict) {
    constexpr std::int64_t kMostIterations = 64;
    constexpr std::size_t kMostStatements = 256;
    const int loop = all()[conflict.first].loops.front();
    const std::int64_t extent = extents_[static_cast<std::size_t>(loop)];
    const auto isInside = [loop](const CStatement &s) { return !s.loops.empty() && s.loops.front() == loop; };
    const auto from = std::find_if(all().begin(), all().end(), isInside);
    const auto to = std::find_if_not(from, all().end(), isInside);
    const auto count = static_cast<std::size_t>(to - from);
    if (extent > kMostIterations || count * static_cast<std::size_t>(extent) > kMostStatements) return false;
    std::vector<CStatement> list(all().begin(), from);
    for (std::int64_t i = 0; i < extent; ++i) {
      std::map<int, int> fresh;  // loops of one iteration are not those of another
      for (auto s = from; s != to; ++s) {
        if (auto made = instance(*s, loop, i, fresh)) list.push_back(std::move(*made));
      }
    }
    list.insert(list.end(), to, all().end());
    if (list.size() > kMostStatements) return false;
    all() = std::move(list);
    return true;
  }

  /// One iteration of a statement; none where a guard leaves it out.
  std::optional<CStatement> instance(CStatement s, int loop, std::int64_t value, std::map<int, int> &fresh) {
    for (int &l : s.loops) {
      if (l == loop) continue;
      const auto [at, isNew] = fresh.try_emplace(l, static_cast<int>(program_.loops.size()));
      if (isNew) {
        program_.loops.push_back(program_.loops[static_cast<std::size_t>(l)]);
        extents_.push_back(extents_[static_cast<std::size_t>(l)]);
      }
      l = at->second;
    }
    const auto fixed = [&](const Affine &form) {
      Affine out{{}, form.constant + coefficient(form, loop) * value};
      out.coefficients.resize(extents_.size());
      for (std::size_t l = 0; l < form.coefficients.size(); ++l) {
        const int from = static_cast<int>(l);
        if (form.coefficients[l] == 0 || from == loop) continue;
        const auto at = fresh.find(from);
        out.coefficients[static_cast<std::size_t>(at == fresh.end() ? from : at->second)] = form.coefficients[l];
      }
      return trimmed(std::move(out));
    };
    for (int *root : {&s.value, &s.predicate, &s.lastIndex}) {
      if (*root >= 0) *root = program_.pool.mapForms(*root, fixed);
    }
    for (Affine &form : s.index) form = fixed(form);
    std::vector<Affine> guards;
    for (const Affine &guard : s.guards) {
      const Affine g = fixed(guard);
      const auto range = rangeOf(g, extents_);
      if (range && range->high < 0) return std::nullopt;
      if (!range || range->low < 0) guards.push_back(g);
    }
    s.guards = std::move(guards);
    std::erase(s.loops, loop);
    if (s.predicate >= 0 && program_.pool.integerOf(s.predicate)) {
      if (*program_.pool.integerOf(s.predicate) == 0) return std::nullopt;
      s.predicate = -1;
    }
    return s;
  }

  Diagnostic explain(const Conflict &conflict) {
    const CStatement &a = all()[conflict.first], &b = all()[conflict.second];
    const std::string &name = program_.buffers[static_cast<std::size_t>(conflict.buffer)].name;
    if (a.lastIndex >= 0 || b.lastIndex >= 0) {
      return unsupported(
          "c-dependence", b.where,
          fmt::format("'{}' is stored at a place that data decide, and its neighbours depend on it", name),
          "a selection is if (c) out[count++] = x, from a count of 0; a histogram is h[bin] += 1");
    }
    return unsupported(
        "c-dependence", b.where,
        fmt::format("this statement and the one at line {} need each other's '{}' from one iteration of loop "
                    "'{}' to another",
                    a.where.line, name, program_.loops[static_cast<std::size_t>(a.loops.front())].name),
        "statements of one loop run one after the other, each for all iterations: index what they share with "
        "the loop, or write to another array (a loop of at most 64 iterations is unrolled)");
  }

  CProgram &program_;
  std::vector<std::int64_t> extents_;
};

}  // namespace

Result<std::vector<CGroup>> schedule(CProgram &program) {
  return Scheduler(program).run();
}

}  // namespace pimento::frontend
