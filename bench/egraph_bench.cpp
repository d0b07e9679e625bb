// Equality saturation on problems that others have measured: processor time, nodes per second, memory.
#include <benchmark/benchmark.h>

#include "test/support/egraph_cases.h"

namespace {

using namespace pimento;
using namespace pimento::tdfg::egraph;

void report(benchmark::State &state, const EGraph &graph) {
  state.counters["nodes"] = static_cast<double>(graph.nodes());
  state.counters["classes"] = static_cast<double>(graph.classes());
  state.counters["nodes_per_s"] =
      benchmark::Counter(static_cast<double>(graph.nodes()), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["MB"] = static_cast<double>(graph.bytes()) / 1e6;
}

/// So many rounds of 24 rules of calculus on seven terms.
void math(benchmark::State &state) {
  for (auto _ : state) {
    Language language;
    EGraph graph(language, {nullptr, state.range(1) != 0});
    for (const char *term : test::kMathTerms) benchmark::DoNotOptimize(addText(graph, term));
    (void)saturate(graph, test::rulesOf(test::kMathRules, language), {.rounds = static_cast<int>(state.range(0))});
    state.PauseTiming();
    report(state, graph);
    state.ResumeTiming();
  }
}

/// A sum of so many leaves, in all orders.
void sums(benchmark::State &state) {
  for (auto _ : state) {
    Language language;
    EGraph graph(language);
    benchmark::DoNotOptimize(addText(graph, test::sumOf(static_cast<int>(state.range(0)))));
    (void)saturate(graph, test::rulesOf(test::kSumRules, language), {});
    state.PauseTiming();
    report(state, graph);
    state.ResumeTiming();
  }
}

}  // namespace

BENCHMARK(math)->Args({10, 0})->Args({11, 0})->Args({10, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(sums)->DenseRange(8, 12)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
