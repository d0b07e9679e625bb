// Builds a list of commands for the channels of a near-bank device, in loops: what the published generators print line
// by line.
//
// A place is (b, c, a): bank b of channel c, byte a. Banks count over pseudo channels, ranks and groups; those beyond a
// channel's last are of the channels behind it, and channels beyond the last one begin again, as addresses do that are
// too large.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/phases.h"
#include "pimento/program/program.h"

namespace pimento::targets::near_bank {

/// Counters of enclosing loops move it, as program::Operand says.
using Address = program::Operand;

/// An address plus `stride` times the counter of the loop at `depth`.
Address moved(Address a, int depth, std::int64_t stride);
inline Address shifted(Address a, std::int64_t bytes) {
  a.base += bytes;
  return a;
}

/// What a command of a program of our own sends, or where what it reads goes.
struct StreamData {
  int image = -1;            ///< writes: which image
  program::Operand burst{};  ///< of that image, or of the results
};

class Stream {
 public:
  explicit Stream(const machine::Machine &machine);

  /// A loop around what `body(depth)` appends; nothing for no trips.
  template <typename Body>
  void loop(std::string_view label, std::int64_t trip, const Body &body) {
    if (trip <= 0) return;
    lists_.emplace_back();
    body(static_cast<int>(lists_.size()) - 2);
    auto inner = std::move(lists_.back());
    lists_.pop_back();
    if (!inner.empty()) lists_.back().push_back(program::CommandNode::loop(std::string(label), trip, std::move(inner)));
  }

  /// `command` to bank `b` of channels `first`, first + `step`, ..., `count` of them.
  void send(std::string_view command, std::int64_t b, std::int64_t first, std::int64_t count, const Address &a,
            std::int64_t step = 1);
  /// A barrier for every channel.
  void barrier();

  /// Row `command` of the machine's table to bank `b` of every channel, each of which takes the list for itself.
  void each(int command, std::int64_t b, const Address &a, program::Purpose purpose, const StreamData &data = {},
            std::int32_t length = 0);
  /// A barrier likewise.
  void fence();
  /// A barrier behind which what was read has arrived; a plain one on machines that have none.
  void await();
  /// What `body()` appends, as a phase (program/phases.h). Phases end with await().
  template <typename Body>
  void phase(program::PhaseKind kind, const Body &body) {
    loop(name(kind), 1, [&](int /*depth*/) { body(); });
  }
  int image(std::string name, std::int64_t bursts, bool isPerChannel);

  std::int64_t channels() const { return organization_.channels; }
  std::int64_t banks() const { return organization_.ranks * organization_.banks(); }
  program::Program take(std::string_view process);
  /// For so many channels that all do this.
  program::Program takeForEach(std::string_view process, std::int64_t channels);
  /// Ends a process of so many channels that all do this; what follows is of another one, on other channels.
  void close(std::string_view process, std::int64_t channels);
  program::Program take() { return std::move(program_); }

 private:
  std::uint8_t named(std::string_view command, bool isWrite);

  const machine::Dram &dram_;
  const machine::Organization &organization_;
  program::Program program_;
  std::vector<program::CommandLoops> lists_;
};

}  // namespace pimento::targets::near_bank
