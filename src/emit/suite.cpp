#include "pimento/emit/suite.h"

#include <algorithm>
#include <cmath>

namespace pimento::emit {

void KernelErrors::add(double ours, double reference, std::string_view row) {
  PIMENTO_CHECK(reference != 0);
  const double errorPct = 100 * std::abs(ours - reference) / std::abs(reference);
  if (rows == 0 || errorPct > worstAbsErrorPct) {
    worstAbsErrorPct = errorPct;
    worstRow = row;
  }
  sumAbsErrorPct += errorPct;
  exact += ours == reference ? 1 : 0;
  constexpr double kNear = 15;
  within15 += errorPct <= kNear ? 1 : 0;
  constexpr double kNearer = 5;
  within5 += errorPct <= kNearer ? 1 : 0;
  ++rows;
}

void KernelErrors::addWay(std::string_view way, double took) {
  ++ways[std::string(way)];
  seconds += took;
}

void SuiteResult::add(std::string_view kernel, double ours, double reference, std::string_view row) {
  auto at = std::find_if(kernels.begin(), kernels.end(), [&](const KernelErrors &k) { return k.kernel == kernel; });
  if (at == kernels.end()) {
    kernels.emplace_back();
    at = kernels.end() - 1;
    at->kernel = kernel;
  }
  at->add(ours, reference, row);
  ++points;
}

double KernelErrors::meanSpeedup() const {
  PIMENTO_CHECK(compared > 0);
  return std::exp(sumLogSpeedup / static_cast<double>(compared));
}

KernelErrors &SuiteResult::known(std::string_view kernel) {
  const auto at =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelErrors &k) { return k.kernel == kernel; });
  PIMENTO_CHECK(at != kernels.end());
  return *at;
}

void SuiteResult::addSpeedup(std::string_view kernel, double speedup) {
  PIMENTO_CHECK(speedup > 0);
  KernelErrors &k = known(kernel);
  k.leastSpeedup = k.compared == 0 ? speedup : std::min(k.leastSpeedup, speedup);
  k.sumLogSpeedup += std::log(speedup);
  ++k.compared;
}

void SuiteResult::addWay(std::string_view kernel, std::string_view way, double seconds) {
  known(kernel).addWay(way, seconds);
}

}  // namespace pimento::emit
