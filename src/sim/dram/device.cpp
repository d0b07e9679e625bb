#include "pimento/sim/dram/device.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pimento::sim::dram {

using machine::CommandKind;

namespace {

constexpr Tick kLongAgo = std::numeric_limits<Tick>::min() / 4;

/// The merged latency table: one entry per (level, preceding, following, growth), the largest latency given.
void addConsequence(std::vector<DeviceSpec::Consequence> &list, DeviceSpec::Consequence c) {
  for (DeviceSpec::Consequence &old : list)
    if (old.level == c.level && old.following == c.following && old.perLength == c.perLength) {
      old.latency = std::max(old.latency, c.latency);
      return;
    }
  list.push_back(c);
}

}  // namespace

DeviceSpec::DeviceSpec(const machine::Dram &dram, const std::vector<bool> &isUsed) {
  const machine::Organization &o = dram.organization;
  ranks = static_cast<int>(o.ranks);
  banksPerRank = static_cast<int>(o.banks());
  banks = ranks * banksPerRank;
  prechargeTime = dram.prechargeTime.value;
  refreshTime = dram.refreshTime.value;
  commands = static_cast<int>(dram.commands.size());
  for (const machine::Command &c : dram.commands) {
    kind.push_back(c.kind);
    needs.push_back(c.needs);
    const bool isOfRank =
        c.kind == CommandKind::kRefresh && dram.controller.scheduler != machine::Scheduler::kFourQueues;
    width.push_back(isOfRank ? banksPerRank : static_cast<int>(o.banksPerNode(c.scope)));
  }
  consequences.resize(dram.commands.size());
  waitsAt.resize(dram.commands.size());
  nodes = {1, ranks, ranks * static_cast<int>(o.bankGroups), banks, static_cast<int>(o.pseudoChannels)};
  for (int level = 0; level < kLevels; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const bool isChannel = level == static_cast<int>(machine::ScopeLevel::kPseudoChannel) && nodes[l] == 1;
    offset[l] = isChannel ? 0 : allNodes;
    if (!isChannel) allNodes += nodes[l];
    for (int b = 0; b < banks; ++b)
      nodeOfBank[l].push_back(static_cast<std::int16_t>(offset[l] + b / (banks / nodes[l])));
  }
  namedBankOnly = dram.quirks.namedBankOnly;
  const auto canIssue = [&](std::size_t command) { return isUsed.empty() || isUsed[command]; };
  for (const machine::TimingConstraint &c : dram.constraints) {
    const int level = static_cast<int>(c.level);
    for (const int f : c.following) {
      const auto following = static_cast<std::size_t>(f);
      if (!canIssue(following)) continue;
      if (o.banksPerNode(c.level) < o.banksPerNode(dram.commands[following].checks)) continue;  // a quirk
      auto &waits = waitsAt[following];
      if (std::find(waits.begin(), waits.end(), level) == waits.end())
        waits.push_back(static_cast<std::int16_t>(level));
      Window w{level, f, c.window, static_cast<int>(c.latency.value), std::vector<bool>(dram.commands.size())};
      for (const int p : c.preceding) {
        const auto preceding = static_cast<std::size_t>(p);
        if (!canIssue(preceding)) continue;
        if (c.window > 1)
          w.counts[preceding] = true;
        else
          addConsequence(consequences[preceding],
                         {static_cast<std::int16_t>(level), static_cast<std::int16_t>(following),
                          static_cast<std::int32_t>(c.latency.value), static_cast<std::int32_t>(c.perLength.value)});
      }
      if (c.window > 1) windows.push_back(w);
    }
  }
  waitPlaces.resize(static_cast<std::size_t>(commands * banks * kLevels));
  waitBanks.resize(waitPlaces.size());
  for (int k = 0; k < commands; ++k)
    for (int b = 0; b < banks; ++b) {
      auto at = static_cast<std::size_t>((k * banks + b) * kLevels);
      for (const std::int16_t level : waitsAt[static_cast<std::size_t>(k)]) {
        const auto l = static_cast<std::size_t>(level);
        const int each = banks / nodes[l];
        waitPlaces[at] = nodeOfBank[l][static_cast<std::size_t>(b)] * commands + k;
        waitBanks[at++] = (each == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << each) - 1) << (b / each * each);
      }
    }
  findPlacesOfWide();
  findMarksOfBanks();
}

void DeviceSpec::findMarksOfBanks() {
  firstMark.push_back(0);
  for (const std::vector<Consequence> &of : consequences)
    for (std::size_t b = 0; b < static_cast<std::size_t>(banks); ++b) {
      for (const Consequence &c : of)
        marksOfBank.push_back(
            {nodeOfBank[static_cast<std::size_t>(c.level)][b] * commands + c.following, c.latency, c.perLength});
      firstMark.push_back(static_cast<std::int32_t>(marksOfBank.size()));
    }
}

// A node of a wide command's scope holds several of an inner level, and lies in one of an outer one.
void DeviceSpec::findPlacesOfWide() {
  marks.resize(static_cast<std::size_t>(commands));
  placesOfWide.resize(marks.size());
  isCounted.resize(marks.size());
  for (std::size_t k = 0; k < marks.size(); ++k) {
    isCounted[k] = std::any_of(windows.begin(), windows.end(), [k](const Window &w) { return w.counts[k]; });
    for (int first = 0; width[k] > 1 && first < banks; first += width[k]) {
      const auto forEachNode = [&](int level, const auto &visit) {
        const std::vector<std::int16_t> &nodeOf = nodeOfBank[static_cast<std::size_t>(level)];
        for (int b = first; b < first + width[k]; ++b)
          if (b == first || nodeOf[static_cast<std::size_t>(b)] != nodeOf[static_cast<std::size_t>(b - 1)])
            visit(nodeOf[static_cast<std::size_t>(b)] * commands);
      };
      std::vector<Mark> &held = marks[k].emplace_back();
      for (const Consequence &c : consequences[k])
        forEachNode(c.level, [&](int node) { held.push_back({node + c.following, c.latency, c.perLength}); });
      std::vector<std::int32_t> &places = placesOfWide[k].emplace_back();
      for (const std::int16_t level : waitsAt[k])
        forEachNode(level, [&](int node) { places.push_back(node + static_cast<int>(k)); });
    }
  }
}

Device::Device(const DeviceSpec &spec)
    : spec_(&spec),
      commands_(static_cast<std::size_t>(spec.commands)),
      next_(static_cast<std::size_t>(spec.allNodes * spec.commands), 0),
      banks_(static_cast<std::size_t>(spec.banks)) {
  std::size_t entries = 0;
  for (const DeviceSpec::Window &w : spec.windows)
    entries += static_cast<std::size_t>(w.size * spec.nodes[static_cast<std::size_t>(w.level)]);
  history_.assign(entries, kLongAgo);
}

Tick Device::earliestForAll(int command, int bank, Tick t) const {
  const auto k = static_cast<std::size_t>(command);
  const int width = spec_->width[k];
  if (width == 1) return earliest(command, bank, t);
  for (const std::int32_t place : spec_->placesOfWide[k][static_cast<std::size_t>(bank / width)])
    t = std::max(t, next_[static_cast<std::size_t>(place)]);
  return t;
}

Tick Device::idleAt(std::uint64_t banks) const {
  Tick t = 0;
  for (; banks != 0; banks &= banks - 1) t = std::max(t, bank(std::countr_zero(banks)).idleAt);
  return t;
}

std::uint64_t Device::holding(std::int32_t row, std::uint64_t banks) const {
  std::uint64_t out = 0;
  for (std::uint64_t m = banks & active_; m != 0; m &= m - 1)
    if (bank(std::countr_zero(m)).row == row) out |= m & -m;
  return out;
}

/// What others wait for now, at the nodes of `bank`.
[[gnu::always_inline]] inline void Device::record(int command, int bank, Tick t, std::int32_t length) {
  const auto k = static_cast<std::size_t>(command);
  const std::size_t place = k * banks_.size() + static_cast<std::size_t>(bank);
  const DeviceSpec::Mark *m = spec_->marksOfBank.data() + spec_->firstMark[place],
                         *end = spec_->marksOfBank.data() + spec_->firstMark[place + 1];
  for (; m != end; ++m) {
    Tick &n = next_[static_cast<std::size_t>(m->place)];
    n = std::max(n, t + m->latency + Tick{m->perLength} * length);
  }
  if (spec_->isCounted[k]) recordWindows(command, bank, t, -1);
}

/// The same without a bank: at the nodes of channel and pseudo channel alone.
void Device::recordOfPseudoChannel(int command, int bank, Tick t, std::int32_t length) {
  const auto k = static_cast<std::size_t>(command);
  for (const DeviceSpec::Consequence &c : spec_->consequences[k]) {
    if (c.level != static_cast<int>(machine::ScopeLevel::kChannel) &&
        c.level != static_cast<int>(machine::ScopeLevel::kPseudoChannel))
      continue;
    const auto node =
        static_cast<std::size_t>(spec_->nodeOfBank[static_cast<std::size_t>(c.level)][static_cast<std::size_t>(bank)]);
    Tick &n = next_[node * commands_ + static_cast<std::size_t>(c.following)];
    n = std::max(n, t + c.latency + Tick{c.perLength} * length);
  }
  if (spec_->isCounted[k]) recordWindows(command, bank, t, -1, false);
}

/// The same of all banks of the node that begins with bank `first`.
void Device::recordWide(int command, int first, Tick t, std::int32_t length) {
  const auto k = static_cast<std::size_t>(command);
  const int width = spec_->width[k];
  for (const DeviceSpec::Mark &m : spec_->marks[k][static_cast<std::size_t>(first / width)]) {
    Tick &n = next_[static_cast<std::size_t>(m.place)];
    n = std::max(n, t + m.latency + Tick{m.perLength} * length);
  }
  if (!spec_->isCounted[k]) return;
  for (int b = first; b < first + width; ++b) recordWindows(command, b, t, b == first ? -1 : b - 1);
}

/// In windows of nodes of `bank` that are not also nodes of bank `before` (-1: in all).
void Device::recordWindows(int command, int bank, Tick t, int before, bool hasBank) {
  std::size_t base = 0;
  for (const DeviceSpec::Window &w : spec_->windows) {
    const auto level = static_cast<std::size_t>(w.level);
    const std::vector<std::int16_t> &nodeOf = spec_->nodeOfBank[level];
    const auto b = static_cast<std::size_t>(bank);
    const bool isNamed = hasBank || w.level == static_cast<int>(machine::ScopeLevel::kChannel) ||
                         w.level == static_cast<int>(machine::ScopeLevel::kPseudoChannel);
    if (isNamed && w.counts[static_cast<std::size_t>(command)] &&
        (before < 0 || nodeOf[b] != nodeOf[static_cast<std::size_t>(before)])) {
      const auto node = static_cast<std::size_t>(nodeOf[b] - spec_->offset[level]);
      Tick *h = &history_[base + node * static_cast<std::size_t>(w.size)];
      std::copy(h + 1, h + w.size, h);
      h[w.size - 1] = t;
      Tick &n = next_[static_cast<std::size_t>(nodeOf[b]) * commands_ + static_cast<std::size_t>(w.following)];
      n = std::max(n, h[0] + w.latency);
    }
    base += static_cast<std::size_t>(w.size * spec_->nodes[level]);
  }
}

/// What the command does to one bank.
[[gnu::always_inline]] inline void Device::apply(machine::CommandKind kind, int bank, std::int32_t row,
                                                 std::int32_t opener, Tick t) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  Bank &b = banks_[static_cast<std::size_t>(bank)];
  switch (kind) {
    case CommandKind::kActivate:
      active_ |= bit;
      b.row = row;
      b.opener = opener;
      break;
    case CommandKind::kPrecharge:
      active_ &= ~bit;
      b.idleAt = t + spec_->prechargeTime;
      break;
    case CommandKind::kRefresh:
      b.idleAt = t + spec_->refreshTime;
      break;
    case CommandKind::kRead:
    case CommandKind::kWrite:
    case CommandKind::kBarrier:
      break;
  }
}

void Device::mark(int command, int bank, Tick t, bool isOfPseudoChannel, std::int32_t length) {
  if (isOfPseudoChannel && spec_->namedBankOnly) return recordOfPseudoChannel(command, bank, t, length);
  const int width = spec_->width[static_cast<std::size_t>(command)];
  if (width == 1 || spec_->namedBankOnly) return record(command, bank, t, length);
  recordWide(command, bank / width * width, t, length);
}

void Device::issue(int command, int bank, std::int32_t row, std::int32_t opener, Tick t, std::int32_t length) {
  const auto k = static_cast<std::size_t>(command);
  const machine::CommandKind kind = spec_->kind[k];
  const int width = spec_->width[k];
  if (width == 1) [[likely]] {
    record(command, bank, t, length);
    return apply(kind, bank, row, opener, t);
  }
  const int first = bank / width * width;
  recordWide(command, first, t, length);
  for (int b = first; b < first + width; ++b) {
    // A bank without an open row has nothing to precharge.
    if (kind != CommandKind::kPrecharge || isActive(b)) apply(kind, b, row, opener, t);
  }
}

void Device::encodeWaits(Tick now, StateWords &out) const {
  for (std::size_t i = 0; i < next_.size(); ++i)
    if (next_[i] > now) out.put(static_cast<std::int32_t>(i), static_cast<std::int32_t>(next_[i] - now));
}

void Device::restoreWaits(Tick now, StateReader &in) {
  std::fill(next_.begin(), next_.end(), 0);
  while (in.hasMore()) {
    const auto [i, wait] = in.getPair();
    if (i < 0) break;
    next_[static_cast<std::size_t>(i)] = now + wait;
  }
}

void Device::encodeBusyBanks(Tick now, StateWords &out) const {
  for (std::size_t b = 0; b < banks_.size(); ++b)
    if (banks_[b].idleAt > now)
      out.put(static_cast<std::int32_t>(b), static_cast<std::int32_t>(banks_[b].idleAt - now));
}

void Device::restoreBusyBanks(Tick now, StateReader &in) {
  for (Bank &b : banks_) b.idleAt = 0;
  while (in.hasMore()) {
    const auto [b, wait] = in.getPair();
    if (b < 0) break;
    banks_[static_cast<std::size_t>(b)].idleAt = now + wait;
  }
}

void Device::encodeWindows(Tick now, StateWords &out) const {
  std::size_t at = 0;
  for (const DeviceSpec::Window &w : spec_->windows) {
    const auto entries = static_cast<std::size_t>(w.size * spec_->nodes[static_cast<std::size_t>(w.level)]);
    for (std::size_t i = 0; i < entries; ++i, ++at)
      if (history_[at] + w.latency > now)
        out.put(static_cast<std::int32_t>(at), static_cast<std::int32_t>(now - history_[at]));
  }
}

void Device::restoreWindows(Tick now, StateReader &in) {
  std::fill(history_.begin(), history_.end(), kLongAgo);
  while (in.hasMore()) {
    const auto [at, age] = in.getPair();
    if (at < 0) break;
    history_[static_cast<std::size_t>(at)] = now - age;
  }
}

}  // namespace pimento::sim::dram
