#include "pimento/sim/sram/controllers.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/sim/noc/messages.h"

namespace pimento::sim::sram {

namespace {

using noc::Node;
using noc::Tick;
using noc::Traffic;
using Kind = program::SramCommandKind;

/// What one bank does between two barriers.
struct BankWork {
  struct Item {
    std::int64_t cycles = 0;
    std::size_t group = 0;  ///< of the stretch
    Kind kind = Kind::kCompute;
    std::vector<BankPackets> leaving;
  };
  std::vector<Item> items;
};

}  // namespace

/// The commands between two barriers.
struct Controllers::Stretch {
  std::size_t first = 0, last = 0;  ///< of the list, without the sync
  std::vector<std::size_t> ends;    ///< by group: commands of the stretch up to its last
  std::vector<BankWork> banks;
  std::int64_t bitsInArrays = 0, bitsInBanks = 0, bitsBetweenBanks = 0;
};

namespace {

/// All that the time of a stretch depends on, as numbers, each list behind its length.
std::vector<std::int64_t> keyOf(const std::vector<BankWork> &banks, const std::vector<std::size_t> &ends,
                                std::int64_t ahead, std::int64_t next) {
  std::vector<std::int64_t> key{ahead, next, static_cast<std::int64_t>(ends.size())};
  for (const std::size_t e : ends) key.push_back(static_cast<std::int64_t>(e));
  for (const BankWork &b : banks) {
    key.push_back(static_cast<std::int64_t>(b.items.size()));
    for (const BankWork::Item &i : b.items) {
      key.insert(key.end(), {i.cycles, static_cast<std::int64_t>(i.group), static_cast<std::int64_t>(i.kind),
                             static_cast<std::int64_t>(i.leaving.size())});
      for (const BankPackets &p : i.leaving) key.insert(key.end(), {p.bank, p.packets});
    }
  }
  return key;
}

/// One stretch, event by event, on a mesh on which nothing else is under way.
class StretchRun {
 public:
  StretchRun(const machine::Sram &sram, const machine::Noc &noc, const Controllers::Numbers &numbers,
             const std::vector<BankWork> &banks, const std::vector<std::size_t> &ends, std::int64_t ahead)
      : noc_(noc), numbers_(numbers), work_(banks), ends_(ends), messages_(noc), banks_(banks.size()) {
    packetFlits_ = noc.flits(sram.packet);
    // Commands that came while the stretch before ran are there.
    for (Bank &b : banks_) {
      b.here = ahead;
      b.sent.assign(banks.size(), 0);
      b.arrived.assign(banks.size(), 0);
      b.said.assign(banks.size(), -1);
    }
  }

  /// The core begins it in cycle 0, by clearing a barrier or by sending the first commands. `rest`: commands that are
  /// sent now, behind those that are there; `next`: those of the next stretch.
  void run(std::int64_t rest, std::int64_t next) {
    std::vector<Node> all(banks_.size());
    std::iota(all.begin(), all.end(), 0);
    messages_.multicast(0, numbers_.core, all, noc_.flits(Bytes(0)), Traffic::kControl, {What::kCleared, 0, 0});
    send(all, rest, true);
    send(all, next, false);
    while (messages_.next() != noc::Network::kNever)
      if (const auto event = messages_.step())
        handle(event->time, static_cast<std::size_t>(event->node), event->payload);
  }

  Tick cleared() const { return cleared_; }
  std::int64_t packets() const { return packets_; }
  const noc::Network &network() const { return messages_.network(); }
  /// The bank that was done last, and when.
  std::size_t slowest() const {
    std::size_t at = 0;
    for (std::size_t b = 1; b < banks_.size(); ++b)
      if (banks_[b].done > banks_[at].done) at = b;
    return at;
  }

 private:
  enum class What : std::uint8_t {
    kCleared,   ///< a bank may begin
    kCommands,  ///< `count` more commands are at a bank
    kStart,     ///< a bank's next command begins
    kDone,      ///< it ends
    kData,      ///< all packets of one train from `bank` are there
    kCount,     ///< a bank hears that `bank` has sent it `count`
    kSent,      ///< the core hears that a bank has sent `count` in all
    kReceived,  ///< the core hears that `count` have arrived at a bank
  };
  struct Message {
    What what = What::kCleared;
    int bank = 0;
    std::int64_t count = 0;
  };
  struct Bank {
    bool isCleared = false, isBusy = false, isDone = false;
    bool isWaiting = false;  ///< for a command
    std::int64_t here = 0;   ///< commands of the stretch
    Tick prepared = 0;       ///< the next one is
    std::size_t next = 0;    ///< of its items
    Tick done = 0;
    std::vector<std::int64_t> sent, said, arrived;  ///< by other bank
  };

  /// A word of one bank's, or the core's, to another.
  void say(Tick time, Node from, Node to, const Message &m) {
    messages_.send(time, from, to, noc_.flits(Bytes(0)), Traffic::kControl, m);
  }
  /// Commands, as many as a packet holds, to all banks. Those of the next stretch nobody waits for here.
  void send(const std::vector<Node> &all, std::int64_t count, bool isAwaited) {
    const std::int64_t most = std::max<std::int64_t>(1, 64 / numbers_.command.value);
    for (Tick time = 0; count > 0; count -= most) {
      const std::int64_t sent = std::min(count, most), flits = noc_.flits(Bytes(sent * numbers_.command.value));
      messages_.multicast(time, numbers_.core, all, flits, Traffic::kOffload,
                          {What::kCommands, 0, isAwaited ? sent : 0});
      time += flits;
    }
  }

  void handle(Tick now, std::size_t at, const Message &m) {
    Bank &b = banks_[at];
    switch (m.what) {
      case What::kCleared:
        b.isCleared = true;
        return begin(at, now);
      case What::kCommands:
        b.here += m.count;
        if (b.isWaiting) b.prepared = now + numbers_.prepare.value;
        return begin(at, now);
      case What::kStart:
        return start(at, now);
      case What::kDone:
        b.isBusy = false;
        ++b.next;
        return begin(at, now);
      case What::kData:
        b.arrived[static_cast<std::size_t>(m.bank)] += m.count;
        return compare(at, static_cast<std::size_t>(m.bank), now);
      case What::kCount:
        b.said[static_cast<std::size_t>(m.bank)] = m.count;
        return compare(at, static_cast<std::size_t>(m.bank), now);
      case What::kSent:
        ++heard_;
        sent_ += m.count;
        return check(now);
      case What::kReceived:
        received_ += m.count;
        return check(now);
    }
  }

  /// The next command, if it is there and prepared and nothing runs.
  void begin(std::size_t at, Tick now) {
    Bank &b = banks_[at];
    if (!b.isCleared || b.isBusy) return;
    const std::vector<BankWork::Item> &items = work_[at].items;
    if (b.next == items.size()) return end(at, now);
    b.isWaiting = static_cast<std::int64_t>(ends_[items[b.next].group]) > b.here;
    if (b.isWaiting) return;
    b.isBusy = true;
    messages_.at(std::max(now, b.prepared), tile(at), {What::kStart, 0, 0});
  }
  static Node tile(std::size_t bank) { return static_cast<Node>(bank); }

  void start(std::size_t at, Tick now) {
    Bank &b = banks_[at];
    const BankWork::Item &item = work_[at].items[b.next];
    b.prepared = now + numbers_.prepare.value;  // the next one, meanwhile
    for (const BankPackets &p : item.leaving) {
      b.sent[static_cast<std::size_t>(p.bank)] += p.packets;
      packets_ += p.packets;
      const Tick interval = std::max(packetFlits_, item.cycles / std::max<std::int64_t>(1, p.packets));
      messages_.train(now, tile(at), p.bank, p.packets, packetFlits_, interval, Traffic::kInterTile,
                      {What::kData, static_cast<int>(at), p.packets});
    }
    messages_.at(now + item.cycles, tile(at), {What::kDone, 0, 0});
  }

  void end(std::size_t at, Tick now) {
    Bank &b = banks_[at];
    if (b.isDone) return;
    b.isDone = true;
    b.done = now;
    std::int64_t all = 0;
    for (std::size_t to = 0; to < banks_.size(); ++to) {
      all += b.sent[to];
      if (b.sent[to] > 0) say(now, tile(at), tile(to), {What::kCount, static_cast<int>(at), b.sent[to]});
    }
    say(now, tile(at), numbers_.core, {What::kSent, static_cast<int>(at), all});
  }

  /// Has all come that another bank says it has sent?
  void compare(std::size_t at, std::size_t from, Tick now) {
    Bank &b = banks_[at];
    if (b.said[from] != b.arrived[from]) return;
    say(now, tile(at), numbers_.core, {What::kReceived, static_cast<int>(at), b.arrived[from]});
  }

  void check(Tick now) {
    if (heard_ == static_cast<std::int64_t>(banks_.size()) && sent_ == received_) cleared_ = now;
  }

  const machine::Noc &noc_;
  const Controllers::Numbers &numbers_;
  const std::vector<BankWork> &work_;
  const std::vector<std::size_t> &ends_;
  noc::Messages<Message> messages_;
  std::vector<Bank> banks_;
  std::int64_t packetFlits_ = 1;
  std::int64_t heard_ = 0, sent_ = 0, received_ = 0, packets_ = 0;
  Tick cleared_ = 0;
};

}  // namespace

void ControllerTime::add(const ControllerTime &o) {
  total += o.total;
  compute += o.compute;
  intra += o.intra;
  inter += o.inter;
  sync += o.sync;
  packets = addSaturated(packets, o.packets);
  bitsInArrays = addSaturated(bitsInArrays, o.bitsInArrays);
  bitsInBanks = addSaturated(bitsInBanks, o.bitsInBanks);
  bitsBetweenBanks = addSaturated(bitsBetweenBanks, o.bitsBetweenBanks);
  for (std::size_t i = 0; i < flitHops.size(); ++i) flitHops[i] = addSaturated(flitHops[i], o.flitHops[i]);
}

Controllers::Numbers Controllers::Numbers::of(const machine::Sram::Control &control, Node core) {
  return {core, control.command, control.commandCache, control.prepare};
}

Controllers::Controllers(const machine::Sram &sram, const machine::Noc &noc, const Numbers &numbers,
                         std::int64_t perBitline)
    : sram_(sram), noc_(noc), numbers_(numbers), times_(sram, perBitline) {
  PIMENTO_CHECK(noc.nodes() == sram.banks());
  PIMENTO_CHECK(numbers.command.value > 0 && numbers.cache.value >= 2 * numbers.command.value);
}

Result<Controllers::Stretch> Controllers::prepared(const program::SramCommands &commands, std::size_t first) {
  Stretch s;
  s.first = s.last = first;
  s.banks.resize(static_cast<std::size_t>(sram_.banks()));
  while (s.last < commands.list.size() && commands.list[s.last].kind != Kind::kSync) {
    const Result<CommandGroup> group = times_.groupAt(commands, s.last);
    if (!group) return group.diagnostics();
    const std::size_t number = s.ends.size();
    s.ends.push_back(group->last - first);
    for (std::size_t j = group->first; j < group->last; ++j) {
      const program::SramCommand &c = commands.list[j];
      if (!c.isMove()) continue;
      const std::int64_t each = multiplySaturated(c.bitlines.count(), c.bits);
      const TilesMoved tiles = times_.tilesMoved(c);
      s.bitsInArrays = addSaturated(s.bitsInArrays, multiplySaturated(tiles.inArray, each));
      s.bitsInBanks = addSaturated(s.bitsInBanks, multiplySaturated(tiles.inBank, each));
      s.bitsBetweenBanks = addSaturated(s.bitsBetweenBanks, multiplySaturated(tiles.between, each));
    }
    for (std::size_t b = 0; b < s.banks.size(); ++b) {
      if (group->longest[b] == nullptr) continue;
      BankWork::Item item{group->cycles[b], number, commands.list[s.last].kind, {}};
      for (std::size_t j = group->first; j < group->last; ++j)
        if (commands.list[j].banks.test(b))
          for (const BankPackets &p : times_.leaving(commands.list[j], static_cast<std::int64_t>(b)))
            item.leaving.push_back(p);
      s.banks[b].items.push_back(std::move(item));
    }
    s.last = group->last;
  }
  return s;
}

ControllerTime Controllers::timeOf(const Stretch &s, std::int64_t ahead, std::int64_t next) {
  std::vector<std::int64_t> key = keyOf(s.banks, s.ends, ahead, next);
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  StretchRun run(sram_, noc_, numbers_, s.banks, s.ends, ahead);
  run.run(static_cast<std::int64_t>(s.last - s.first) - ahead, next);
  ControllerTime t;
  t.total = Cycles(run.cleared());
  for (const BankWork::Item &item : s.banks[run.slowest()].items)
    (item.kind == Kind::kCompute || item.kind == Kind::kConstant      ? t.compute
     : item.kind == Kind::kTileShift || item.kind == Kind::kBroadcast ? t.inter
                                                                      : t.intra) += Cycles(item.cycles);
  t.sync = t.total - t.compute - t.intra - t.inter;
  t.packets = run.packets();
  for (std::size_t c = 0; c < t.flitHops.size(); ++c) t.flitHops[c] = run.network().flitHops(static_cast<Traffic>(c));
  known_.emplace(std::move(key), t);
  return t;
}

Result<bool> Controllers::runTo(const program::SramCommands &commands, std::int64_t syncs, Saved &state) {
  const std::int64_t half = numbers_.cache.value / numbers_.command.value / 2;
  for (; syncs > 0 && state.next < commands.list.size(); --syncs) {
    const Result<Stretch> s = prepared(commands, state.next);
    if (!s) return s.diagnostics();
    const auto countFrom = [&](std::size_t at) {
      std::size_t end = at;
      while (end < commands.list.size() && commands.list[end].kind != Kind::kSync) ++end;
      return static_cast<std::int64_t>(end - at);
    };
    const std::int64_t all = static_cast<std::int64_t>(s->last - s->first);
    // The first commands of a list, and those that half a cache had no room for, come now.
    const std::int64_t ahead = state.next == 0 ? 0 : std::min(half, all);
    const std::int64_t next = s->last < commands.list.size() ? std::min(half, countFrom(s->last + 1)) : 0;
    ControllerTime t = timeOf(*s, ahead, next);
    t.bitsInArrays = s->bitsInArrays;
    t.bitsInBanks = s->bitsInBanks;
    t.bitsBetweenBanks = s->bitsBetweenBanks;
    state.time.add(t);
    state.next = std::min(s->last + 1, commands.list.size());
  }
  return state.next < commands.list.size();
}

Result<ControllerTime> Controllers::run(const program::SramCommands &commands) {
  Saved state;
  const Result<bool> done = runTo(commands, std::numeric_limits<std::int64_t>::max(), state);
  if (!done) return done.diagnostics();
  return state.time;
}

}  // namespace pimento::sim::sram
