// What tests of programs for near-bank units share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/rng.h"
#include "pimento/mapping/passes.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {

/// Sometimes with operands in on-chip memory, with new rows of what lies in the banks, or without some passes.
inline mapping::MapSpec withExtensions(mapping::MapSpec map, Rng &rng) {
  if (rng.below(4) == 0) map.mapping.mode = mapping::StreamMode::kInference;
  if (rng.below(4) == 0) map.mapping.parameters["append"] = 1 + static_cast<std::int64_t>(rng.below(3));
  if (rng.below(3) == 0)
    for (const std::string &pass : mapping::passNames())
      if (rng.below(4) == 0) map.mapping.parameters[pass] = 0;
  return map;
}

/// Lower bounds of a program are below its run: the kernel's cycles, those of every phase, and all actions.
inline void expectBound(const evaluate::GraphPart &graphPart, const machine::Machine &machine,
                        const mapping::MapSpec &map) {
  const evaluate::Target &target = targetOf(machine);
  mapping::Mapping m = map.mapping;
  if (map.kind == mapping::MapSpec::Kind::kReference) {
    const auto reference = target.reference(graphPart, machine, map, {});
    ASSERT_TRUE(reference.ok());
    m = *reference;
  }
  const auto part = target.compile(graphPart, m, machine, "plain", {});
  ASSERT_TRUE(part.ok());
  const evaluate::DeviceRun bound = (*part)->bound();
  const auto run = (*part)->run({.isFastForward = true});
  ASSERT_TRUE(run.ok());
  EXPECT_LE(bound.cycles, run->cycles);
  ASSERT_EQ(bound.phases.size(), run->phases.size());
  for (std::size_t i = 0; i < bound.phases.size(); ++i)
    EXPECT_LE(bound.phases[i].cycles, run->phases[i].cycles) << bound.phases[i].name;
  for (const auto &[action, n] : bound.actions) EXPECT_LE(n, run->actions.of(action)) << action;
  const auto leasts = target.leastCosts(graphPart, machine);
  const auto least = leasts ? leasts->of(m) : std::nullopt;
  if (!least) return;
  EXPECT_LE(least->cycles, run->cycles);
  for (const evaluate::CommandPhase &phase : least->phases) {
    const auto at = std::ranges::find(run->phases, phase.name, &evaluate::CommandPhase::name);
    ASSERT_NE(at, run->phases.end()) << phase.name;
    EXPECT_LE(phase.cycles, at->cycles) << phase.name;
  }
}

}  // namespace pimento::test
