// What a run counts: cycles by what banks do, commands, bits, and what lowering made and could use again.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "pimento/evaluate/counts.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/targets/l3_sram/rounds.h"

namespace pimento::targets::l3_sram {

const evaluate::CountTable &countTable();
/// Of arrays; those of chips follow, as Count has them.
inline constexpr std::size_t kCounts = 14;

/// Times of lowered regions, each found once; where somebody looks on, as often as they run.
class RegionTimes {
 public:
  explicit RegionTimes(const machine::Sram &sram, sim::sram::CommandObserver *observer = nullptr)
      : sram_(sram), observer_(observer) {}
  Result<sim::sram::CommandListTime> of(const Round &round);

 private:
  const machine::Sram &sram_;
  sim::sram::CommandObserver *observer_;
  std::map<std::int64_t, sim::sram::CommandTime> byShare_;  ///< by elements per bitline
  std::map<std::int64_t, sim::sram::CommandListTime> byLowering_;
};

struct RunCounts {
  sim::sram::CommandListTime time;
  std::int64_t spilledWordlines = 0;
  std::int64_t lowered = 0, reused = 0;  ///< regions
  bool hasStreams = false;

  /// One more round. Diagnostic: sram-operation.
  Status add(const Round &round, const tdfg::Program &program, const tdfg::Schedule &schedule, RegionTimes &times);
  /// By row of countTable(), those of arrays.
  std::array<std::int64_t, kCounts> row() const;
};

}  // namespace pimento::targets::l3_sram
