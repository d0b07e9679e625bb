// DRAM behind the last cache: lines that are read and written, in a clock of its own, on the engine of all DRAM
// (sim/dram/channel.h).
//
// A core that is simulated in one pass asks for lines in the order of its program, not of time, and has to know at once
// when they are there. So a channel is kept as it was after its last requests: a request that is earlier than others
// goes back to a channel before it, and they follow again. The answer is that of a channel to which no more requests
// come. A later request can delay what was answered (its row is open, or it takes the bus of a cycle); the channel
// knows, but nobody is told (docs/models/cim.md says by how much).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/cache/behind.h"
#include "pimento/sim/clocks.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::sim::cache {

class MainMemory final : public Behind {
 public:
  struct Counts {
    std::int64_t reads = 0, writes = 0;  ///< bursts
    std::int64_t activates = 0;
  };

  /// `machine` has DRAM, and outlives this. Without a section `memory` the way there takes no time.
  explicit MainMemory(const machine::Machine &machine);
  ~MainMemory() override;

  /// When `bytes` at `address` are there, asked for in cycle `at`.
  Tick read(std::uint64_t address, std::int64_t bytes, Tick at);
  /// Nobody waits for it.
  void write(std::uint64_t address, std::int64_t bytes, Tick at);
  Answer fetch(int /*core*/, std::uint64_t address, std::int64_t bytes, Tick at) override {
    return {read(address, bytes, at), false};
  }
  void writeBack(int /*core*/, std::uint64_t address, std::int64_t bytes, Tick at) override {
    write(address, bytes, at);
  }
  Counts counts() const;

 private:
  class Timeline;
  template <typename Use>
  void visit(std::uint64_t address, std::int64_t bytes, Use use);

  const machine::Machine &machine_;
  sim::dram::ChannelSpec spec_;
  Clocks clocks_;
  Tick latency_;  ///< of the way there and back
  std::vector<std::unique_ptr<Timeline>> channels_;
  Counts counts_;
};

}  // namespace pimento::sim::cache
