// Statements that need not be.
#include <algorithm>
#include <set>

#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/branches.h"
#include "pimento/frontend/nest/schedule.h"
#include "pimento/frontend/nest/structured.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

namespace {

class Tidier {
 public:
  explicit Tidier(NestProgram &program) : program_(program), statements_(program.statements) {}

  void run() {
    dropEmpty();
    dropUnread();
    mergeBranches(program_);
    for (std::size_t copy = 0; copy < statements_.size(); ++copy) {
      if (mergeIntoTarget(copy)) copy = 0;
    }
    for (std::size_t s = 0; s < statements_.size(); ++s) {
      const std::vector<int> loops = statements_[s].loops;
      keepLastIterations(statements_[s]);
      moveOut(s, loops);
    }
    markFollowers(program_);
    dropUnread();
  }

 private:
  NestBuffer &bufferOf(const NestStatement &s) { return program_.buffers[static_cast<std::size_t>(s.buffer)]; }

  /// Guards that always hold go, statements whose guards never hold too.
  void dropEmpty() {
    const auto extents = program_.extents();
    std::erase_if(statements_, [&](NestStatement &s) {
      bool never = false;
      std::erase_if(s.guards, [&](const Affine &guard) {
        const auto range = rangeOf(guard, extents);
        never = never || (range && range->high < 0);
        return range && range->low >= 0;
      });
      std::vector<Affine> once;
      for (const Affine &guard : s.guards) {
        if (std::find(once.begin(), once.end(), guard) == once.end()) once.push_back(guard);
      }
      s.guards = std::move(once);
      return never;
    });
  }

  /// Carried values that no one asks for. Accumulating into one is no question.
  void dropUnread() {
    for (bool hasChanged = true; std::exchange(hasChanged, false);) {
      std::set<int> read;
      for (const NestStatement &s : statements_) {
        visitLoads(program_, s, [&](int e) {
          const int buffer = program_.pool[e].buffer;
          if (buffer != s.buffer) read.insert(buffer);
        });
      }
      for (std::size_t s = 1, first = 0; s < statements_.size(); ++s) {
        if (!statements_[s].follows)
          first = s;
        else
          read.insert(statements_[first].buffer);
      }
      const auto isUnread = [&](const NestStatement &s) {
        const NestBuffer::Kind kind = bufferOf(s).kind;
        const bool isOurs = kind == NestBuffer::Kind::kCarried || kind == NestBuffer::Kind::kLocal;
        return isOurs && !read.contains(s.buffer);
      };
      hasChanged = std::erase_if(statements_, isUnread) > 0;
    }
  }

  bool reads(const NestStatement &s, int buffer) const {
    bool isFound = false;
    visitLoads(program_, s, [&](int e) { isFound = isFound || program_.pool[e].buffer == buffer; });
    return isFound;
  }

  bool readsOnly(const NestStatement &s, int buffer, const std::vector<Affine> &index) const {
    bool isSame = true;
    visitLoads(program_, s, [&](int e) {
      const Expression &x = program_.pool[e];
      isSame = isSame && (x.buffer != buffer || x.index == index);
    });
    return isSame;
  }

  /// The first statement that stores in `buffer`; nothing unless all that do, and all that read it, come before the
  /// copy, in its loops, at the element of the iteration.
  std::optional<std::size_t> firstStoreOf(int buffer, std::size_t copy, const std::vector<Affine> &own) const {
    const NestStatement &last = statements_[copy];
    std::size_t first = statements_.size();
    for (std::size_t s = 0; s < statements_.size(); ++s) {
      const NestStatement &other = statements_[s];
      // What follows a minimum is at the same indices.
      if (last.index != own && (other.buffer == buffer || reads(other, buffer)) && followedBy(program_, s))
        return std::nullopt;
      if (other.buffer != buffer) {
        if (s != copy && reads(other, buffer) && (s > copy || !readsOnly(other, buffer, own))) return std::nullopt;
        continue;
      }
      if (other.index != own || other.data.isThere() || s > copy) return std::nullopt;
      if (other.loops.size() < last.loops.size() ||
          !std::equal(last.loops.begin(), last.loops.end(), other.loops.begin())) {
        return std::nullopt;
      }
      if (!std::equal(
              last.guards.begin(), last.guards.end(), other.guards.begin(),
              other.guards.begin() + static_cast<std::ptrdiff_t>(std::min(last.guards.size(), other.guards.size())))) {
        return std::nullopt;
      }
      first = std::min(first, s);
    }
    return first < copy ? std::optional(first) : std::nullopt;
  }

  /// Whether the copy's target may be used from the first store on: that is made wherever the copy is, and nothing else
  /// touches the target until then.
  bool isFreeBetween(const NestStatement &last, std::size_t first, std::size_t copy) const {
    // The first value is stored wherever the copy is.
    if (statements_[first].guards != last.guards || statements_[first].loops != last.loops ||
        statements_[first].predicate >= 0) {
      return false;
    }
    for (std::size_t s = 0; s < statements_.size(); ++s) {
      const bool isBetween = s >= first && s < copy;
      const bool sharesLoop = !last.loops.empty() && !statements_[s].loops.empty() &&
                              statements_[s].loops.front() == last.loops.front() && s != copy;
      if (!isBetween && !sharesLoop) continue;
      if (statements_[s].buffer == last.buffer || reads(statements_[s], last.buffer)) return false;
    }
    return true;
  }

  /// Lets what reads and writes `buffer` use the target of `last`.
  void redirect(int buffer, const NestStatement &last) {
    for (NestStatement &s : statements_) {
      for (int *root : {&s.value, &s.predicate, &s.data.value}) {
        if (*root < 0) continue;
        *root = program_.pool.rewrite(*root, [&](int e) -> std::optional<int> {
          const Expression node = program_.pool[e];
          if (node.op != Op::kLoad || node.buffer != buffer) return std::nullopt;
          return program_.pool.load(node.type, last.buffer, last.index, {}, program_.pool.whereOf(e));
        });
      }
      if (s.buffer != buffer) continue;
      s.buffer = last.buffer;
      s.index = last.index;
      s.where = s.loops.size() > last.loops.size() ? s.where : last.where;
    }
  }

  /// t = 0; for (...) t += ...; y[i] = t   becomes   y[i] = 0; for (...) y[i] += ...
  bool mergeIntoTarget(std::size_t copy) {
    const NestStatement last = statements_[copy];
    const Expression value = program_.pool[last.value];
    if (value.op != Op::kLoad || value.buffer < 0 || last.predicate >= 0 || last.data.isThere() ||
        value.data().isThere()) {
      return false;
    }
    const NestBuffer &from = program_.buffers[static_cast<std::size_t>(value.buffer)];
    const NestBuffer &to = bufferOf(last);
    if (from.kind != NestBuffer::Kind::kCarried || from.type != to.type || value.buffer == last.buffer) return false;
    if (program_.isBound(value.buffer)) return false;
    // One element for each iteration of exactly the loops around the copy.
    std::vector<Affine> own;
    for (const int l : last.loops) {
      Affine form;
      form.coefficients.resize(static_cast<std::size_t>(l) + 1);
      form.coefficients.back() = 1;
      own.push_back(std::move(form));
    }
    if (own.empty()) own.emplace_back();
    if (value.index != own) return false;
    const std::vector<bool> known = determined(last.index, last.loops, program_.extents());
    if (std::find(known.begin(), known.end(), false) != known.end()) return false;
    const std::optional<std::size_t> first = firstStoreOf(value.buffer, copy, own);
    if (!first) return false;
    if (!isFreeBetween(last, *first, copy)) return false;
    redirect(value.buffer, last);
    statements_.erase(statements_.begin() + static_cast<std::ptrdiff_t>(copy));
    return true;
  }

  /// t = x[i] in every iteration: the last one stays.
  void keepLastIterations(NestStatement &s) {
    if (s.predicate >= 0 || s.data.isThere() || accumulationOf(program_, s) || reads(s, s.buffer)) return;
    if (program_.hasBounded(s.loops)) return;  // which iteration is the last, data say
    const auto known = determined(s.index, s.loops, program_.extents());
    const std::vector<int> loops = s.loops;
    for (std::size_t d = 0; d < loops.size(); ++d) {
      const int loop = loops[d];
      const auto uses = [loop](const Affine &form) { return coefficient(form, loop) != 0; };
      if (known[d] || program_.loops[static_cast<std::size_t>(loop)].isRound ||
          std::any_of(s.index.begin(), s.index.end(), uses) || std::any_of(s.guards.begin(), s.guards.end(), uses) ||
          isShared(s, loop)) {
        continue;
      }
      const std::int64_t last = program_.loops[static_cast<std::size_t>(loop)].extent - 1;
      s.value = program_.pool.mapForms(s.value, [&](const Affine &form) {
        Affine fixed = form;
        const std::int64_t factor = coefficient(form, loop);
        if (factor != 0) fixed.coefficients[static_cast<std::size_t>(loop)] = 0;
        fixed.constant += factor * last;
        return trimmed(std::move(fixed));
      });
      std::erase(s.loops, loop);
    }
  }

  /// What is no longer in a loop stands before the loop's statements, which it has nothing to do with (isShared): among
  /// them it would be part of a loop around kernels.
  void moveOut(std::size_t s, const std::vector<int> &loops) {
    const std::vector<int> &left = statements_[s].loops;
    const auto gone = std::find_if(loops.begin(), loops.end(),
                                   [&](int l) { return std::find(left.begin(), left.end(), l) == left.end(); });
    if (gone == loops.end()) return;
    const auto isIn = [&](const NestStatement &other) {
      return std::find(other.loops.begin(), other.loops.end(), *gone) != other.loops.end();
    };
    const auto own = statements_.begin() + static_cast<std::ptrdiff_t>(s);
    const auto first = std::find_if(statements_.begin(), own, isIn);
    std::rotate(first, own, own + 1);
  }

  /// Whether another statement of the loop touches what this one stores, or stores what it reads.
  bool isShared(const NestStatement &s, int loop) const {
    for (const NestStatement &other : statements_) {
      if (&other == &s || std::find(other.loops.begin(), other.loops.end(), loop) == other.loops.end()) continue;
      if (other.buffer == s.buffer || reads(other, s.buffer) || reads(s, other.buffer)) return true;
    }
    return false;
  }

  NestProgram &program_;
  std::vector<NestStatement> &statements_;
};

}  // namespace

void tidy(NestProgram &program) {
  Tidier(program).run();
}

}  // namespace pimento::frontend
