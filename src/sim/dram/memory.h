// A machine's DRAM, fed with reads and writes of bursts in the order of time: all its channels, each a controller and a
// device of its own (channel.h).
//
// It has no clock: it works up to the time that it is told, and says which requests are answered. A request that
// arrives later may go before one that waits (first ready, first come), so an answer is known once the time of its
// command has been worked on. Callers that must know at once take sim/cache/main_memory.h, on the same channels.
//
// Not here: clocks of others, and the way to the controllers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::sim::dram {

class CommandObserver;

struct Answer {
  std::int64_t request = 0;  ///< number that request() gave
  Tick time = 0;             ///< its last data are there; of a write, in the device
};

class Memory {
 public:
  struct Counts {
    std::int64_t reads = 0, writes = 0;  ///< requests
    std::int64_t activates = 0, precharges = 0, refreshes = 0;
  };

  /// `dram` has one queue per channel (controller.scheduler: fr-fcfs-barrier), and outlives this. `observer`, if any,
  /// sees the commands of channel 0.
  explicit Memory(const machine::Dram &dram, CommandObserver *observer = nullptr);
  ~Memory();

  /// The burst at `address` (that which holds it), asked for in cycle `time` of the memory: no earlier than the request
  /// before it, and than the memory has been told to work. Returns its number, from 0. Addresses beyond the memory
  /// begin again at 0.
  std::int64_t request(Tick time, std::uint64_t address, bool isWrite);
  /// No request will arrive before cycle `time`: works as far as that goes.
  void workUntil(Tick time);
  /// Until all requests are answered; none may follow.
  void finish();
  /// Since the last call, in the order of time, then number.
  std::vector<Answer> takeAnswers();
  Counts counts() const;
  int channels() const { return static_cast<int>(channels_.size()); }

 private:
  class Channel;
  const machine::Dram &dram_;
  ChannelSpec spec_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::int64_t requests_ = 0;
  Tick promised_ = 0;
  Counts counts_;  ///< of requests alone
  std::vector<Answer> answers_;
};

}  // namespace pimento::sim::dram
