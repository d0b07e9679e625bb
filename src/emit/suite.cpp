#include "pimento/emit/suite.h"

#include <algorithm>
#include <cmath>

namespace pimento::emit {

void SuiteResult::add(std::string_view kernel, double ours, double reference, std::string_view row) {
  PIMENTO_CHECK(reference != 0);
  auto at = std::find_if(kernels.begin(), kernels.end(), [&](const KernelErrors &k) { return k.kernel == kernel; });
  if (at == kernels.end()) {
    kernels.emplace_back();
    at = kernels.end() - 1;
    at->kernel = kernel;
  }
  const double errorPct = 100 * std::abs(ours - reference) / std::abs(reference);
  if (at->rows == 0 || errorPct > at->worstAbsErrorPct) {
    at->worstAbsErrorPct = errorPct;
    at->worstRow = row;
  }
  at->sumAbsErrorPct += errorPct;
  at->exact += ours == reference ? 1 : 0;
  constexpr double kNear = 15;
  at->within15 += errorPct <= kNear ? 1 : 0;
  ++at->rows;
  ++points;
}

double KernelErrors::meanSpeedup() const {
  PIMENTO_CHECK(compared > 0);
  return std::exp(sumLogSpeedup / static_cast<double>(compared));
}

void SuiteResult::addSpeedup(std::string_view kernel, double speedup) {
  const auto at =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelErrors &k) { return k.kernel == kernel; });
  PIMENTO_CHECK(at != kernels.end() && speedup > 0);
  at->leastSpeedup = at->compared == 0 ? speedup : std::min(at->leastSpeedup, speedup);
  at->sumLogSpeedup += std::log(speedup);
  ++at->compared;
}

}  // namespace pimento::emit
