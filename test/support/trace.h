// Short ways to write a command stream by hand, run it on a channel and look at the commands that were issued.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/program/program.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/all_bank.h"
#include "test/support/hand_machine.h"

namespace pimento::test {

/// An issued command: when, what, where. Row commands have column -1; a refresh has row -1 and the rank's first bank.
struct Issued {
  std::int64_t time = 0;
  std::string what;
  int bank = 0;
  std::int64_t row = 0, column = -1;

  bool operator==(const Issued &) const = default;
  std::string str() const { return fmt::format("{} {} bank {} row {} column {}", time, what, bank, row, column); }
};
inline void PrintTo(const Issued &c, std::ostream *out) {
  *out << c.str();
}

/// Keeps everything it sees.
class Recorder final : public sim::dram::CommandObserver {
 public:
  void onCommand(const sim::dram::IssuedCommand &c) override {
    using machine::CommandKind;
    if (!c.name.empty()) {
      trace.push_back({c.time, std::string(c.name), c.bank, c.row, c.column});
      return;
    }
    switch (c.kind) {
      case CommandKind::kActivate:
        trace.push_back({c.time, "ACT", c.bank, c.row});
        break;
      case CommandKind::kPrecharge:
        trace.push_back({c.time, "PRE", c.bank, c.row});
        break;
      case CommandKind::kRead:
        trace.push_back({c.time, "RD", c.bank, c.row, c.column});
        break;
      case CommandKind::kWrite:
        trace.push_back({c.time, "WR", c.bank, c.row, c.column});
        break;
      case CommandKind::kRefresh:
        trace.push_back({c.time, "REF", c.bank, -1});
        break;
      case CommandKind::kBarrier:
        break;
    }
  }
  std::vector<Issued> trace;
};

/// What a run gave.
struct ChannelRun {
  std::vector<Issued> trace;
  std::int64_t cycles = 0;
  bool isStuck = false;
  sim::dram::ChannelCounts counts;

  /// The commands of one kind, in order.
  std::vector<Issued> only(const std::string &what) const {
    std::vector<Issued> out;
    for (const Issued &c : trace)
      if (c.what == what) out.push_back(c);
    return out;
  }
};

/// The commands of a process that has some.
inline program::CommandLoops &commandsOf(program::Process &process) {
  return std::get<program::CommandLoops>(process.body);
}
inline const program::CommandLoops &commandsOf(const program::Process &process) {
  return std::get<program::CommandLoops>(process.body);
}

inline program::FlatLoops flatten(const program::Process &process, const sim::dram::ChannelSpec &spec,
                                  const std::vector<program::NamedCommand> &names = {}) {
  return spec.flatten(commandsOf(process), names);
}

/// Runs a channel to its end, every command simulated.
template <typename Channel>
ChannelRun runToEnd(Channel &channel, Recorder &recorder) {
  for (;;) {
    const sim::Checkpoint c = channel.run();
    if (c.kind == sim::Checkpoint::Kind::kDone || c.kind == sim::Checkpoint::Kind::kStuck)
      return {std::move(recorder.trace), channel.cycles().value, c.kind == sim::Checkpoint::Kind::kStuck,
              channel.counts()};
  }
}

/// Runs `process` on one channel of `machine`, every command simulated.
inline ChannelRun runChannel(const machine::Machine &machine, const program::Process &process,
                             const std::vector<program::NamedCommand> &names = {}) {
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  const program::FlatLoops code = flatten(process, spec, names);
  Recorder recorder;
  sim::dram::Channel channel(spec, code, &recorder);
  return runToEnd(channel, recorder);
}

inline program::CommandNode column(bool isWrite, int bank, std::int64_t row, std::int64_t column,
                                   bool isBarrier = false, int rank = 0) {
  program::Command c;
  c.isWrite = isWrite;
  c.isBarrier = isBarrier;
  c.rank = static_cast<std::uint8_t>(rank);
  c.bank = static_cast<std::uint8_t>(bank);
  c.row.base = row;
  c.column.base = column;
  return program::CommandNode(c);
}
inline program::CommandNode rd(int bank, std::int64_t row, std::int64_t col, bool isBarrier = false, int rank = 0) {
  return column(false, bank, row, col, isBarrier, rank);
}
inline program::CommandNode wr(int bank, std::int64_t row, std::int64_t col, bool isBarrier = false, int rank = 0) {
  return column(true, bank, row, col, isBarrier, rank);
}
inline program::Process process(program::CommandLoops body) {
  return {"test", 1, std::move(body)};
}

}  // namespace pimento::test
