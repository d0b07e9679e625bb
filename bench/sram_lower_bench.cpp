// Just-in-time lowering of a region instance into commands, complete and without memory of earlier ones, and elements
// per second where commands compute words.
#include <benchmark/benchmark.h>

#include "pimento/kernel/notation.h"
#include "pimento/lower/l3_sram/region.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/sram/executor.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"

namespace {

using namespace pimento;

void lowers(benchmark::State &state, const char *text, const kernel::Sizes &sizes,
            const std::vector<std::int64_t> &tile) {
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_MACHINE_FOLDER});
  auto program = tdfg::fitStreams({}, [&](const auto &) { return kernel::parseNotation(text, sizes, DType::kF32); });
  if (!program) return state.SkipWithError(program.diagnostics().front().str().c_str());
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  const auto instance = tdfg::bindRegion(*program, 0, *values);
  const auto schedule = tdfg::schedule(*program, 0, {256, 256});
  if (!instance || !schedule || instance->nodes.empty()) return state.SkipWithError("no tensor graph");
  const std::vector<std::uint64_t> constants(instance->nodes.size());
  std::size_t commands = 0, pairs = 0;
  for (auto _ : state) {
    const auto layout = lower::l3_sram::place(instance->bounding, tile, 4, *machine->sram);
    const auto code = lower::l3_sram::lowerRegion(*instance, *schedule, *layout, constants);
    benchmark::DoNotOptimize(&code);
    commands = code->commands.list.size();
    pairs = 0;
    for (const program::SramCommand &c : code->commands.list) pairs += c.banks.count();
  }
  state.counters["commands"] = static_cast<double>(commands);
  state.counters["pairs"] = static_cast<double>(pairs);
}

void words(benchmark::State &state, kernel::Op op) {
  const auto executor = sim::sram::makeExecutor(machine::Sram::Mode::kWords, {256, 4096, 256});
  program::SramCommand c;
  c.kind = program::SramCommandKind::kCompute;
  c.op = op;
  c.operands = {0, 32, -1};
  c.dest = 64;
  c.bitlines.add(1, 256);
  c.tiles.add(1, 4096);
  for (auto _ : state)
    if (!executor->run(c)) return;
  state.counters["elements_per_s"] = benchmark::Counter(4096.0 * 256, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK_CAPTURE(lowers, stencil1d, "c[i] = a[i] - a[i+1] + a[i+2] + b[i]", {{"i", 4194302}}, {256});
BENCHMARK_CAPTURE(lowers, stencil2d,
                  "c[i,j] = a[i+1,j] + a[i+1,j+2] + a[i,j+1] + a[i+2,j+1] - a[i+1,j+1] - a[i+1,j+1] - b[i,j]",
                  {{"i", 2046}, {"j", 2046}}, {16, 16});
BENCHMARK_CAPTURE(lowers, stencil3d,
                  "c[i,j,k] = a[i+1,j+1,k] + a[i+1,j+1,k+2] + a[i+1,j,k+1] + a[i+1,j+2,k+1] + a[i,j+1,k+1] + "
                  "a[i+2,j+1,k+1] - a[i+1,j+1,k+1] - a[i+1,j+1,k+1] - a[i+1,j+1,k+1] + b[i,j,k]",
                  {{"i", 14}, {"j", 510}, {"k", 510}}, {8, 8, 4});
BENCHMARK_CAPTURE(lowers, mm_out, "c[i,j] += a[i,k] * b[k,j]", {{"i", 2048}, {"j", 2048}, {"k", 2048}}, {4, 64});
BENCHMARK_CAPTURE(words, add_f32, kernel::Op::kAdd);
BENCHMARK_CAPTURE(words, mul_f32, kernel::Op::kMul);
BENCHMARK_MAIN();
