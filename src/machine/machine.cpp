#include "pimento/machine/machine.h"

#include <algorithm>
#include <cmath>

namespace pimento::machine {

std::string_view name(Confidence c) {
  switch (c) {
    case Confidence::kMeasured:
      return "measured";
    case Confidence::kDatasheet:
      return "datasheet";
    case Confidence::kPaper:
      return "paper";
    case Confidence::kAssumed:
      return "assumed";
  }
  return {};
}

int Dram::commandNamed(std::string_view name) const {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

const Compute::Operation *Compute::costOf(std::string_view operation, DType type) const {
  for (const Operation &o : operations)
    if (std::find(o.operations.begin(), o.operations.end(), operation) != o.operations.end() &&
        std::find(o.types.begin(), o.types.end(), type) != o.types.end())
      return &o;
  return nullptr;
}

double DpuLink::rateOf(const std::vector<Rate> &rates, double limit, std::int64_t dpus, std::int64_t ranks) {
  if (rates.empty() || ranks < 1) return limit;
  const double n = static_cast<double>(dpus) / static_cast<double>(ranks);
  std::size_t i = 1;
  while (i + 1 < rates.size() && static_cast<double>(rates[i].dpus) < n) ++i;
  double rate = rates.back().gbps;
  if (rates.size() == 1 || n <= static_cast<double>(rates.front().dpus)) {
    rate = rates.front().gbps;
  } else if (n < static_cast<double>(rates.back().dpus)) {
    const Rate &low = rates[i - 1], &high = rates[i];
    const double span = std::log(static_cast<double>(high.dpus) / static_cast<double>(low.dpus));
    const double at = std::log(n / static_cast<double>(low.dpus)) / span;
    rate = low.gbps * std::pow(high.gbps / low.gbps, at);
  }
  const double all = rate * static_cast<double>(ranks);
  return limit > 0 ? std::min(all, limit) : all;
}

}  // namespace pimento::machine
