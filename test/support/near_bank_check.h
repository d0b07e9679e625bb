// One kernel on a near-bank machine under one mapping, checked in every way that tests of many cases do, and a tally of
// such checks.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/mapping/random.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/near_bank_run.h"

namespace pimento::test {

/// Mostly uniform values; sometimes wide ranges, and sometimes any bits: NaN, infinities, subnormals, -0.
inline kernel::DataSet dataFor(const kernel::Graph &graph, Rng &rng) {
  kernel::DataSpec spec;
  spec.seed = rng.next();
  const std::uint64_t dice = rng.below(8);
  if (dice == 0) spec = {kernel::DataSpec::Kind::kUniform, -300, 300, spec.seed};
  kernel::DataSet data = kernel::makeData(graph, spec);
  if (dice != 1) return data;
  for (kernel::TensorData &t : data)
    for (std::size_t at = 0; at + 1 < t.bytes.size(); at += 2) {
      if (rng.below(20) != 0) continue;
      const auto bits = static_cast<std::uint16_t>(rng.below(65536));
      t.bytes[at] = static_cast<std::byte>(bits & 0xff);
      t.bytes[at + 1] = static_cast<std::byte>(bits >> 8);
    }
  return data;
}

struct Tally {
  int runs = 0, refused = 0;
  std::set<std::string> mappings;
  std::map<std::string, int> refusals;
};

inline void check(const kernel::Graph &graph, const machine::Machine &machine, const mapping::MapSpec &map, Rng &rng,
                  Tally &tally) {
  SCOPED_TRACE(machine.name + ", " + mapping::print(map) + "\n" + kernel::print(graph));
  kernel::DataSet data = dataFor(graph, rng);
  RunOptions options;
  options.maps = {map};
  const Diagnostics refused = runBoth(graph, machine, options, data);
  if (refused.empty()) {
    ++tally.runs;
    tally.mappings.insert(mapping::print(map));
    return expectBound({&graph, 0, 1}, machine, map);
  }
  ++tally.refused;
  ++tally.refusals[firstCode(refused)];
  EXPECT_TRUE(firstCode(refused) == "illegal-mapping" || firstCode(refused) == "capacity" ||
              firstCode(refused) == "unsupported-op" || firstCode(refused) == "unsupported-mapping" ||
              firstCode(refused) == "mapping-too-irregular")
      << refused.front().str();
}

inline mapping::MapSpec randomMap(const kernel::Graph &graph, const machine::Machine &machine, Rng &rng) {
  return {mapping::MapSpec::Kind::kExplicit, mapping::randomMapping(graph.kernels[0], machine, rng)};
}

inline std::string told(const Tally &tally) {
  std::string text = std::to_string(tally.runs) + " runs, " + std::to_string(tally.mappings.size()) + " mappings";
  for (const auto &[code, n] : tally.refusals) text += "; " + std::to_string(n) + " refused: " + code;
  return text;
}

}  // namespace pimento::test
