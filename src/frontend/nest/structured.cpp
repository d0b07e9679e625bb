#include "pimento/frontend/nest/structured.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "pimento/frontend/nest/accumulation.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Combine;
using kernel::Op;

// ---- Selections ----

namespace {

/// The integer below casts.
int uncast(const ExpressionPool &pool, int e) {
  while (pool[e].op == Op::kCast && !isFloat(pool[e].type) && !isFloat(pool[pool[e].args[0]].type)) e = pool[e].args[0];
  return e;
}

bool isElement(const ExpressionPool &pool, int e, int buffer, const std::vector<Affine> &index) {
  const Expression &x = pool[uncast(pool, e)];
  return x.op == Op::kLoad && x.buffer == buffer && x.index == index && !x.data().isThere();
}

/// n < L, in any way to write it, as the L of it.
std::optional<std::int64_t> limitIn(const ExpressionPool &pool, int e, const NestStatement &count) {
  const Expression &x = pool[e];
  const auto isCount = [&](int side) {
    return isElement(pool, x.args[static_cast<std::size_t>(side)], count.buffer, count.index);
  };
  if (x.op < Op::kCmpEq || x.op > Op::kCmpGe) return std::nullopt;
  const int side = isCount(0) ? 0 : 1;
  const auto other = pool.integerOf(x.args[static_cast<std::size_t>(1 - side)]);
  if (!isCount(side) || !other) return std::nullopt;
  const bool isLess = x.op == (side == 0 ? Op::kCmpLt : Op::kCmpGt),
             isAtMost = x.op == (side == 0 ? Op::kCmpLe : Op::kCmpGe);
  if (!isLess && !isAtMost && x.op != Op::kCmpNe) return std::nullopt;
  const std::int64_t limit = isAtMost ? *other + 1 : *other;
  return limit >= 1 ? std::optional(limit) : std::nullopt;
}

/// The parts of a condition that hold together.
std::vector<int> partsOf(const ExpressionPool &pool, int condition) {
  std::vector<int> parts, pending{condition};
  while (!pending.empty()) {
    const int e = pending.back();
    pending.pop_back();
    if (pool[e].op == Op::kAnd && pool[e].type == DType::kU8) {
      pending.push_back(pool[e].args[1]);
      pending.push_back(pool[e].args[0]);
    } else {
      parts.push_back(e);
    }
  }
  return parts;
}

}  // namespace

std::optional<NestSelection> selectionOf(NestProgram &program, const NestGroup &group) {
  if (group.size() != 2) return std::nullopt;
  const NestStatement &append = group[0], &count = group[1];
  ExpressionPool &pool = program.pool;
  const int last = static_cast<int>(append.index.size()) - 1;
  if (append.data.at != last || last < 0 || append.loops != count.loops || append.guards != count.guards ||
      append.predicate < 0 || append.predicate != count.predicate || count.data.isThere())
    return std::nullopt;
  // The row's count says where in the row.
  const bool isOneList = last == 0;
  const auto isFixed = [](const Affine &form) { return form.coefficients.empty(); };
  const bool isOfRow =
      isOneList ? std::all_of(count.index.begin(), count.index.end(), isFixed)
                : std::equal(append.index.begin(), append.index.end() - 1, count.index.begin(), count.index.end());
  if (!isOfRow || !isElement(pool, append.data.value, count.buffer, count.index)) return std::nullopt;
  NestStatement plain = count;
  plain.predicate = -1;
  const auto added = accumulationOf(program, plain);
  const DType type = program.buffers[static_cast<std::size_t>(count.buffer)].type;
  if (!added || isFloat(type) || added->combine != Combine::kAdd || pool.integerOf(added->term) != 1)
    return std::nullopt;
  NestSelection found;
  const auto readsOwn = [&](int root) {
    return pool.contains(root, [&](const Expression &e) {
      return e.op == Op::kLoad && (e.buffer == append.buffer || e.buffer == count.buffer);
    });
  };
  for (const int part : partsOf(pool, append.predicate)) {
    const auto limit = limitIn(pool, part, count);
    if (limit) {
      found.limit = found.limit < 0 ? *limit : std::min(found.limit, *limit);
      continue;
    }
    if (readsOwn(part)) return std::nullopt;
    found.predicate = pool.both(found.predicate, part);
  }
  if (found.predicate < 0) found.predicate = pool.integer(DType::kU8, 1);
  return readsOwn(append.value) ? std::nullopt : std::optional(found);
}

std::optional<NestFlatList> flatListOf(const NestProgram &program, const NestStatement &append) {
  if (append.index.size() != 1 || append.data.at != 0) return std::nullopt;
  const Expression sum = program.pool[uncast(program.pool, append.data.value)];
  for (const std::size_t side : {0, 1}) {
    const auto first = sum.op == Op::kAdd ? program.pool.formOf(uncast(program.pool, sum.args[side])) : std::nullopt;
    if (!first) continue;
    std::int64_t width = 0;
    for (const std::int64_t c : first->coefficients) width = std::gcd(width, c);
    if (width < 1 || first->constant % width != 0) return std::nullopt;
    Affine row = *first;
    for (std::int64_t &c : row.coefficients) c /= width;
    row.constant /= width;
    NestFlatList list{append, width};
    list.append.index = {trimmed(std::move(row)), {}};
    list.append.data = {1, sum.args[1 - side]};
    return list;
  }
  return std::nullopt;
}

// ---- Minima and maxima with their index ----

namespace {

bool reads(const NestProgram &program, const NestStatement &s, int buffer) {
  bool isFound = false;
  visitLoads(program, s, [&](int e) { isFound = isFound || program.pool[e].buffer == buffer; });
  return isFound;
}

/// The statement that keeps a value for later, of which there is one; -1: there is none.
int keeperOf(const NestProgram &program, const Expression &x, std::size_t before) {
  if (x.op != Op::kLoad || x.buffer < 0 || x.data().isThere()) return -1;
  if (program.buffers[static_cast<std::size_t>(x.buffer)].kind != NestBuffer::Kind::kCarried) return -1;
  int keeper = -1;
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    if (program.statements[s].buffer != x.buffer) continue;
    if (keeper >= 0 || s >= before) return -1;
    keeper = static_cast<int>(s);
  }
  return keeper;
}

class Extremes {
 public:
  Extremes(NestProgram &program, std::size_t first) : program_(program), pool_(program.pool), first_(first) {}

  std::optional<std::size_t> leaderOf(std::size_t s) {
    const NestStatement follower = all()[s];
    if (follower.predicate < 0 || follower.data.isThere() || follower.follows) return std::nullopt;
    const bool usesData = pool_.contains(follower.value, [](const Expression &e) { return e.data().isThere(); });
    if (usesData) return std::nullopt;  // where the condition does not hold it may be anywhere
    const int condition = resolved(s);
    for (std::size_t leader = first_; leader < all().size(); ++leader)
      if (leader != s && isLed(leader, s, condition)) return leader;
    return std::nullopt;
  }

 private:
  const std::vector<NestStatement> &all() const { return program_.statements; }

  bool isBeside(const NestStatement &a, const NestStatement &b) const {
    return a.loops == b.loops && a.guards == b.guards;
  }

  /// The predicate as it was written: what was kept for later is what it was made of.
  int resolved(std::size_t s) {
    const NestStatement follower = all()[s];
    return pool_.rewrite(follower.predicate, [&](int e) -> std::optional<int> {
      const int keeper = keeperOf(program_, pool_[e], s);
      if (keeper < 0) return std::nullopt;
      const NestStatement &kept = all()[static_cast<std::size_t>(keeper)];
      const bool isSame = isBeside(kept, follower) && kept.index == pool_[e].index && kept.predicate < 0;
      return isSame ? std::optional(kept.value) : std::nullopt;
    });
  }

  bool isLed(std::size_t l, std::size_t s, int condition) {
    const NestStatement leader = all()[l], follower = all()[s];
    if (leader.predicate != condition || leader.follows || !isBeside(leader, follower) || leader.data.isThere() ||
        leader.index != follower.index || leader.buffer == follower.buffer)
      return false;
    const auto how = accumulationOf(program_, leader);
    if (!how || !how->isStrict || (how->combine != Combine::kMin && how->combine != Combine::kMax)) return false;
    const auto mentions = [&](int root, int buffer) {
      return pool_.contains(root, [&](const Expression &e) { return e.op == Op::kLoad && e.buffer == buffer; });
    };
    if (mentions(how->term, leader.buffer) || reads(program_, leader, follower.buffer) ||
        mentions(follower.value, leader.buffer) || mentions(follower.value, follower.buffer))
      return false;
    return isAlone(l, s, condition);
  }

  /// Whether no other statement of the loop sees what the two store, and none between them changes what they read.
  /// Conditions that are kept for later, and what follows the leader too, ask the same question.
  bool isAlone(std::size_t l, std::size_t s, int condition) {
    const NestStatement leader = all()[l], follower = all()[s];
    for (std::size_t k = 0; k < all().size(); ++k) {
      const NestStatement &other = all()[k];
      if (k == l || k == s) continue;
      const bool isInLoop = follower.loops.empty() || std::find(other.loops.begin(), other.loops.end(),
                                                                follower.loops.back()) != other.loops.end();
      const bool isBetween = k > std::min(l, s) && k < std::max(l, s);
      const bool asksToo = isBeside(other, follower) && other.index == follower.index && other.predicate >= 0 &&
                           resolved(k) == condition;
      const bool isKept = isKeeper(k, condition);
      if (isBetween && (reads(program_, follower, other.buffer) || reads(program_, leader, other.buffer)) && !isKept)
        return false;
      if (!isInLoop && !isBetween) continue;
      if (other.buffer == leader.buffer || other.buffer == follower.buffer) return false;
      if (reads(program_, other, follower.buffer)) return false;
      if (reads(program_, other, leader.buffer) && !isKept && !asksToo) return false;
    }
    return true;
  }

  /// Whether statement `k` only keeps the condition, or a part of it, for those that ask it.
  bool isKeeper(std::size_t k, int condition) const {
    const NestStatement &s = all()[k];
    if (program_.buffers[static_cast<std::size_t>(s.buffer)].kind != NestBuffer::Kind::kCarried || s.predicate >= 0)
      return false;
    bool isPart = false;
    pool_.visit(condition, [&](int e) { isPart = isPart || e == s.value; });
    return isPart;
  }

  NestProgram &program_;
  ExpressionPool &pool_;
  std::size_t first_;
};

}  // namespace

std::optional<std::size_t> followedBy(NestProgram &program, std::size_t s, std::size_t first) {
  return Extremes(program, first).leaderOf(s);
}

bool isStructured(NestProgram &program, int buffer, std::size_t first) {
  const auto &all = program.statements;
  bool isAny = false;
  for (std::size_t s = first; s < all.size(); ++s) {
    if (all[s].buffer != buffer) continue;
    isAny = true;
    bool isCount = false;
    for (std::size_t a = first; a < s && !isCount; ++a) {
      const auto flat = flatListOf(program, all[a]);
      isCount = selectionOf(program, {flat ? flat->append : all[a], all[s]}).has_value();
    }
    if (!isCount && !followedBy(program, s, first)) return false;
  }
  return isAny;
}

void markFollowers(NestProgram &program) {
  auto &all = program.statements;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto leader = followedBy(program, s);
    if (!leader) continue;
    NestStatement follower = all[s];
    follower.follows = true;
    follower.predicate = -1;
    // Behind the leader, and what follows it already.
    std::size_t at = *leader + 1;
    while (at < all.size() && all[at].follows) ++at;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), follower);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(s < at ? s : s + 1));
    if (s < at) --s;  // the next one has moved here
  }
}

}  // namespace pimento::frontend
