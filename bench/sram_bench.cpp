// Wordline operations (a micro-op on one array of 256 bitlines) per second of processor time, and what that makes of
// sums and products of f32.
#include <benchmark/benchmark.h>

#include "pimento/base/element_bits.h"
#include "pimento/sim/sram/arrays.h"
#include "pimento/sim/sram/operations.h"

namespace {

using namespace pimento;
using kernel::Op;

void runs(benchmark::State &state, Op op, DType type) {
  constexpr std::int64_t kBitlines = 256;
  const std::int64_t arrayCount = state.range(0);
  const auto program = sim::sram::microProgram({op, type, type});
  const int bits = bitsOf(type);
  sim::sram::Arrays arrays(3 * bits, arrayCount * kBitlines);
  for (auto _ : state) arrays.run(*program, {0, bits, 0, 2 * bits});
  state.counters["wordline_ops_per_s"] = benchmark::Counter(static_cast<double>(arrayCount * program->cycles()),
                                                            benchmark::Counter::kIsIterationInvariantRate);
  state.counters["elements_per_s"] =
      benchmark::Counter(static_cast<double>(arrayCount * kBitlines), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["cycles"] = static_cast<double>(program->cycles());
}

void addsI32(benchmark::State &state) {
  runs(state, Op::kAdd, DType::kI32);
}
void addsF32(benchmark::State &state) {
  runs(state, Op::kAdd, DType::kF32);
}
void multipliesF32(benchmark::State &state) {
  runs(state, Op::kMul, DType::kF32);
}

}  // namespace

// What fits a core's caches, and what comes from memory: a sum of integers senses every bit once.
BENCHMARK(addsI32)->Arg(64)->Arg(4096);
BENCHMARK(addsF32)->Arg(64)->Arg(4096);
BENCHMARK(multipliesF32)->Arg(64)->Arg(4096);
BENCHMARK_MAIN();
