// Texts that are read once and bound to many sizes: what a size costs beyond its estimate. Items per second are graphs,
// each verified and each of another size.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "bench/need.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/cnm.h"

namespace {

using namespace pimento;

using bench::need;

constexpr int kSizes = 1000;

/// `bind(m, n)` at a thousand sizes.
template <typename Bind>
void bindAll(benchmark::State &state, Bind &&bind) {
  for (auto _ : state)
    for (std::int64_t size = 0; size < kSizes; ++size) benchmark::DoNotOptimize(bind(100 + size, 50 + size));
  state.counters["each"] =
      benchmark::Counter(kSizes, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void bindZooKernel(benchmark::State &state) {
  bindAll(state, [](std::int64_t m, std::int64_t n) {
    return need(kernel::makeZooKernel("gemv", {{"m", m}, {"n", n}}, DType::kF32));
  });
}
BENCHMARK(bindZooKernel)->Unit(benchmark::kMillisecond);

void bindNotation(benchmark::State &state) {
  const auto text = need(kernel::Notation::parse("y[m] += A[m,n] * x[n]"));
  bindAll(state, [&](std::int64_t m, std::int64_t n) { return need(text.bind({{"m", m}, {"n", n}}, DType::kF32)); });
}
BENCHMARK(bindNotation)->Unit(benchmark::kMillisecond);

void bindCnm(benchmark::State &state) {
  constexpr const char *kText =
      "cnm gemv\nsize m\nsize n\noperand A f32[m,n] input\noperand x f32[n] input\noperand y f32[m] output\n"
      "kernel gemv {\n  induction i m parallel\n  induction j n reduction\n  @0 = read A[i,j]\n  @1 = read x[j]\n"
      "  %0 = load f32 @0\n  %1 = load f32 @1\n  %2 = mul f32 %0 %1\n  store add y[i] %2\n}\n";
  bindAll(state, [&](std::int64_t m, std::int64_t n) {
    auto module = need(mapping::parseCnm(kText, "gemv.cnm", {{"m", m}, {"n", n}}));
    if (!mapping::verify(module)) std::abort();
    return module;
  });
}
BENCHMARK(bindCnm)->Unit(benchmark::kMillisecond);

void bindMlir(benchmark::State &state) {
  if (!frontend::hasMlir()) return state.SkipWithError("built without LLVM");
  const auto file = need(frontend::MlirFile::read(
      "func.func @f(%A: memref<?x?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {\n"
      "  linalg.matvec ins(%A, %x: memref<?x?xf32>, memref<?xf32>) outs(%y: memref<?xf32>)\n  return\n}\n",
      "gemv.mlir"));
  bindAll(state, [&](std::int64_t m, std::int64_t n) { return need(file.bind({{"d0", m}, {"d1", n}})); });
}
BENCHMARK(bindMlir)->Unit(benchmark::kMillisecond);

void bindC(benchmark::State &state, const char *text) {
  if (!frontend::hasKernelC()) return state.SkipWithError("built without LLVM");
  const auto file = need(frontend::CFile::read(text, "kernel.c"));
  bindAll(state, [&](std::int64_t m, std::int64_t n) { return need(file.bind({{"m", m}, {"n", n}})); });
}
BENCHMARK_CAPTURE(bindC, gemv,
                  "void gemv(int m, int n, float A[m][n], float x[n], float y[m]) {\n"
                  "  for (int i = 0; i < m; i++) {\n    y[i] = 0;\n"
                  "    for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j];\n  }\n}\n")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bindC, lu,
                  "void lu(int m, int n, float A[n][n]) {\n  for (int i = 0; i < n; i++) {\n"
                  "    for (int j = 0; j < i; j++) {\n"
                  "      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];\n      A[i][j] /= A[j][j];\n    }\n"
                  "    for (int j = i; j < n; j++)\n"
                  "      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];\n  }\n}\n")
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
