// Two clocks of a machine, that of its cores and that of its memory, exactly: their ratio in lowest terms.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/machine/machine.h"

namespace pimento::sim {

class Clocks {
 public:
  /// Memory without a clock of its own has that of the cores.
  explicit Clocks(const machine::Machine &machine) {
    const auto own = machine.clocks.find("memory");
    core_ = kilohertz(machine.clockGHz);
    memory_ = own == machine.clocks.end() ? core_ : kilohertz(own->second);
    const std::int64_t common = std::gcd(core_, memory_);
    core_ /= common;
    memory_ /= common;
  }

  /// The first cycle of the other clock that does not begin before this one.
  std::int64_t toMemory(std::int64_t core) const { return ceilDiv(core * memory_, core_); }
  std::int64_t toCore(std::int64_t memory) const { return ceilDiv(memory * core_, memory_); }

 private:
  static std::int64_t kilohertz(double gigahertz) {
    constexpr double kPerGigahertz = 1e6;
    return static_cast<std::int64_t>(std::llround(gigahertz * kPerGigahertz));
  }
  std::int64_t core_ = 1, memory_ = 1;
};

}  // namespace pimento::sim
