#include "pimento/sim/dpu/product.h"

#include <algorithm>
#include <optional>

#include "pimento/dpu/isa.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::sim::dpu {

namespace {

using pimento::dpu::kImmediate;
using pimento::dpu::kZero;

constexpr std::uint32_t kSteps = 32, kChoice = 5;  // instructions: steps; which factor is the smaller one

std::uint64_t bit(std::uint8_t reg) {
  return std::uint64_t{1} << reg;
}

bool branchesTo(const Instruction &i, std::uint32_t target) {
  return i.use == ConditionUse::kBranch && i.target == target;
}

/// Is `i` step number `n` of the chain that ends at `end`?
bool isStep(const Instruction &i, const Instruction &first, std::uint32_t n, std::uint32_t end) {
  return i.op == Op::kMulStep && i.shift == n && i.dst == first.dst && i.a == first.a && i.b == first.dst &&
         (branchesTo(i, end) ? i.condition == Condition::kZ : n + 1 == kSteps && i.condition == Condition::kFalse);
}

/// Moves `from` to `to`: written as `or` with 0. From zero: clears it.
bool isMove(const Instruction &i, std::uint8_t to, std::uint8_t from) {
  return i.op == Op::kOr && i.dst == to && i.a == from && i.b == kImmediate && i.imm == 0 &&
         i.extension == Extension::kNone && i.use != ConditionUse::kSet;
}

/// The product whose first step is instruction `at`; nothing where something else is around the steps.
std::optional<Product> productAt(const std::vector<Instruction> &code, std::uint32_t at) {
  const Instruction &first = code[at];
  const std::uint32_t end = at + kSteps;
  if (end > code.size()) return std::nullopt;
  for (std::uint32_t n = 0; n < kSteps; ++n)
    if (!isStep(code[at + n], first, n, end)) return std::nullopt;
  const auto multiplier = first.dst, sum = static_cast<std::uint8_t>(multiplier + 1), factor = first.a;
  for (const std::uint32_t clear : {0U, 1U}) {
    if (at < kChoice + clear) continue;
    const std::uint32_t begin = at - kChoice - clear, steps = at - clear;
    const Instruction &choice = code[begin];
    const std::uint8_t x = choice.a, y = choice.b;
    const bool isChoice = choice.op == Op::kSub && choice.dst >= kZero && branchesTo(choice, begin + 3) &&
                          choice.condition == Condition::kGtu && y != kImmediate;
    if (!isChoice || !isMove(code[begin + 1], factor, y) || !isMove(code[begin + 2], multiplier, x) ||
        !branchesTo(code[begin + 2], steps) || code[begin + 2].condition != Condition::kTrue ||
        !isMove(code[begin + 3], factor, x) || !isMove(code[begin + 4], multiplier, y))
      continue;
    if (clear == 1 && !isMove(code[at - 1], sum, kZero)) continue;
    const std::uint64_t own = bit(multiplier) | bit(sum) | bit(factor);
    return Product{begin, end, bit(x) | bit(y) | (clear == 0 ? bit(sum) : 0), own, 0};
  }
  return std::nullopt;
}

/// Of the routine that holds `inner` and returns right behind it: what a call of it is.
std::optional<Product> routineOf(const std::vector<Instruction> &code, const Product &inner) {
  if (inner.end + 2 > code.size()) return std::nullopt;
  const Instruction &result = code[inner.end], &back = code[inner.end + 1];
  if (result.use != ConditionUse::kNone || back.op != Op::kCall || back.dst < kZero) return std::nullopt;
  if (result.dst >= kZero || !isMove(result, result.dst, result.a)) return std::nullopt;
  return Product{inner.first, inner.end + 2, inner.reads, inner.writes | bit(result.dst), 0};
}

}  // namespace

std::vector<Product> findProducts(const Image &image) {
  const std::vector<Instruction> &code = image.instructions;
  std::vector<Product> out, routines;
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    if (code[at].op != Op::kMulStep || code[at].shift != 0) continue;
    const auto product = productAt(code, at);
    if (!product) continue;
    out.push_back(*product);
    if (const auto routine = routineOf(code, *product)) routines.push_back(*routine);
  }
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    const Instruction &i = code[at];
    if (i.op != Op::kCall || i.dst >= kZero || i.a != kZero || i.b != kImmediate) continue;
    for (const Product &r : routines)
      if (static_cast<std::uint32_t>(i.imm) == r.first && code[r.end - 1].a == i.dst)
        out.push_back({at, at + 1, r.reads, r.writes, bit(i.dst)});
  }
  std::ranges::sort(out, {}, &Product::first);
  return out;
}

}  // namespace pimento::sim::dpu
