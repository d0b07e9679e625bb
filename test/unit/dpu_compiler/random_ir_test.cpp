// Random modules of LLVM IR, compiled for a DPU at every level, compute what an interpreter of our own says.
//
// PIMENTO_CASES: how many modules. PIMENTO_SEED: the first one; a failing one is cut down with PIMENTO_REDUCE=1.
#include "test/support/random_ir.h"

#include <gtest/gtest.h>

#include "test/support/cases.h"
#include "test/support/compiled_ir.h"
#include "test/support/in_child.h"
#include "test/unit/dpu_compiler/seeds.h"

namespace pimento::test {
namespace {

std::string kindOf(const std::string &wrong) {
  return wrong.substr(0, wrong.find(':'));
}

std::string reduced(const IrModule &module, int level, const std::string &wrong) {
  IrReducer reducer(module, [&](const IrModule &smaller, const IrAnswer &answer) {
    const std::string text = IrPrinter(smaller).text();
    return kindOf(inChild([&] { return wrongWith(text, smaller, answer, level); })) == kindOf(wrong);
  });
  IrModule small = reducer.run();
  const IrAnswer answer = *IrInterpreter(small).run();
  const std::string text = IrPrinter(small).text();
  return inChild([&] { return wrongWith(text, small, answer, level); }) + "\n" + text;
}

TEST(RandomIr, ComputesWhatTheInterpreterComputesAtEveryLevel) {
  const std::int64_t first = numberOr("PIMENTO_SEED", 1), count = caseCount(50);
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    Choices choices(static_cast<std::uint64_t>(seed));
    RandomIrOptions options;
    options.statements = seed % 4 == 0 ? 24 : 10;
    IrModule module = RandomIr(choices, options).module();
    const std::optional<IrAnswer> answer = IrInterpreter(module).run();
    ASSERT_TRUE(answer) << "seed " << seed << " is undefined or runs on";
    const std::string text = IrPrinter(module).text();
    for (const int level : levelsFor(seed, count)) {
      const std::string wrong = inChild([&] { return wrongWith(text, module, *answer, level); });
      if (wrong.empty()) continue;
      ADD_FAILURE() << "seed " << seed << " at -O" << level << ": " << wrong;
      if (std::getenv("PIMENTO_REDUCE") != nullptr) GTEST_LOG_(ERROR) << reduced(module, level, wrong);
    }
  }
}

}  // namespace
}  // namespace pimento::test
