#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/sim/dram/bound.h"

namespace pimento::sim::dram {

namespace {

using program::FlatLoops;
using Level = machine::ScopeLevel;

/// Commands in a row, and the waits that each imposes on the next one.
struct Row {
  std::int64_t commands = 0, waits = 0, longest = 0;

  void add(std::int64_t times, Tick wait) {
    commands = addSaturated(commands, times);
    waits = addSaturated(waits, multiplySaturated(times, wait));
    longest = std::max<std::int64_t>(longest, wait);
  }
  /// From the first to the last, both included; whichever is last.
  std::int64_t span() const { return commands == 0 ? 0 : waits - longest + 1; }
};

/// ColumnWaits among a program's column commands.
class ColumnWaits {
 public:
  /// `ops`: the program has these and no others.
  ColumnWaits(const ChannelSpec &spec, const std::vector<int> &ops) : spec_(spec) {
    for (const int op : ops)
      if (spec.device.needsRow(op)) withRows_.push_back(op);
  }

  /// What `command`, of such a length, makes `following` wait in the same channel, or in the same pseudo channel.
  Tick wait(int command, int following, bool isSamePseudoChannel, std::int32_t length) const {
    Tick most = 1;
    for (const DeviceSpec::Consequence &c : spec_.device.consequences[static_cast<std::size_t>(command)]) {
      const bool holds = c.level == static_cast<int>(Level::kChannel) ||
                         (isSamePseudoChannel && c.level == static_cast<int>(Level::kPseudoChannel));
      if (holds && c.following == following) most = std::max<Tick>(most, c.latency + Tick{c.perLength} * length);
    }
    return most;
  }
  /// The same in the same bank.
  Tick waitInBank(int command, int following) const {
    Tick most = 1;
    for (const DeviceSpec::Consequence &c : spec_.device.consequences[static_cast<std::size_t>(command)])
      if (c.following == following) most = std::max<Tick>(most, c.latency);
    return most;
  }

  /// What `command` makes the next one that needs a row wait, whichever of the program's it is.
  Tick shortestWait(int command, std::int32_t length) const {
    Tick least = kNever;
    for (const int op : withRows_) least = std::min(least, wait(command, op, true, length));
    return least;
  }

  /// Columns of a pseudo channel with the refreshes that lie between them. A refresh closes all rows there, so no
  /// column follows until a row is opened again. Nothing is opened between the time it is due and its own, so it comes
  /// once the rows that wait to be used have been.
  std::int64_t withRefreshes(const Row &of) const {
    const std::int64_t busy = of.span();
    const DeviceSpec &d = spec_.device;
    if (!spec_.isFourQueues || !spec_.hasRefresh || d.namedBankOnly || spec_.hasSeveralRows || busy == 0) return busy;
    Tick outage = kNever, longest = 0;
    for (const int op : withRows_) {
      const int opens = spec_.rules[static_cast<std::size_t>(op)].opens;
      if (opens < 0) return busy;
      outage = std::min(outage, waitInBank(spec_.refresh, opens) + waitInBank(opens, op));
    }
    for (std::size_t command = 0; command < d.consequences.size(); ++command)
      if (static_cast<int>(command) != spec_.refresh)
        for (const DeviceSpec::Consequence &c : d.consequences[command]) longest = std::max<Tick>(longest, c.latency);
    const Tick gain = outage - of.longest;
    if (gain <= 0 || gain >= spec_.refreshInterval) return busy;
    const Tick delay = (4 + d.banks) * longest + outage;
    std::int64_t cycles = busy;
    while (true) {
      const std::int64_t refreshes = std::max<std::int64_t>(0, cycles - delay) / spec_.refreshInterval;
      const std::int64_t more = addSaturated(busy, multiplySaturated(refreshes, gain));
      if (more == cycles) return cycles;
      cycles = more;
    }
  }

 private:
  const ChannelSpec &spec_;
  std::vector<int> withRows_;
};

class ListBound {
 public:
  ListBound(const ChannelSpec &spec, const FlatLoops &code, int channels)
      : spec_(spec),
        code_(code),
        channels_(channels),
        pseudoChannels_(spec.device.nodes[static_cast<std::size_t>(Level::kPseudoChannel)]),
        hasReads_(!spec.isFourQueues || readsAreApart()) {
    for (const FlatLoops::FlatCommand &f : code.commands()) {
      const int op = f.origin.op;
      if (counts(op) && std::find(ops_.begin(), ops_.end(), op) == ops_.end()) ops_.push_back(op);
    }
  }

  ChannelBound run() {
    const auto kinds = static_cast<std::size_t>(spec_.device.commands), channels = static_cast<std::size_t>(channels_);
    const auto nodes = static_cast<std::size_t>(pseudoChannels_);
    const ColumnWaits waits(spec_, ops_);
    std::vector<std::vector<Row>> alike(channels, std::vector<Row>(kinds));
    std::vector<std::vector<Row>> withRows(channels, std::vector<Row>(nodes));
    std::vector<std::uint64_t> banksOf;  // by pseudo channel
    for (std::size_t p = 0; p < nodes; ++p) banksOf.push_back(this->banksOf(p));
    for (const FlatLoops::FlatCommand &f : code_.commands()) {
      const int op = f.origin.op;
      if (!counts(op)) continue;
      const std::int64_t times = code_.timesOf(f);
      const Tick apart = waits.wait(op, op, false, f.command.length);
      const bool needsRow = spec_.device.needsRow(op);
      const Tick apartInRow = needsRow ? waits.shortestWait(op, f.command.length) : 0;
      const std::uint64_t banks = spec_.device.reach(op, f.origin.bank);
      const program::Channels &to = f.command.channels;
      for (int i = 0; i < (to.count == 0 ? channels_ : to.count); ++i) {
        const auto channel = static_cast<std::size_t>((to.first + i * to.step) % channels_);
        alike[channel][static_cast<std::size_t>(op)].add(times, apart);
        for (std::size_t p = 0; needsRow && p < nodes; ++p)
          if ((banks & banksOf[p]) != 0) withRows[channel][p].add(times, apartInRow);
      }
    }
    ChannelBound bound;
    for (std::size_t c = 0; c < channels; ++c) {
      std::int64_t columns = 0, cycles = 0;
      for (const Row &of : alike[c]) {
        columns = addSaturated(columns, of.commands);
        cycles = std::max(cycles, of.span());
      }
      for (const Row &of : withRows[c]) cycles = std::max(cycles, waits.withRefreshes(of));
      bound.counts.columns = addSaturated(bound.counts.columns, columns);
      bound.cycles = std::max({bound.cycles, Cycles(columns), Cycles(cycles)});
    }
    return bound;
  }

 private:
  /// Whether commands of this kind surely issue.
  bool counts(int op) const {
    return (hasReads_ || op != spec_.read) && !spec_.rules[static_cast<std::size_t>(op)].isBarrier;
  }

  /// With four queues a read is served by a write that waits for its address. Is there none?
  bool readsAreApart() const {
    const std::vector<FlatLoops::FlatCommand> &all = code_.commands();
    for (const FlatLoops::FlatCommand &read : all) {
      if (read.origin.op != spec_.read) continue;
      const program::Range rows = code_.rowsOf(read);
      for (const FlatLoops::FlatCommand &write : all) {
        if (write.origin.op != spec_.write || write.origin.bank != read.origin.bank) continue;
        const program::Range others = code_.rowsOf(write);
        if (rows.low <= others.high && others.low <= rows.high) return false;
      }
    }
    return true;
  }

  std::uint64_t banksOf(std::size_t pseudoChannel) const {
    std::uint64_t banks = 0;
    const auto &node = spec_.device.nodeOfBank[static_cast<std::size_t>(Level::kPseudoChannel)];
    for (std::size_t b = 0; b < static_cast<std::size_t>(spec_.device.banks); ++b)
      if (static_cast<std::size_t>(node[b] - node[0]) == pseudoChannel) banks |= std::uint64_t{1} << b;
    return banks;
  }

  const ChannelSpec &spec_;
  const FlatLoops &code_;
  int channels_, pseudoChannels_;
  bool hasReads_;
  std::vector<int> ops_;  // that the program has
};

}  // namespace

Cycles leastOfColumns(const ChannelSpec &spec, std::span<const ColumnCount> columns) {
  std::vector<int> ops;
  for (const ColumnCount &c : columns)
    if (c.count > 0) ops.push_back(c.command);
  const ColumnWaits waits(spec, ops);
  Row row;
  for (const ColumnCount &c : columns)
    if (c.count > 0 && spec.device.needsRow(c.command)) row.add(c.count, waits.shortestWait(c.command, 0));
  return Cycles(waits.withRefreshes(row));
}

ChannelBound lowerBoundOfList(const ChannelSpec &spec, const FlatLoops &code, int channels) {
  return ListBound(spec, code, channels).run();
}

}  // namespace pimento::sim::dram
