// Routines that wait before they compute.
#include "pimento/dpu/padded_routines.h"

#include "assembled.h"
#include "pimento/dpu/disassembler.h"
#include "pimento/dpu/isa.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/runtime.h"

namespace pimento::dpu {
namespace {

double ownOf(const std::string &name) {
  for (const RoutineCost &cost : libraryCosts())
    if (cost.name == name) return cost.slots;
  ADD_FAILURE() << name << " does not say its slots";
  return 0;
}

program::Code linked(const PaddedRoutines &padded) {
  std::vector<Object> objects = padded.objects;
  objects.push_back(assembledObject(" .globl main\nmain: call r23, __addsf3\n jump r23\n"));
  LinkOptions options;
  options.wrapped = {padded.names.begin(), padded.names.end()};
  const auto code = link(std::move(objects), options, &runtimeLibrary());
  EXPECT_TRUE(code.ok()) << code.diagnostics().front().str();
  return code ? *code : program::Code{};
}

TEST(PaddedRoutines, CallsGoThroughALoopThatWaits) {
  const double own = ownOf("__addsf3");
  const program::Code code = linked(paddedRoutines({{"__addsf3", own + 20}}));
  const auto *wrap = code.symbolNamed("__wrap___addsf3");
  ASSERT_NE(wrap, nullptr);
  const auto at = [&](std::uint32_t i) {
    return print(*decode(code.instructions[((wrap->address >> 3) & 0xffff) + i]));
  };
  EXPECT_EQ(at(0), "move r4, 18") << "18 turns, the move and the jump";
  EXPECT_EQ(at(1).substr(0, 20), "add r4, r4, -1, nz, ");
  const auto *main = code.symbolNamed("main"), *routine = code.symbolNamed("__addsf3");
  ASSERT_TRUE(main != nullptr && routine != nullptr);
  EXPECT_EQ(print(*decode(code.instructions[(main->address >> 3) & 0xffff])),
            "call r23, " + std::to_string((wrap->address >> 3) & 0xffff));
  EXPECT_EQ(at(2), "jump " + std::to_string((routine->address >> 3) & 0xffff));
}

TEST(PaddedRoutines, WhatIsLongEnoughOrSaysNothingStaysAsItIs) {
  EXPECT_TRUE(paddedRoutines({{"__addsf3", ownOf("__addsf3") + 2}}).objects.empty());
  EXPECT_TRUE(paddedRoutines({{"mem_alloc", 500}, {"nothing", 5}}).objects.empty());
  EXPECT_EQ(linked(paddedRoutines({})).symbolNamed("__wrap___addsf3"), nullptr);
}

}  // namespace
}  // namespace pimento::dpu
