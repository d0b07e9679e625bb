#include "pimento/frontend/nest/recorder.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/conditions.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

Affine unit(int loop, std::int64_t factor) {
  Affine form;
  form.coefficients.resize(static_cast<std::size_t>(loop) + 1);
  form.coefficients.back() = factor;
  return form;
}

int NestRecorder::addBuffer(NestBuffer buffer) {
  program_.buffers.push_back(std::move(buffer));
  return static_cast<int>(program_.buffers.size()) - 1;
}

int NestRecorder::predicateFrom(std::size_t first) const {
  int all = -1;
  for (std::size_t p = first; p < predicates_.size(); ++p) all = pool_.both(all, predicates_[p]);
  return all;
}

/// Gives a statement the loops' conditions: guards where they are one case; a choice where the statement accumulates,
/// since the order of rounding is that of the loops; else a statement for each case.
void NestRecorder::emitGuarded(NestStatement s) {
  std::vector<std::size_t> open;
  const bool accumulates = !isTrial_ && accumulationOf(program_, s).has_value();
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    const Guard &guard = guards_[g];
    if (guard.cases.size() == 1) {
      s.guards.insert(s.guards.end(), guard.cases.front().begin(), guard.cases.front().end());
    } else if (accumulates) {
      s.predicate = pool_.both(s.predicate, guard.condition);
    } else {
      open.push_back(g);
    }
  }
  const std::function<void(NestStatement, std::size_t)> split = [&](NestStatement part, std::size_t at) {
    if (at == open.size()) return emitSplit(std::move(part), 0);
    for (const std::vector<Affine> &one : guards_[open[at]].cases) {
      NestStatement next = part;
      next.guards.insert(next.guards.end(), one.begin(), one.end());
      split(std::move(next), at + 1);
    }
  };
  split(std::move(s), 0);
}

/// Whether a choice by loops keeps an index within its array.
bool NestRecorder::protects(const NestStatement &s, const Expression &choice) const {
  const auto onTrue = disjointGuards(pool_, choice.args[0]);
  const auto onFalse = onTrue ? disjointGuards(pool_, pool_.isFalse(choice.args[0])) : std::nullopt;
  if (!onFalse) return false;
  const auto isTighter = [&](const Affine &form, const DisjointGuards &cases, std::int64_t extent) {
    const auto everywhere = rangeUnder(program_, s.loops, s.guards, form);
    if (!everywhere) return true;
    if (extent > 0) return everywhere->low < 0 || everywhere->high >= extent;
    std::optional<FormRange> hull;
    for (const std::vector<Affine> &one : cases) {
      std::vector<Affine> guards = s.guards;
      guards.insert(guards.end(), one.begin(), one.end());
      const auto part = rangeUnder(program_, s.loops, guards, form);
      if (!part) continue;
      hull = hull ? FormRange{std::min(hull->low, part->low), std::max(hull->high, part->high)} : *part;
    }
    return !hull || hull->low > everywhere->low || hull->high < everywhere->high;
  };
  bool isProtected = false;
  for (const auto &[arm, cases] : {std::pair{choice.args[1], &*onTrue}, std::pair{choice.args[2], &*onFalse}}) {
    pool_.visit(arm, [&, cases = cases](int e) {
      const Expression &x = pool_[e];
      if (x.op != Op::kLoad || x.buffer < 0) return;
      const NestBuffer &b = program_.buffers[static_cast<std::size_t>(x.buffer)];
      for (std::size_t d = 0; d < x.index.size(); ++d) {
        isProtected = isProtected || isTighter(x.index[d], *cases, b.shape[d]);
      }
    });
  }
  return isProtected;
}

/// A choice by loops between values of which one reads memory becomes two statements: what is not chosen may lie
/// outside its array.
void NestRecorder::emitSplit(NestStatement s, int depth) {
  constexpr int kDeepestSplit = 6;
  int choice = -1;
  const auto reads = [&](int e) { return pool_.contains(e, [](const Expression &x) { return x.op == Op::kLoad; }); };
  if (depth < kDeepestSplit && !isTrial_) {
    pool_.visit(s.value, [&](int e) {
      const Expression &node = pool_[e];
      const bool isMeant = choice < 0 && node.op == Op::kSelect && (reads(node.args[1]) || reads(node.args[2]));
      if (isMeant && protects(s, node)) choice = e;
    });
  }
  if (choice < 0) {
    program_.statements.push_back(std::move(s));
    return;
  }
  const Expression node = pool_[choice];
  const int isNot = pool_.isFalse(node.args[0]);
  for (const auto &[condition, value] : {std::pair{node.args[0], node.args[1]}, std::pair{isNot, node.args[2]}}) {
    const auto pieces = disjointGuards(pool_, condition);
    if (!pieces) {
      program_.statements.push_back(std::move(s));
      return;
    }
    for (const std::vector<Affine> &piece : *pieces) {
      NestStatement part = s;
      part.guards.insert(part.guards.end(), piece.begin(), piece.end());
      part.value =
          pool_.rewrite(s.value, [&, v = value](int e) { return e == choice ? std::optional(v) : std::nullopt; });
      const auto added = accumulationOf(program_, part);
      const bool addsNothing = added && added->combine == kernel::Combine::kAdd && pool_.isConstant(added->term) &&
                               pool_[added->term].real == 0 && pool_[added->term].integer == 0;
      if (!addsNothing) emitSplit(std::move(part), depth + 1);
    }
  }
}

int NestRecorder::spill(const std::string &name, const std::string &function, int value, std::vector<Affine> &index) {
  NestBuffer buffer{name, NestBuffer::Kind::kCarried, pool_[value].type, {}, true, false, program_.where, true};
  index.clear();
  for (const int l : loops_) {
    buffer.shape.push_back(program_.loops[static_cast<std::size_t>(l)].extent);
    index.push_back(unit(l));
  }
  if (buffer.shape.empty()) {
    buffer.shape.push_back(1);
    index.push_back({});
  }
  NestStatement s;
  s.buffer = addBuffer(std::move(buffer));
  s.index = index;
  s.value = value;
  s.loops = loops_;
  s.where = program_.where;
  s.function = function;
  const int made = s.buffer;
  emitGuarded(std::move(s));
  return made;
}

void NestRecorder::keepOld(int buffer, int &value, const std::string &name, const std::string &function,
                           std::map<int, int> &kept) {
  const bool reads =
      pool_.contains(value, [&](const Expression &e) { return e.op == Op::kLoad && e.buffer == buffer; });
  if (!reads) return;
  const auto [at, isNew] = kept.try_emplace(value, -1);
  if (isNew) {
    std::vector<Affine> index;
    const DType type = pool_[value].type;
    const int copy = spill(name, function, value, index);
    at->second = pool_.load(type, copy, std::move(index), {}, program_.where);
  }
  value = at->second;
}

}  // namespace pimento::frontend
