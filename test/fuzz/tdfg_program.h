// What every program that a reader of tensor graphs accepts must stand: printing, reading back, scheduling, sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/graph.h"
#include "pimento/tdfg/optimise.h"
#include "pimento/tdfg/text.h"

namespace pimento::fuzz {

inline void checkRefusal(const Diagnostics &found) {
  PIMENTO_CHECK(!found.empty());
  for (const Diagnostic &d : found) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
}

/// Prints and reads back unchanged, becomes a fat binary, and is refused or bound at small sizes.
inline void checkProgram(const tdfg::Program &program) {
  const std::string printed = tdfg::print(program);
  const auto back = tdfg::readProgram(printed, "again");
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(tdfg::print(back->program) == printed);
  const auto binary = tdfg::makeFatBinary(program);
  PIMENTO_CHECK(binary.ok());
  PIMENTO_CHECK(tdfg::readFatBinary(tdfg::writeFatBinary(*binary), "fuzz.inf").ok());
  std::map<std::string, std::int64_t> sizes;
  for (const tdfg::Name &name : program.names)
    if (name.kind == tdfg::Name::Kind::kSize) sizes[name.name] = program.leastSize + 5;
  const auto values = tdfg::bindSizes(program, sizes);
  if (!values) return checkRefusal(values.diagnostics());
  static_cast<void>(tdfg::graphOf(program, *values));
  for (std::size_t r = 0; r < program.regions.size(); ++r) {
    const auto bound = tdfg::bindRegion(program, static_cast<int>(r), *values);
    // What can run can run when it has been rewritten.
    tdfg::Program rewritten = program;
    const auto cost = [](const tdfg::Node &n) {
      return n.kind == tdfg::NodeKind::kCmp ? 1000 : n.kind == tdfg::NodeKind::kMv ? 700 : 0;
    };
    const tdfg::OptimiserReport report =
        tdfg::optimise(rewritten, rewritten.regions[r], cost,
                       {.mayReassociate = true, .explains = true, .nodes = 300, .rounds = 4, .steps = 300});
    PIMENTO_CHECK(report.after <= report.before);
    PIMENTO_CHECK(!report.unchanged.empty() || report.isReplayed);
    PIMENTO_CHECK(tdfg::verify(rewritten).ok());
    if (bound) PIMENTO_CHECK(tdfg::bindRegion(rewritten, static_cast<int>(r), *values).ok());
  }
}

}  // namespace pimento::fuzz
