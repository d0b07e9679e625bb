#include "pimento/tdfg/equations.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace pimento::tdfg {

using egraph::Bindings;
using egraph::Fact;
using egraph::Rule;
using kernel::Op;

namespace {

class Rules {
 public:
  explicit Rules(GraphTerms &terms) : terms_(terms) {}

  /// `left` -> `right`. The computation gets numbers of variables from the rule that it is part of.
  void add(const std::string &text, egraph::Computation computation = nullptr) {
    rules_.push_back(egraph::makeRule(text, terms_.language(), std::move(computation)));
  }
  std::vector<Rule> take() { return std::move(rules_); }

 private:
  GraphTerms &terms_;
  std::vector<Rule> rules_;
};

/// "?x0 ?x1 ?x2", with others in place of some.
std::string argumentsOf(int count, const std::map<int, std::string> &others = {}, const std::string &each = "{}") {
  std::string text;
  for (int k = 0; k < count; ++k) {
    const auto other = others.find(k);
    text += " ";
    text += other != others.end() ? other->second : fmt::format(fmt::runtime(each), fmt::format("?x{}", k));
  }
  return text;
}

/// Variables are numbered in the order in which they stand.
constexpr int kFirst = 0, kSecond = 1, kThird = 2, kFourth = 3;

}  // namespace

std::vector<Rule> boxRules(GraphTerms &terms, const std::vector<Box> &widest) {
  Rules rules(terms);
  GraphTerms *t = &terms;
  egraph::Language &language = terms.language();
  for (const egraph::Op tensor : terms.tensors()) {
    const Box &wide = widest[static_cast<std::size_t>(terms.arrayOf(tensor))];
    if (wide.empty()) continue;
    const egraph::Op whole = terms.literal(wide);
    rules.add(
        fmt::format("Eq. 5, expand: ({0} ?b) -> (shrink ?b ({0} {1}))", language.name(tensor), language.name(whole)),
        [t, wide](Bindings &b) {
          const Box &box = *t->boxLiteral(b.fact(kFirst));
          return box != t->always().plain(wide) && t->always().covers(wide, box);
        });
  }
  // Both boxes are the domains of what they hold, so the outer one is what they have in common.
  rules.add("Eq. 6, shrink once: (shrink ?p (shrink ?q ?x)) -> (shrink ?p ?x)");
  rules.add("Eq. 6, shrink to all: (shrink ?p ?x) -> ?x", [t](Bindings &b) {
    const Box *domain = t->domain(b.fact(kSecond));
    return domain != nullptr && *domain == *t->boxLiteral(b.fact(kFirst));
  });
  rules.add("Eq. 7, move, then shrink: (mv ?d ?k (shrink ?b ?x)) -> (shrink ?r (mv ?d ?k ?x))", [t](Bindings &b) {
    const auto moved =
        t->moved(*t->boxLiteral(b.fact(kThird)), t->dimLiteral(b.fact(kFirst)), *t->formLiteral(b.fact(kSecond)));
    if (!moved) return false;
    b.bind(4, t->literal(*moved));
    return true;
  });
  rules.add(
      "Eq. 8, broadcast, then shrink: (bc ?d ?k ?c (shrink ?b ?x)) -> (shrink ?r (bc ?d ?k ?c ?x))", [t](Bindings &b) {
        const int dim = t->dimLiteral(b.fact(kFirst));
        const Box box = *t->boxLiteral(b.fact(kFourth));
        const Box *domain = t->domain(b.fact(4));
        if (domain == nullptr) return false;
        if (box[static_cast<std::size_t>(dim)] != (*domain)[static_cast<std::size_t>(dim)]) return false;
        const auto repeated = t->repeated(box, dim, *t->formLiteral(b.fact(kSecond)), *t->formLiteral(b.fact(kThird)));
        if (!repeated) return false;
        b.bind(5, t->literal(*repeated));
        return true;
      });
  for (const GraphTerms::Compute &c : terms.computes())
    for (int k = 0; k < c.arity; ++k) {
      const std::string name = terms.language().name(c.op);
      const int arity = c.arity;
      rules.add(fmt::format("Eq. 9, compute, then shrink: ({0}{1}) -> (shrink ?r ({0}{2}))", name,
                            argumentsOf(arity, {{k, fmt::format("(shrink ?b ?x{})", k)}}), argumentsOf(arity)),
                [t, k, arity](Bindings &b) {
                  // ?b stands before the argument that it is around.
                  Box box = *t->boxLiteral(b.fact(k));
                  for (int v = 0; v <= arity; ++v) {
                    if (v == k || v == k + 1 || t->isEverywhere(b.fact(v))) continue;
                    const Box *other = t->domain(b.fact(v));
                    if (other == nullptr) return false;
                    const auto both = t->always().meet(box, *other);
                    if (!both) return false;
                    box = *both;
                  }
                  b.bind(arity + 1, t->literal(box));
                  return true;
                });
    }
  return rules.take();
}

namespace {

/// No operation on constants alone: they have no domain.
egraph::Computation oneIsATensor(const GraphTerms *t, int a, int b) {
  return [t, a, b](Bindings &bindings) {
    return !t->isEverywhere(bindings.fact(a)) || !t->isEverywhere(bindings.fact(b));
  };
}

void addOrders(Rules &rules, GraphTerms &terms, bool mayReassociate) {
  const auto nameOf = [&](Op op, DType type) { return fmt::format("{}.{}", kernel::name(op), pimento::name(type)); };
  std::set<std::pair<Op, DType>> known;
  for (const GraphTerms::Compute &c : terms.computes()) known.insert({c.operation, c.type});
  for (const auto &[op, type] : known) {
    const bool isExact = !isFloat(type) || mayReassociate;
    const std::string f = nameOf(op, type);
    const bool isOfIntegers = op == Op::kMin || op == Op::kMax || op == Op::kAnd || op == Op::kOr || op == Op::kXor;
    if (op != Op::kAdd && op != Op::kMul && !(isOfIntegers && !isFloat(type))) continue;
    rules.add(fmt::format("Eq. 3b, commute {0}: ({0} ?a ?b) -> ({0} ?b ?a)", f));
    if (!isExact) continue;
    rules.add(fmt::format("Eq. 3a, associate {0}: ({0} ?a ({0} ?b ?c)) -> ({0} ({0} ?a ?b) ?c)", f),
              oneIsATensor(&terms, kFirst, kSecond));
  }
  for (const auto &[op, type] : known) {
    if (op != Op::kMul || (isFloat(type) && !mayReassociate)) continue;
    for (const Op sum : {Op::kAdd, Op::kSub}) {
      if (!known.contains({sum, type})) continue;
      const std::string m = nameOf(op, type), s = nameOf(sum, type);
      rules.add(fmt::format("Eq. 3c, distribute {0}: ({0} ?a ({1} ?b ?c)) -> ({1} ({0} ?a ?b) ({0} ?a ?c))", m, s),
                [&terms](Bindings &b) {
                  const bool isConstant = terms.isEverywhere(b.fact(kFirst));
                  return !isConstant || (!terms.isEverywhere(b.fact(kSecond)) && !terms.isEverywhere(b.fact(kThird)));
                });
      rules.add(fmt::format("Eq. 3c, factor {0}: ({1} ({0} ?a ?b) ({0} ?a ?c)) -> ({0} ?a ({1} ?b ?c))", m, s),
                oneIsATensor(&terms, kSecond, kThird));
    }
  }
  for (const auto &[op, type] : known) {
    if (op != Op::kSub || !known.contains({Op::kAdd, type}) || (isFloat(type) && !mayReassociate)) continue;
    const std::string a = nameOf(Op::kAdd, type), s = nameOf(op, type);
    rules.add(fmt::format("Eq. 3a, subtract from a part: ({1} ({0} ?a ?b) ?c) -> ({0} ?a ({1} ?b ?c))", a, s),
              oneIsATensor(&terms, kSecond, kThird));
    rules.add(fmt::format("Eq. 3a, subtract from the sum: ({0} ?a ({1} ?b ?c)) -> ({1} ({0} ?a ?b) ?c)", a, s),
              oneIsATensor(&terms, kFirst, kSecond));
    rules.add(fmt::format("Eq. 3a, subtract at once: ({1} ({1} ?a ?b) ?c) -> ({1} ?a ({0} ?b ?c))", a, s),
              oneIsATensor(&terms, kSecond, kThird));
    rules.add(fmt::format("Eq. 3a, subtract one by one: ({1} ?a ({0} ?b ?c)) -> ({1} ({1} ?a ?b) ?c)", a, s),
              oneIsATensor(&terms, kFirst, kSecond));
  }
}

/// Operations and what carries their arguments, (mv ?d ?k X) or (bc ?d ?k ?c X), whose first `fields` variables are the
/// same for all of them.
void addCarriers(Rules &rules, GraphTerms &terms, const GraphTerms::Compute &c, const std::string &equation,
                 const std::string &carrier, int fields) {
  const std::string f = terms.language().name(c.op);
  const GraphTerms *t = &terms;
  const std::string carried = "(" + carrier + " {})";
  const bool isRepeat = fields == 3;
  const int arity = c.arity;
  // Constants are everywhere: they are not carried.
  const std::uint32_t all = (1U << arity) - 1;
  for (std::uint32_t constants = 0; constants < all; ++constants) {
    // Variables of the arguments: inward they stand behind the fields; outward the first that is carried binds those.
    std::map<int, std::string> bare;
    std::vector<int> inward, outward;
    int next = 0, fieldsAt = -1;
    for (int k = 0; k < arity; ++k) {
      const bool isConstant = (constants >> k & 1) != 0;
      if (isConstant) bare[k] = fmt::format("?x{}", k);
      if (!isConstant && fieldsAt < 0) {
        fieldsAt = next;
        next += fields;
      }
      inward.push_back(fields + k);
      outward.push_back(next++);
    }
    // Repeated rows meet in one place from wherever they come; the operation on them must meet before.
    const auto holds = [t, constants, isRepeat](const std::vector<int> &arguments, int dim) -> egraph::Computation {
      return [=](Bindings &b) {
        const Range *range = nullptr;
        for (std::size_t k = 0; k < arguments.size(); ++k) {
          const Fact fact = b.fact(arguments[k]);
          const bool isConstant = t->isEverywhere(fact);
          if (isConstant != ((constants >> k & 1) != 0)) return false;
          if (!isRepeat || isConstant) continue;
          const Box *box = t->domain(fact);
          if (box == nullptr) return false;
          const Range &own = (*box)[static_cast<std::size_t>(t->dimLiteral(b.fact(dim)))];
          if (range != nullptr && !(*range == own)) return false;
          range = &own;
        }
        return true;
      };
    };
    const std::string apart = argumentsOf(arity, bare, carried), whole = argumentsOf(arity);
    rules.add(fmt::format("{0}, inward {1}: ({2} ({1}{3})) -> ({1}{4})", equation, f, carrier, whole, apart),
              holds(inward, kFirst));
    rules.add(fmt::format("{0}, outward {1}: ({1}{4}) -> ({2} ({1}{3}))", equation, f, carrier, whole, apart),
              holds(outward, fieldsAt));
  }
}

}  // namespace

std::vector<Rule> operationRules(GraphTerms &terms, bool mayReassociate) {
  Rules rules(terms);
  GraphTerms *t = &terms;
  addOrders(rules, terms, mayReassociate);
  for (const GraphTerms::Compute &c : terms.computes()) {
    addCarriers(rules, terms, c, "Eq. 4a", "mv ?d ?k", 2);
    addCarriers(rules, terms, c, "Eq. 4b", "bc ?d ?k ?c", 3);
  }
  // Moves along one dim are one, where nothing leaves the lattice between them: both in one direction.
  rules.add("two moves: (mv ?d ?k (mv ?d ?l ?x)) -> (mv ?d ?m ?x)", [t](Bindings &b) {
    const Form &k = *t->formLiteral(b.fact(kSecond)), &l = *t->formLiteral(b.fact(kThird));
    if (!k.isConstant() || !l.isConstant() || (k.constant < 0) != (l.constant < 0)) return false;
    b.bind(4, t->literal(plus(k, l)));
    return true;
  });
  rules.add("moves along two dims: (mv ?d ?k (mv ?e ?l ?x)) -> (mv ?e ?l (mv ?d ?k ?x))",
            [t](Bindings &b) { return t->dimLiteral(b.fact(kFirst)) != t->dimLiteral(b.fact(kThird)); });
  rules.add("no move: (mv ?d ?k ?x) -> ?x", [t](Bindings &b) { return *t->formLiteral(b.fact(kSecond)) == Form{}; });
  rules.add("move a broadcast: (mv ?d ?k (bc ?e ?l ?c ?x)) -> (bc ?e ?l ?c (mv ?d ?k ?x))",
            [t](Bindings &b) { return t->dimLiteral(b.fact(kFirst)) != t->dimLiteral(b.fact(kThird)); });
  rules.add("broadcast what moved: (bc ?e ?l ?c (mv ?d ?k ?x)) -> (mv ?d ?k (bc ?e ?l ?c ?x))",
            [t](Bindings &b) { return t->dimLiteral(b.fact(kFirst)) != t->dimLiteral(b.fact(kFourth)); });
  return rules.take();
}

}  // namespace pimento::tdfg
