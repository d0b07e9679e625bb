// The operand-fetch penalty of uPIMulator, an optional policy; measured hardware shows none.
//
// The register file has two banks, even and odd. An instruction holds the pipeline for
// floor(even / 2) + floor(odd / 2) more cycles, over the registers that it reads and those that the tasklet's
// instruction before it wrote. Not a model of UPMEM hardware: it exists to compare with that simulator.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

class Hazard {
 public:
  /// Cycles that the instruction holds the pipeline beyond its own.
  std::int64_t issue(int tasklet, const Step &s) {
    std::uint32_t &written = written_[static_cast<std::size_t>(tasklet)];
    const bool readsPair =
        s.op == Op::kMulStep || s.op == Op::kDivStep || s.op == Op::kMovd || s.op == Op::kSwapd || s.op == Op::kSd;
    const std::uint32_t used =
        bit(s.a) | bit(s.b) | (readsPair ? bit(static_cast<std::uint8_t>(s.b + 1)) : 0U) | written;
    const bool writesPair = s.extension != Extension::kNone || s.op == Op::kLd || s.op == Op::kMulStep ||
                            s.op == Op::kDivStep || s.op == Op::kMovd || s.op == Op::kSwapd;
    written = bit(s.dst) | (writesPair ? bit(static_cast<std::uint8_t>(s.dst + 1)) : 0U);
    constexpr std::uint32_t kEven = 0x555555;
    return std::popcount(used & kEven) / 2 + std::popcount(used & ~kEven) / 2;
  }

 private:
  /// Registers r0 to r23; the read-only ones are in no bank.
  static std::uint32_t bit(std::uint8_t reg) { return reg < pimento::dpu::kRegisters ? 1U << reg : 0U; }

  std::array<std::uint32_t, kMaxTasklets> written_{};
};

}  // namespace pimento::sim::dpu
