// Where the time of an estimate or a simulation on HBM-PIM goes: the steps one by one, inside one process.
//
// Google Benchmark repeats each step with warm caches; what a user waits for, first call in a fresh process, is
// bench/speed.py's business. Runs on one core.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "bench/need.h"
#include "pimento/emit/json.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dram/device.h"
#include "pimento/targets/dram/command_list.h"
#include "pimento/targets/dram/timeline.h"
#include "pimento/targets/targets.h"

namespace {

using namespace pimento;

using bench::need;

const machine::Machine &hbmPim() {
  static const machine::Machine kMachine = need(machine::loadMachine("hbm-pim", {PIMENTO_MACHINE_FOLDER}));
  return kMachine;
}

/// A matrix-vector product, compiled with the reference mapping.
struct Gemv {
  kernel::Graph graph;
  evaluate::Request request;
  evaluate::CompiledGraph compiled;

  Gemv(std::int64_t m, std::int64_t n)
      : graph(need(kernel::makeZooKernel("gemv", {{"m", m}, {"n", n}}, hbmPim().nativeType))) {
    request.graph = &graph;
    request.machine = &hbmPim();
    request.target = *targets::targetOf(hbmPim());
    request.maps.emplace_back();
    compiled = need(evaluate::compile(request));
  }
  Gemv(const Gemv &) = delete;

  const evaluate::CompiledPart &kernel() const { return *compiled.front().compiled; }

  /// Random operands, and room for the result.
  kernel::DataSet interpreted() const {
    kernel::DataSet data = kernel::makeData(graph, {});
    need(kernel::interpret(graph, data, {kernel().order()}));
    return data;
  }
};

/// Takes everything and keeps nothing.
class NullStream final : public std::ostream {
 public:
  NullStream() : std::ostream(&buffer_) {}

 private:
  struct Buffer final : std::streambuf {
    int overflow(int c) override { return c; }
    std::streamsize xsputn(const char *, std::streamsize n) override { return n; }
  };
  Buffer buffer_;
};

void sizes(benchmark::internal::Benchmark *b) {
  b->Args({4096, 4096})->Args({32768, 32768})->Args({4096, 262144})->Args({16384, 65536})->ArgNames({"m", "n"});
}

void countCycles(benchmark::State &state, std::int64_t cycles) {
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsIterationInvariantRate);
}

void loadMachine(benchmark::State &state) {
  for (auto _ : state) benchmark::DoNotOptimize(machine::loadMachine("hbm-pim", {PIMENTO_MACHINE_FOLDER}));
}
BENCHMARK(loadMachine)->Unit(benchmark::kMicrosecond);

/// Reference mapping, layout, streams: from kernel to program.
void lowerGemv(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(evaluate::compile(gemv.request));
}
BENCHMARK(lowerGemv)->Apply(sizes)->Unit(benchmark::kMicrosecond);

/// The engine with fast-forward; nothing is kept from one run to the next.
void fastForward(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  evaluate::DeviceRun run;
  for (auto _ : state) run = *gemv.kernel().run({true});
  countCycles(state, run.cycles.value);
  state.counters["simulated"] = static_cast<double>(run.cyclesSimulated.value) / static_cast<double>(run.cycles.value);
}
BENCHMARK(fastForward)->Apply(sizes)->Unit(benchmark::kMicrosecond);

/// Kernel to finished report by fast-forward.
void estimate(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(evaluate::evaluate(gemv.request));
}
BENCHMARK(estimate)->Apply(sizes)->Unit(benchmark::kMicrosecond);

/// The engine, every command.
void everyCommand(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  evaluate::DeviceRun run;
  for (auto _ : state) run = *gemv.kernel().run({false});
  countCycles(state, run.cycles.value);
}
BENCHMARK(everyCommand)->Apply(sizes)->Unit(benchmark::kMillisecond);

void everyCommandAsCsv(benchmark::State &state) {
  const Gemv gemv(4096, 4096);
  NullStream out;
  evaluate::DeviceRun run;
  for (auto _ : state) {
    targets::dram::CommandList list(out);
    run = *gemv.kernel().run({false, &list});
  }
  countCycles(state, run.cycles.value);
}
BENCHMARK(everyCommandAsCsv)->Unit(benchmark::kMillisecond);

void everyCommandAsTimeline(benchmark::State &state) {
  const Gemv gemv(4096, 4096);
  NullStream out;
  evaluate::DeviceRun run;
  for (auto _ : state) {
    targets::dram::ChannelTimeline trace(out, hbmPim());
    run = *gemv.kernel().run({false, &trace});
    if (!trace.finish({})) state.SkipWithError("the timeline could not be written");
  }
  countCycles(state, run.cycles.value);
}
BENCHMARK(everyCommandAsTimeline)->Unit(benchmark::kMillisecond);

/// Every command on data: placement, units, read-back; without the reference interpreter.
void onData(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  kernel::DataSet data = gemv.interpreted();
  evaluate::DeviceRun run;
  for (auto _ : state) run = *gemv.kernel().runOn(data, {});
  countCycles(state, run.cycles.value);
  state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(state.range(0) * state.range(1)),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(onData)->Args({512, 512})->Args({4096, 4096})->ArgNames({"m", "n"})->Unit(benchmark::kMillisecond);

/// The reference interpreter in the mapping's order: the other half of a checked simulation.
void interpretGemv(benchmark::State &state) {
  const Gemv gemv(state.range(0), state.range(1));
  kernel::DataSet data = gemv.interpreted();
  const std::vector<kernel::Order> orders{gemv.kernel().order()};
  for (auto _ : state)
    if (!kernel::interpret(gemv.graph, data, orders)) state.SkipWithError("the interpreter failed");
  state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(state.range(0) * state.range(1)),
                                               benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(interpretGemv)->Args({512, 512})->Args({4096, 4096})->ArgNames({"m", "n"})->Unit(benchmark::kMillisecond);

/// One question to the device's timing tables.
void earliest(benchmark::State &state) {
  const sim::dram::DeviceSpec spec(*hbmPim().dram);
  const sim::dram::Device device(spec);
  const int command = hbmPim().dram->commandNamed("RD");
  int bank = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(device.earliest(command, bank, 1));
    bank = (bank + 1) % spec.banks;
  }
}
BENCHMARK(earliest);

void reportAsJson(benchmark::State &state) {
  const Gemv gemv(4096, 4096);
  const evaluate::Report report = need(evaluate::evaluate(gemv.request));
  for (auto _ : state) benchmark::DoNotOptimize(emit::toJson(report));
}
BENCHMARK(reportAsJson)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
