#include "pimento/frontend/nest/branches.h"

#include <algorithm>

#include "pimento/frontend/nest/accumulation.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

class Merger {
 public:
  explicit Merger(NestProgram &program) : program_(program), statements_(program.statements) {}

  /// From the last branch to the first: each `else` is whole before the condition around it is looked at.
  void run() {
    for (std::size_t b = statements_.size(); b-- > 1;)
      for (std::size_t a = b; a-- > 0;) {
        if (!isPair(statements_[a], statements_[b]) || !isFree(a, b)) continue;
        merge(statements_[a], statements_[b]);
        statements_.erase(statements_.begin() + static_cast<std::ptrdiff_t>(a));
        --b;
      }
  }

 private:
  bool reads(const NestStatement &s, int buffer) const {
    bool isFound = false;
    visitLoads(program_, s, [&](int e) { isFound = isFound || program_.pool[e].buffer == buffer; });
    return isFound;
  }

  bool isPlain(const NestStatement &s) {
    return s.predicate >= 0 && !s.data.isThere() && !s.follows && !reads(s, s.buffer) && !accumulationOf(program_, s);
  }

  bool isPair(const NestStatement &a, const NestStatement &b) {
    return a.buffer == b.buffer && a.index == b.index && a.loops == b.loops && a.guards == b.guards && isPlain(a) &&
           isPlain(b);
  }

  /// Whether the first of two stores may wait for the second, what lies between and what follows one of them included.
  bool isFree(std::size_t a, std::size_t b) const {
    if (b + 1 < statements_.size() && statements_[b + 1].follows) return false;
    for (std::size_t s = a + 1; s < b; ++s) {
      const NestStatement &other = statements_[s];
      if (other.follows || other.buffer == statements_[a].buffer || reads(other, statements_[a].buffer) ||
          reads(statements_[a], other.buffer))
        return false;
    }
    return true;
  }

  /// The parts that must all hold.
  std::vector<int> parts(int condition) const {
    const Expression &node = program_.pool[condition];
    if (node.op != Op::kAnd || node.type != DType::kU8) return {condition};
    std::vector<int> all = parts(node.args[0]);
    const std::vector<int> more = parts(node.args[1]);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  bool areOpposite(int p, int q) { return program_.pool.isFalse(p) == q || program_.pool.isFalse(q) == p; }

  /// `second` in place of both; it wins where both conditions hold.
  void merge(const NestStatement &first, NestStatement &second) {
    ExpressionPool &pool = program_.pool;
    std::vector<int> p = parts(first.predicate), q = parts(second.predicate);
    int common = -1;
    for (auto at = p.begin(); at != p.end();) {
      const auto same = std::ranges::find(q, *at);
      if (same == q.end()) {
        ++at;
        continue;
      }
      common = pool.both(common, *at);
      q.erase(same);
      at = p.erase(at);
    }
    const auto all = [&](const std::vector<int> &list) {
      int conjunction = -1;
      for (const int each : list) conjunction = pool.both(conjunction, each);
      return conjunction;
    };
    const int mine = all(p), other = all(q);
    const DType type = pool[second.value].type;
    if (mine < 0 || other < 0) {  // one includes the other
      second.predicate = other < 0 ? second.predicate : first.predicate;
      second.value = other < 0 ? second.value : pool.op(Op::kSelect, type, other, second.value, first.value);
      return;
    }
    // Whichever asks fewer questions.
    const bool asksMine = areOpposite(mine, other);
    second.value = asksMine ? pool.op(Op::kSelect, type, mine, first.value, second.value)
                            : pool.op(Op::kSelect, type, other, second.value, first.value);
    const int either = asksMine ? -1 : pool.isFalse(pool.both(pool.isFalse(mine), pool.isFalse(other)));
    second.predicate = either < 0 ? common : pool.both(common, either);
  }

  NestProgram &program_;
  std::vector<NestStatement> &statements_;
};

}  // namespace

void mergeBranches(NestProgram &program) {
  Merger(program).run();
}

}  // namespace pimento::frontend
