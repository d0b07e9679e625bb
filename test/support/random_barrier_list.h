// Random lists for 1 to 16 unequal channels with the barrier queue, and a run of them that looks at every channel in
// every cycle and takes none for another: what FedChannelsOf<BarrierQueue> is held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/sim/dram/barrier_queue.h"
#include "pimento/sim/dram/refresh_schedule.h"
#include "test/support/random_program.h"

namespace pimento::test {

/// The commands of a random case, some of them to some of the channels only.
inline RandomCase randomBarrierList(std::uint64_t seed, const Shape &shape) {
  RandomCase c = randomCase(seed, shape);
  Rng rng(seed ^ 0x5eedULL);
  const std::int64_t n = seed % 5 == 0 ? 1 : rng.integer(1, 16);
  c.process.isShared = true;
  c.process.instances = n;
  const std::int64_t percent = rng.integer(0, 60);
  const auto spread = [&](auto &&self, program::CommandLoops &nodes) -> void {
    for (program::CommandNode &node : nodes) {
      if (node.isLoop) {
        self(self, node.children);
        continue;
      }
      if (rng.integer(0, 99) >= percent) continue;
      const std::int64_t first = rng.integer(0, n - 1), step = rng.integer(1, 3);
      node.statement.channels = {static_cast<std::uint8_t>(first),
                                 static_cast<std::uint8_t>(rng.integer(1, n / std::gcd(step, n))),
                                 static_cast<std::uint8_t>(step)};
    }
  };
  spread(spread, std::get<program::CommandLoops>(c.process.body));
  return c;
}

struct BarrierListRun {
  std::int64_t cycles = -1;  ///< -1: not over after `most`
  sim::dram::ChannelCounts counts;
};

inline BarrierListRun everyCycle(const sim::dram::ChannelSpec &spec, const program::FlatLoops &code, int channels,
                                 std::int64_t most) {
  std::vector<sim::dram::BarrierQueue> all(static_cast<std::size_t>(channels), {spec, &code, nullptr});
  sim::dram::RefreshSchedule refreshes(spec, false);
  program::LoopsCursor at(code);
  int given = 0;  // channels of the next command that have it
  for (std::int64_t t = 1; t <= most; ++t) {
    if (refreshes.next() <= t)
      for (const std::uint64_t due = refreshes.take(t); auto &c : all) c.requestRefresh(due);
    for (; !at.isDone(); at.advance(), given = 0) {
      const program::Transaction request = at.peek();
      const program::Channels &to = code.commands()[static_cast<std::size_t>(request.command)].command.channels;
      const int count = to.count == 0 ? channels : to.count;
      for (; given < count; ++given) {
        auto &c = all[static_cast<std::size_t>((to.first + given * to.step) % channels)];
        if (!c.accepts(request, t)) break;
        c.take(request, t, false, 0);
      }
      if (given < count) break;
    }
    bool isDone = at.isDone();
    for (auto &c : all) {
      c.cycle(t);
      isDone = isDone && c.isEmpty();
    }
    if (!isDone) continue;
    BarrierListRun run;
    for (const auto &c : all) {
      run.cycles = std::max(run.cycles, c.end(t).value);
      run.counts.add(c.counts(), 1);
    }
    return run;
  }
  return {};
}

}  // namespace pimento::test
