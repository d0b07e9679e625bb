// `--map auto` against every mapping of its space: what it calls optimal is, and its gaps hold.
#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "pimento/evaluate/choose.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"
#include "test/support/cases.h"
#include "test/support/random_hbm_pim_machine.h"

namespace pimento::test {
namespace {

kernel::Graph randomGraph(Rng &rng) {
  const auto n = [&](std::int64_t most) { return rng.integer(1, most); };
  const auto made = rng.below(2) == 0
                        ? kernel::makeZooKernel("gemv", {{"m", n(300)}, {"n", n(600)}, {"batch", 1}}, DType::kF16)
                        : kernel::makeZooKernel("va", {{"n", n(50'000)}}, DType::kF16);
  PIMENTO_CHECK(made.ok());
  return *made;
}

/// Total cycles under a mapping; nothing where it is illegal.
std::optional<std::int64_t> totalOf(evaluate::Request request, mapping::MapSpec spec) {
  request.maps = {std::move(spec)};
  const auto report = evaluate::evaluate(request);
  if (!report) return std::nullopt;
  return report->breakdown().total().value;
}

TEST(Auto, IsAsGoodAsItSaysOfEveryMappingOfItsSpace) {
  const int cases = isLongRun() ? 200 : 12;
  int optimal = 0, compared = 0;
  for (int i = 0; i < cases; ++i) {
    Rng rng(static_cast<std::uint64_t>(i) + 1600);
    const machine::Machine machine = randomHbmPimMachine(rng, 4);
    const kernel::Graph graph = randomGraph(rng);
    evaluate::Request request;
    request.graph = &graph;
    request.machine = &machine;
    request.target = *targets::targetOf(machine);
    mapping::MapSpec chosen;
    chosen.kind = mapping::MapSpec::Kind::kAuto;
    request.maps = {chosen};
    const auto report = evaluate::evaluate(request);
    if (!report) continue;
    const std::string &why = report->stages.front().mappingWhy;
    const bool isOptimal =
        (why.find("optimal among") != std::string::npos && why.find("not proved") == std::string::npos);
    optimal += isOptimal;
    double gap = 0;
    if (const std::size_t at = why.find("more than "); at != std::string::npos)
      gap = std::stod(why.substr(at + 10)) / 100;
    const auto found = static_cast<double>(report->breakdown().total().value);
    mapping::MappingSpace space(graph.kernels.front(), machine);
    for (int n = 0; n < evaluate::kAutoCandidates - 1; ++n) {
      const auto m = space.next();
      if (!m) break;
      mapping::MapSpec spec;
      spec.kind = mapping::MapSpec::Kind::kExplicit;
      spec.mapping = *m;
      const auto total = totalOf(request, spec);
      if (!total) continue;
      ++compared;
      constexpr double kRounding = 0.0006;  // of the gap in words
      ASSERT_GE(static_cast<double>(*total), (1 - gap - (isOptimal ? 0 : kRounding)) * found) << why;
    }
  }
  EXPECT_GT(optimal, cases / 4);
  EXPECT_GT(compared, 20 * cases);
}

}  // namespace
}  // namespace pimento::test
