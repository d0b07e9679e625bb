// Random kernels of the forms that near-bank units have, by strided and shifted references: products and sums of them,
// element-wise ones; several references to one tensor, sometimes conditions.
#pragma once

#include <fmt/format.h>

#include <string>

#include "pimento/base/rng.h"
#include "pimento/kernel/notation.h"

namespace pimento::test {

class RandomStridedGraph {
 public:
  RandomStridedGraph(Rng &rng, DType type) : rng_(rng), type_(type) {}

  /// Its text, then the graph of it.
  std::string text() {
    const std::string left = rng_.below(2) == 0 ? "a" : "a,b";
    hasB_ = left == "a,b";
    const bool isProduct = rng_.below(3) != 0;
    std::string out;
    if (isProduct) {
      const std::string w = operand("w", "ac");
      const bool isAgain = rng_.below(3) == 0;  // of one tensor, by other functions
      out = fmt::format("y[{}] += {}", left, w);
      if (rng_.below(5) != 0)
        out += fmt::format(" * {}", isAgain ? operand("w", "ac") : operand("x", "bc"));
      else if (hasB_)
        out += " * " + operand("x", "bc");
    } else {
      const std::string x = operand("x", "ab"), y = operand(rng_.below(2) == 0 ? "x" : "y", "ab");
      constexpr const char *kForms[] = {"{} * {}", "{} + 0.5 * {}", "relu({} + {})", "{} - 2 * {}"};
      out = fmt::format("z[{}] = {}", left, fmt::format(fmt::runtime(kForms[rng_.below(4)]), x, y));
    }
    if (rng_.below(6) == 0) out += fmt::format(" where a >= {}", rng_.below(4));
    return out;
  }

  kernel::Graph make(const std::string &text) {
    kernel::Sizes sizes = {{"a", rng_.integer(5, 40)}};
    if (text.find('b') != std::string::npos) sizes["b"] = rng_.integer(1, 12);
    if (text.find('c') != std::string::npos) sizes["c"] = rng_.integer(2, 60);
    const auto graph = kernel::parseNotation(text, sizes, type_, "<test>");
    EXPECT_TRUE(graph.ok()) << text << ": " << graph.diagnostics().front().str();
    return *graph;
  }

 private:
  std::string function(char dim) {
    constexpr int kScales[] = {1, 1, 2, 3};
    const int scale = kScales[rng_.below(4)];
    const auto offset = static_cast<int>(rng_.below(3) == 0 ? 0 : rng_.below(6));
    // One that falls begins where no extent reaches.
    if (rng_.below(8) == 0) return fmt::format("{}-{}", 60 + offset, dim);
    return fmt::format("{}{}{}", scale == 1 ? "" : fmt::format("{}*", scale), dim,
                       offset == 0 ? "" : fmt::format("+{}", offset));
  }
  /// A tensor by functions of those dims that there are.
  std::string operand(const std::string &name, const std::string &dims) {
    std::string index;
    for (const char d : dims) {
      if (d == 'b' && !hasB_) continue;
      index += (index.empty() ? "" : ",") + function(d);
    }
    return fmt::format("{}[{}]", name, index);
  }

  Rng &rng_;
  DType type_;
  bool hasB_ = false;
};

}  // namespace pimento::test
