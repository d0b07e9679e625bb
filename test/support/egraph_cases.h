// Problems whose e-graphs others have measured: 24 rules of calculus (the math microbenchmark of egglog), and sums of n
// distinct leaves under associativity and commutativity. Counts after each round hang on no engine: egg 0.11.0;
// those of sums are 3^n - 2^(n+1) + 1 + n nodes in 2^n - 1 classes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "pimento/tdfg/egraph/runner.h"

namespace pimento::test {

inline constexpr std::array<const char *, 7> kMathTerms{"(i (ln x) x)",
                                                        "(i (+ x (cos x)) x)",
                                                        "(i (* (cos x) x) x)",
                                                        "(d x (+ 1 (* 2 x)))",
                                                        "(d x (- (pow x 3) (* 7 (pow x 2))))",
                                                        "(+ (* y (+ x y)) (- (+ x 2) (+ x x)))",
                                                        "(/ 1 (- (/ (+ 1 (sqrt five)) 2) (/ (- 1 (sqrt five)) 2)))"};

inline constexpr const char *kMathRules = R"(
commute a sum: (+ ?a ?b) -> (+ ?b ?a)
commute a product: (* ?a ?b) -> (* ?b ?a)
associate sums: (+ ?a (+ ?b ?c)) -> (+ (+ ?a ?b) ?c)
associate products: (* ?a (* ?b ?c)) -> (* (* ?a ?b) ?c)
difference: (- ?a ?b) -> (+ ?a (* -1 ?b))
add 0: (+ ?a 0) -> ?a
multiply by 0: (* ?a 0) -> 0
multiply by 1: (* ?a 1) -> ?a
cancel: (- ?a ?a) -> 0
distribute: (* ?a (+ ?b ?c)) -> (+ (* ?a ?b) (* ?a ?c))
factor: (+ (* ?a ?b) (* ?a ?c)) -> (* ?a (+ ?b ?c))
product of powers: (* (pow ?a ?b) (pow ?a ?c)) -> (pow ?a (+ ?b ?c))
first power: (pow ?x 1) -> ?x
square: (pow ?x 2) -> (* ?x ?x)
derivative of a sum: (d ?x (+ ?a ?b)) -> (+ (d ?x ?a) (d ?x ?b))
derivative of a product: (d ?x (* ?a ?b)) -> (+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))
derivative of sin: (d ?x (sin ?x)) -> (cos ?x)
derivative of cos: (d ?x (cos ?x)) -> (* -1 (sin ?x))
integral of 1: (i 1 ?x) -> ?x
integral of cos: (i (cos ?x) ?x) -> (sin ?x)
integral of sin: (i (sin ?x) ?x) -> (* -1 (cos ?x))
integral of a sum: (i (+ ?f ?g) ?x) -> (+ (i ?f ?x) (i ?g ?x))
integral of a difference: (i (- ?f ?g) ?x) -> (- (i ?f ?x) (i ?g ?x))
by parts: (i (* ?a ?b) ?x) -> (- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x))
)";
/// Nodes and classes after each round, from the terms themselves on.
inline constexpr std::array<std::array<std::size_t, 2>, 12> kMathRounds{{{35, 35},
                                                                         {69, 50},
                                                                         {118, 71},
                                                                         {208, 116},
                                                                         {389, 197},
                                                                         {784, 361},
                                                                         {1576, 666},
                                                                         {3160, 1347},
                                                                         {8113, 3576},
                                                                         {28303, 12445},
                                                                         {136446, 58464},
                                                                         {1047896, 443832}}};

inline constexpr const char *kSumRules =
    "commute: (+ ?a ?b) -> (+ ?b ?a)\nassociate: (+ ?a (+ ?b ?c)) -> (+ (+ ?a ?b) ?c)";
/// Rounds until nothing changes, the last one with no change included, for 6 leaves and more.
inline constexpr std::array<std::size_t, 7> kSumRounds{8, 8, 9, 9, 10, 10, 10};

/// "(+ 1 (+ 2 3))".
inline std::string sumOf(int leaves) {
  std::string text = std::to_string(leaves);
  for (int k = leaves - 1; k > 0; --k) text = "(+ " + std::to_string(k) + " " + text + ")";
  return text;
}

inline tdfg::egraph::RuleSet rulesOf(const char *text, tdfg::egraph::Language &language) {
  return tdfg::egraph::RuleSet(std::move(*tdfg::egraph::readRules(text, language)));
}

}  // namespace pimento::test
