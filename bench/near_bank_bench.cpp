// Published command streams of AttAcc: what a draft costs to estimate, and how fast every command of one is simulated.
//
// The drafts are those of the published study: 14 of attention (whose cycles are checked), and all 17,747 that its
// enumeration keeps of the matrix-vector products of its Fig. 8. Runs on one core.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/need.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/drafts.h"
#include "pimento/targets/near_bank/published_drafts.h"
#include "pimento/targets/targets.h"

namespace {

using namespace pimento;
using bench::need;

const machine::Machine &attacc() {
  static const machine::Machine kMachine = need(machine::loadMachine("attacc-published", {PIMENTO_MACHINE_FOLDER}));
  return kMachine;
}

struct Shape {
  std::int64_t heads, length;  ///< heads: of all batches
};
constexpr std::int64_t kDhead = 128;

/// Groups, cores and tile of the three dims.
using Draft = std::array<std::array<std::int64_t, 3>, 3>;

mapping::MapSpec specOf(const Draft &d, const char *mode) {
  return need(
      mapping::parseMapSpec(fmt::format("M1:{{({},{},{}),({},{},{}),({},{},{})}};program=published;mode={}", d[0][0],
                                        d[1][0], d[2][0], d[0][1], d[1][1], d[2][1], d[0][2], d[1][2], d[2][2], mode)));
}

kernel::Graph graphOf(const char *kernel, const Shape &s) {
  return need(
      kernel::makeZooKernel(kernel, {{"heads", s.heads}, {"dhead", kDhead}, {"len", s.length}}, attacc().nativeType));
}

/// A kernel under a draft: from the mapping to the report.
std::int64_t estimate(const kernel::Graph &graph, const mapping::MapSpec &map) {
  evaluate::Request request;
  request.graph = &graph;
  request.machine = &attacc();
  request.target = *targets::targetOf(attacc());
  request.maps = {map};
  return need(evaluate::evaluate(request)).cycles.value;
}

struct Anchor {
  Shape shape;
  Draft draft;
  std::int64_t cycles;
};
constexpr std::array<Anchor, 14> kAnchors = {{
    {{11, 1264}, {{{1, 3, 4}, {2, 2, 32}, {5, 7, 37}}}, 7346},
    {{8, 1504}, {{{1, 1, 8}, {1, 7, 19}, {10, 6, 26}}}, 7530},
    {{8, 4048}, {{{1, 2, 4}, {1, 6, 22}, {13, 3, 104}}}, 13179},
    {{11, 1600}, {{{1, 7, 2}, {1, 1, 128}, {15, 5, 22}}}, 10889},
    {{11, 800}, {{{1, 11, 1}, {2, 1, 64}, {8, 5, 20}}}, 3706},
    {{32, 1728}, {{{1, 6, 6}, {1, 2, 64}, {9, 5, 39}}}, 28760},
    {{32, 2592}, {{{8, 1, 4}, {2, 1, 64}, {1, 53, 49}}}, 18300},
    {{8, 1120}, {{{1, 4, 2}, {1, 5, 26}, {10, 3, 38}}}, 4415},
    {{8, 2048}, {{{1, 1, 8}, {1, 6, 22}, {12, 10, 18}}}, 9485},
    {{32, 736}, {{{1, 3, 11}, {1, 4, 32}, {9, 5, 17}}}, 18795},
    {{11, 2896}, {{{1, 3, 4}, {1, 2, 64}, {12, 8, 31}}}, 11650},
    {{32, 128}, {{{1, 11, 3}, {1, 5, 26}, {16, 1, 8}}}, 3405},
    {{42, 224}, {{{1, 5, 9}, {2, 4, 16}, {7, 3, 11}}}, 6256},
    {{11, 3680}, {{{3, 1, 4}, {3, 1, 43}, {1, 35, 106}}}, 22712},
}};

/// The mean over the 14 drafts is the time by items.
void estimateAttention(benchmark::State &state) {
  std::vector<kernel::Graph> graphs;
  std::vector<mapping::MapSpec> maps;
  for (const Anchor &a : kAnchors) {
    graphs.push_back(graphOf("attn", a.shape));
    maps.push_back(specOf(a.draft, "inference"));
  }
  for (auto _ : state)
    for (std::size_t i = 0; i < kAnchors.size(); ++i)
      if (const std::int64_t cycles = estimate(graphs[i], maps[i]); cycles != kAnchors[i].cycles)
        state.SkipWithError(fmt::format("draft {}: {} cycles, not {}", i, cycles, kAnchors[i].cycles).c_str());
  state.counters["s/draft"] =
      benchmark::Counter(static_cast<double>(kAnchors.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(estimateAttention)->Unit(benchmark::kMillisecond);

/// Every `stride`-th draft of the products of Fig. 8.
void estimateProducts(benchmark::State &state) {
  std::size_t drafts = 0;
  for (auto _ : state) {
    drafts = 0;
    std::size_t at = 0;
    for (const Shape &s :
         {Shape{32, 512}, {32, 4096}, {64, 512}, {64, 4096}, {128, 512}, {128, 4096}, {256, 512}, {256, 4096}}) {
      const kernel::Graph graph = graphOf("bgemv", s);
      const std::array<std::int64_t, 3> sizes = {s.heads, kDhead, s.length};
      for (const auto &[dims] : targets::near_bank::publishedDrafts(sizes)) {
        if (at++ % static_cast<std::size_t>(state.range(0)) != 0) continue;
        Draft d{};
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = {dims[i].groups, dims[i].cores, dims[i].tile};
        benchmark::DoNotOptimize(estimate(graph, specOf(d, "kernel")));
        ++drafts;
      }
    }
  }
  state.counters["drafts"] = static_cast<double>(drafts);
  state.counters["s/draft"] = benchmark::Counter(
      static_cast<double>(drafts), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(estimateProducts)->Arg(50)->Arg(1)->ArgName("stride")->Iterations(1)->Unit(benchmark::kMillisecond);

/// Drafts of attention, one after the other, unpruned: items per second are drafts.
void enumerateDrafts(benchmark::State &state) {
  const mapping::DimensionSets sets = mapping::dimensionSetsOf(graphOf("attn", {32, 4096}));
  std::int64_t drafts = 0;
  for (auto _ : state) {
    mapping::DraftSpace space(sets, {16, 64, 16}, {false, false, false});
    drafts = 0;
    while (const mapping::Draft *d = space.next()) {
      benchmark::DoNotOptimize(d);
      if (++drafts == 5'000'000) break;
    }
  }
  state.SetItemsProcessed(state.iterations() * drafts);
}
BENCHMARK(enumerateDrafts)->Unit(benchmark::kMillisecond);

/// The engine, every command; `simulate --data none`.
void everyCommand(benchmark::State &state) {
  const kernel::Graph graph = graphOf("attn", {32, 4096});
  evaluate::Request request;
  request.graph = &graph;
  request.machine = &attacc();
  request.target = *targets::targetOf(attacc());
  request.maps.emplace_back();
  const evaluate::CompiledGraph compiled = need(evaluate::compile(request));
  std::int64_t cycles = 0;
  for (auto _ : state) cycles = need(compiled.front().compiled->run({false})).cycles.value;
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(everyCommand)->Unit(benchmark::kMillisecond);

/// Attention of 32 heads x 4096 as one program that computes, on the machine with the rules of its DRAM: from the
/// mapping to the report, without data (0) or with data that are checked (1); `auto` (2).
void ownAttention(benchmark::State &state) {
  enum : std::int64_t { kEstimate, kSimulate, kChoose };
  const machine::Machine machine = need(machine::loadMachine("attacc", {PIMENTO_MACHINE_FOLDER}));
  const kernel::Graph graph = graphOf("attn", {32, 4096});
  const kernel::DataSet data =
      state.range(0) == kSimulate ? kernel::makeData(graph, kernel::DataSpec{}) : kernel::DataSet{};
  std::int64_t cycles = 0;
  for (auto _ : state) {
    kernel::DataSet work = data;
    evaluate::Request request;
    request.graph = &graph;
    request.machine = &machine;
    request.target = *targets::targetOf(machine);
    request.maps = {need(mapping::parseMapSpec(state.range(0) == kChoose ? "auto" : "reference"))};
    if (state.range(0) == kSimulate) request.data = &work, request.isSimulation = true;
    cycles = need(evaluate::evaluate(request)).cycles.value;
  }
  state.counters["cycles"] = static_cast<double>(cycles);
}
BENCHMARK(ownAttention)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
