#include "pimento/sim/cache/main_memory.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include "pimento/base/integer.h"
#include "pimento/sim/dram/address_map.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::sim::cache {

/// One channel with its last requests. It stays where it is: what watches it is known by its place.
class MainMemory::Timeline {
 public:
  explicit Timeline(const dram::ChannelSpec &spec)
      : spec_(spec), now_(spec, dram::RequestSource{}, &watch_), ahead_(now_) {
    snapshots_.push_back({now_, 0});
  }
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  /// When the command of a request is issued, if no more requests come.
  dram::Tick issueOf(dram::Tick time, const program::Transaction &t) {
    watch_ = {add(time, t), std::nullopt};
    replay();
    if (!watch_.issued) {
      ahead_ = now_;
      ahead_.source().close();
      // Where nothing can ever issue, a command is never answered: it counts as if a channel gave up.
      while (!watch_.issued && isMoving(ahead_.run().kind)) continue;
    }
    const dram::Tick issued = watch_.issued.value_or(time + spec_.patience);
    watch_ = {};
    return issued;
  }
  /// The same where nobody asks.
  void request(dram::Tick time, const program::Transaction &t) {
    add(time, t);
    replay();
  }
  std::int64_t activates() {
    ahead_ = now_;
    ahead_.source().close();
    while (isMoving(ahead_.run().kind)) continue;
    return ahead_.counts().activates;
  }

 private:
  using Channel = dram::ChannelOf<dram::RequestSource>;
  static constexpr std::int64_t kNobody = -2;
  struct Watch final : dram::CommandObserver {
    Watch() = default;
    Watch(std::int64_t n, std::optional<dram::Tick> i) : number(n), issued(i) {}
    void onCommand(const dram::IssuedCommand &c) override {
      if (c.number == number) issued = c.time;
    }
    std::int64_t number = kNobody;
    std::optional<dram::Tick> issued;
  };
  struct Request {
    dram::Tick time = 0;
    program::Transaction transaction;
  };
  /// A channel that has been handed `requests`, and has run until the last of them.
  struct Snapshot {
    Channel channel;
    std::int64_t requests = 0;
  };
  /// More than a core has under way at a time; one snapshot for some of them.
  static constexpr std::int64_t kRemembered = 64, kPerSnapshot = 4;

  static bool isMoving(Checkpoint::Kind kind) { return kind == Checkpoint::Kind::kEvent; }

  /// Puts a request among the others, and goes back to a channel before it. Its number.
  std::int64_t add(dram::Tick time, const program::Transaction &t) {
    time = std::max(time, oldest_);
    const auto later = std::upper_bound(requests_.begin(), requests_.end(), time,
                                        [](dram::Tick at, const Request &r) { return at < r.time; });
    const std::int64_t number = first_ + (later - requests_.begin());
    if (later != requests_.end()) {
      while (snapshots_.back().requests > number) snapshots_.pop_back();
      now_ = snapshots_.back().channel;
      handed_ = snapshots_.back().requests;
    }
    requests_.insert(later, {time, t});
    return number;
  }
  /// Hands in what the channel has not seen yet.
  void replay() {
    const std::int64_t end = first_ + static_cast<std::int64_t>(requests_.size());
    for (; handed_ < end; ++handed_) {
      const Request &r = requests_[static_cast<std::size_t>(handed_ - first_)];
      if (handed_ - snapshots_.back().requests >= kPerSnapshot) snapshots_.push_back({now_, handed_});
      now_.source().promise(r.time);
      while (isMoving(now_.run().kind)) continue;
      now_.source().handIn(r.time, r.transaction);
    }
    while (end - first_ > kRemembered && snapshots_.size() > 1) {
      const std::int64_t next = snapshots_[1].requests;
      oldest_ = requests_[static_cast<std::size_t>(next - first_) - 1].time;
      requests_.erase(requests_.begin(), requests_.begin() + (next - first_));
      snapshots_.pop_front();
      first_ = next;
    }
  }

  const dram::ChannelSpec &spec_;
  Watch watch_;
  Channel now_;    ///< all requests have been handed to it
  Channel ahead_;  ///< what will become of it
  std::deque<Snapshot> snapshots_;
  std::deque<Request> requests_;  ///< in the order of time, from number `first_` on: since the first snapshot
  std::int64_t first_ = 0, handed_ = 0;
  dram::Tick oldest_ = 0;  ///< nothing is put before it
};

MainMemory::MainMemory(const machine::Machine &machine)
    : machine_(machine),
      spec_(*machine.dram),
      clocks_(machine),
      latency_(machine.memory ? machine.memory->latency.value : 0) {
  for (std::int64_t c = 0; c < machine.dram->organization.channels; ++c)
    channels_.push_back(std::make_unique<Timeline>(spec_));
}

MainMemory::~MainMemory() = default;

/// Every burst that holds some of the bytes.
template <typename Use>
void MainMemory::visit(std::uint64_t address, std::int64_t bytes, Use use) {
  const machine::Organization &o = machine_.dram->organization;
  const auto burst = static_cast<std::uint64_t>(o.burst.value);
  for (std::uint64_t at = address / burst * burst; at < address + static_cast<std::uint64_t>(bytes); at += burst) {
    const dram::Place p = dram::placeOf(o, at);
    use(*channels_[static_cast<std::size_t>(p.channel)], p);
  }
}

Tick MainMemory::read(std::uint64_t address, std::int64_t bytes, Tick at) {
  Tick ready = at;
  visit(address, bytes, [&](Timeline &channel, const dram::Place &p) {
    ++counts_.reads;
    const dram::Tick issued =
        channel.issueOf(clocks_.toMemory(at), spec_.transaction(spec_.read, p.bank, p.row, p.column));
    ready = std::max(ready, clocks_.toCore(issued + spec_.readLatency) + latency_);
  });
  return ready;
}

void MainMemory::write(std::uint64_t address, std::int64_t bytes, Tick at) {
  visit(address, bytes, [&](Timeline &channel, const dram::Place &p) {
    ++counts_.writes;
    channel.request(clocks_.toMemory(at), spec_.transaction(spec_.write, p.bank, p.row, p.column));
  });
}

MainMemory::Counts MainMemory::counts() const {
  Counts c = counts_;
  for (const std::unique_ptr<Timeline> &channel : channels_) c.activates += channel->activates();
  return c;
}

}  // namespace pimento::sim::cache
