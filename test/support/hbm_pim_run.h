// One graph on one HBM-PIM machine, both evaluators, compared with each other, with the reference interpreter and with
// an f64 evaluation: what the end-to-end tests share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pimento/emit/json.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "test/support/target_of.h"

namespace pimento::test {

inline machine::Machine hbmPim(std::int64_t channels, std::int64_t ranks = 2, const std::string &name = "hbm-pim") {
  const auto m = machine::loadMachine(name, {PIMENTO_SOURCE_DIR "/machines"},
                                      {{"channels", std::to_string(channels)}, {"ranks", std::to_string(ranks)}});
  EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
  return *m;
}

inline mapping::MapSpec mapSpec(const std::string &text) {
  const auto spec = mapping::parseMapSpec(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << spec.diagnostics().front().str();
  return *spec;
}

inline std::string firstCode(const Diagnostics &found) {
  return found.empty() ? std::string() : found.front().code;
}

/// What both evaluators must agree on: everything a report says but how it was found.
inline std::string agreedPart(const evaluate::Report &report) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(emit::toJson(report));
  for (const char *key :
       {"wall_us", "compile_us", "exact", "cycles_simulated", "checked", "checked_against", "why_unchecked"})
    json.erase(key);
  return json.dump(1);
}

/// Outputs that lie further from the f64 evaluation than any order of accumulation allows; `inputs` as before the run.
inline void expectWithinBound(const kernel::Graph &graph, const kernel::DataSet &inputs,
                              const kernel::DataSet &outputs) {
  for (const kernel::BoundedData &b : kernel::evaluateWithBound(graph, inputs)) {
    const kernel::TensorData &t = outputs[static_cast<std::size_t>(b.tensor)];
    for (std::size_t i = 0; i < b.value.size(); ++i) {
      if (!std::isfinite(b.bound[i])) continue;  // overflow is possible: nothing is claimed
      const double ours = t.asDouble(static_cast<std::int64_t>(i));
      // Copies of infinities and NaN are exact too.
      if (ours == b.value[i] || (std::isnan(ours) && std::isnan(b.value[i]))) continue;
      ASSERT_LE(std::abs(ours - b.value[i]), b.bound[i]) << graph.tensors[static_cast<std::size_t>(b.tensor)].name
                                                         << "[" << i << "] is " << ours << ", f64 says " << b.value[i];
    }
  }
}

/// What a run is given besides the graph and the machine.
struct RunOptions {
  std::vector<mapping::MapSpec> maps = {mapSpec("reference")};
  std::string variant = "plain";
  bool checksBound = true;
};

/// Simulates on `data` and estimates. Returns the diagnostics of a graph or mapping the target refuses; everything that
/// goes wrong after that fails the test. `data` gets the outputs.
inline Diagnostics runBoth(const kernel::Graph &graph, const machine::Machine &machine, const RunOptions &options,
                           kernel::DataSet &data, evaluate::Report *simulation = nullptr) {
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.tools.cache = sharedCache();
  r.maps = options.maps;
  r.variant = options.variant;
  r.jobs = 2;
  const auto estimated = evaluate::evaluate(r);
  if (!estimated) return estimated.diagnostics();
  const kernel::DataSet inputs = data;
  r.isSimulation = true;
  r.data = &data;
  const auto simulated = evaluate::evaluate(r);
  // Points that guards leave out are zeros to the units, which such data do not bear.
  if (!simulated && firstCode(simulated.diagnostics()) == "padding-not-finite") return {};
  if (!simulated) {
    ADD_FAILURE() << "the estimate works, the simulation says: " << simulated.diagnostics().front().str();
    return {};
  }
  EXPECT_TRUE(simulated->isChecked);
  EXPECT_EQ(simulated->cycles.value, simulated->cyclesSimulated.value);
  EXPECT_EQ(agreedPart(*estimated), agreedPart(*simulated));
  if (options.checksBound) expectWithinBound(graph, inputs, data);
  if (simulation != nullptr) *simulation = *simulated;
  return {};
}

}  // namespace pimento::test
