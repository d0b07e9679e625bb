#include "pimento/sim/dram/controller.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using program::Transaction;

FrFcfsBarrier::FrFcfsBarrier(const ChannelSpec &spec) : spec_(&spec) {
  for (int c = 0; c < spec.device.commands; ++c)
    hasWide_ |=
        spec.device.isColumn(c) && (spec.device.width[static_cast<std::size_t>(c)] > 1 || !spec.device.needsRow(c));
}

Choice FrFcfsBarrier::refreshChoice(const Situation &now) const {
  Choice best;
  const int perRank = spec_->device.banksPerRank;
  for (std::uint64_t ranks = now.pending; ranks != 0; ranks &= ranks - 1) {
    const int rank = std::countr_zero(ranks);
    const std::uint64_t mask = spec_->device.reach(spec_->refresh, rank * perRank);
    const std::uint64_t open = now.device.active() & mask;
    if (open == 0) {
      Tick at = now.device.earliestForAll(spec_->refresh, rank * perRank, now.now);
      if (spec_->refreshWaits) at = std::max(at, now.device.idleAt(mask));
      if (at < best.time) best = {at, Act::kRefresh, false, spec_->refresh, rank, 0};
    }
    for (std::uint64_t m = open; m != 0; m &= m - 1) {
      const int b = std::countr_zero(m);
      const Tick at = now.device.earliest(spec_->precharge, b, now.now);
      if (at < best.time) best = {at, Act::kPrecharge, false, spec_->precharge, b, 0};
    }
    considerWidePrecharge(now, open, best);
  }
  return best;
}

[[gnu::always_inline]] inline void FrFcfsBarrier::considerActivate(const Situation &now, int index, std::uint64_t &seen,
                                                                   Walk &walk) const {
  const Transaction &p = now.queue[index].first;
  const std::uint64_t bit = std::uint64_t{1} << p.bank;
  if (seen & bit) return;
  seen |= bit;
  if (now.refused & bit) return;
  // A refresh that waits for precharging banks must not be starved by new activates.
  if (spec_->refreshWaits && ((now.pending >> (p.bank / spec_->device.banksPerRank)) & 1U)) return;
  const Tick at = std::max(now.device.earliest(spec_->activate, p.bank, now.now), now.device.bank(p.bank).idleAt);
  if (at < walk.activate.time) walk.activate = {at, Act::kActivate, false, spec_->activate, index, p.bank};
}

// One pass from the head of the queue. Columns and wanted rows: up to the first barrier (a command tagged with one
// issues only from the head). Activates: up to the first barrier that is not the head.
template <bool kHasWide>
[[gnu::always_inline]] inline FrFcfsBarrier::Walk FrFcfsBarrier::walkQueue(const Situation &now) const {
  Walk w;
  const Device &device = now.device;
  const CommandQueue &queue = now.queue;
  const Tick t = now.now;
  std::uint64_t idleSeen = 0;
  int lastBank = -1, lastCommand = -1;
  const int runs = queue.runs();
  for (int i = 0; i < runs; ++i) {
    const Transaction &p = queue[i].first;
    const bool isLater = i > 0 && p.isBarrier;
    if (kHasWide && p.isWide) {
      considerWide(now, i, isLater, idleSeen, w);
    } else if (device.isActive(p.bank)) {
      const std::uint64_t bit = std::uint64_t{1} << p.bank;
      if (device.bank(p.bank).row != p.row) {
        w.conflicted |= bit;
      } else {
        w.needed |= bit;
        // A command behind an equal one can never be first.
        if (!isLater && !(lastBank == p.bank && lastCommand == p.op)) {
          const Tick at = device.earliest(p.op, p.bank, t);
          const int place = at < w.column.time ? firstWithoutHazard<kHasWide>(now, i) : -1;
          if (place >= 0) {
            w.column = {at, Act::kColumn, false, p.op, i, place};
            if (at <= t) return w;  // nothing in the queue goes before it
            lastBank = p.bank;
            lastCommand = p.op;
          }
        }
      }
    } else if (!isLater) {
      considerActivate(now, i, idleSeen, w);
    }
    if (!p.isBarrier) continue;
    if (isLater) {
      w.isOpen = false;
      return w;
    }
    // The head carries the barrier: rows of the next group may open early, nothing else.
    for (int j = 1; j < runs; ++j) {
      const Transaction &q = queue[j].first;
      if (q.isBarrier) {
        w.isOpen = false;
        return w;
      }
      if (kHasWide && q.isWide)
        considerWideActivate(now, j, idleSeen, w);
      else if (!device.isActive(q.bank))
        considerActivate(now, j, idleSeen, w);
    }
    return w;
  }
  return w;
}

void FrFcfsBarrier::considerWideColumn(const Situation &now, int index, Walk &walk) const {
  const Transaction &p = now.queue[index].first;
  const Tick at = now.device.earliestForAll(p.op, p.bank, now.now);
  const int place = at < walk.column.time ? firstWithoutHazard<true>(now, index) : -1;
  if (place >= 0) walk.column = {at, Act::kColumn, false, p.op, index, place};
}

// A command of many banks goes when its row is open in all of them; until then, banks that a wide activate waits for
// are in its way even where they hold the row.
void FrFcfsBarrier::considerWide(const Situation &now, int index, bool isLater, std::uint64_t &seen, Walk &walk) const {
  const Transaction &p = now.queue[index].first;
  if (!spec_->device.needsRow(p.op)) {
    if (!isLater) considerWideColumn(now, index, walk);
    return;
  }
  const std::uint64_t banks = spec_->reach(p), open = now.device.active() & banks;
  const std::uint64_t holding = now.device.holding(p.row, banks);
  if (holding == banks) {
    walk.needed |= banks;
    if (!isLater) considerWideColumn(now, index, walk);
    return;
  }
  const bool isWide = spec_->wideActivate[static_cast<std::size_t>(p.op)] >= 0;
  walk.conflicted |= isWide ? open : open & ~holding;
  if (!isWide) walk.needed |= holding;
  if (!isLater) considerWideActivate(now, index, seen, walk);
}

void FrFcfsBarrier::considerWideActivate(const Situation &now, int index, std::uint64_t &seen, Walk &walk) const {
  const Transaction &p = now.queue[index].first;
  if (!spec_->device.needsRow(p.op)) return;
  const std::uint64_t banks = spec_->reach(p);
  const int wide = spec_->wideActivate[static_cast<std::size_t>(p.op)];
  std::uint64_t free = banks & ~seen & ~now.refused & ~now.device.active();
  seen |= banks;
  if (spec_->refreshWaits)
    for (std::uint64_t ranks = now.pending; ranks != 0; ranks &= ranks - 1)
      free &= ~spec_->device.reach(spec_->refresh, std::countr_zero(ranks) * spec_->device.banksPerRank);
  if (wide >= 0) {
    if (free != banks) return;
    const Tick at = std::max(now.device.earliestForAll(wide, p.bank, now.now), now.device.idleAt(banks));
    if (at < walk.activate.time) walk.activate = {at, Act::kActivate, false, wide, index, p.bank};
    return;
  }
  for (; free != 0; free &= free - 1) {
    const int b = std::countr_zero(free);
    const Tick at = std::max(now.device.earliest(spec_->activate, b, now.now), now.device.bank(b).idleAt);
    if (at < walk.activate.time) walk.activate = {at, Act::kActivate, false, spec_->activate, index, b};
  }
}

// An older command to the same burst goes first. Position in the run of the first command that has none, or -1.
template <bool kHasWide>
int FrFcfsBarrier::firstWithoutHazard(const Situation &now, int index) const {
  const CommandQueue::Run &run = now.queue[index];
  for (int k = 0; k < run.length; ++k) {
    bool isFree = true;
    for (int i = 0; i < index && isFree; ++i) {
      const CommandQueue::Run &q = now.queue[i];
      const int distance = run.first.column + k - q.first.column;
      const bool meet = kHasWide ? spec_->meet(q.first, run.first) : q.first.bank == run.first.bank;
      isFree = !meet || q.first.row != run.first.row || distance < 0 || distance >= q.length;
    }
    if (isFree) return k;
  }
  return -1;
}

// Rows that the current barrier group does not want are closed early; the round-robin pointer breaks ties and stays
// where it closed one.
inline Choice FrFcfsBarrier::prechargeChoice(const Situation &now, const Walk &walk) const {
  Choice best;
  std::uint64_t candidates = now.device.active() & ~walk.needed;
  if (!spec_->isEagerPrecharge) candidates &= walk.conflicted;
  const int all = spec_->device.banks;
  int bestDistance = 0;
  for (std::uint64_t m = candidates; m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    const Tick at = now.device.earliest(spec_->precharge, b, now.now);
    if (at > best.time) continue;
    const int distance = (turnOf(b) - pointer_ + all) % all;
    if (at < best.time || distance < bestDistance) {
      best = {at, Act::kPrecharge, true, spec_->precharge, b, 0};
      bestDistance = distance;
    }
  }
  considerWidePrecharge(now, candidates, best);
  return best;
}

/// One precharge in place of several, where it comes no later than the first of them. Rows with a meaning close one by
/// one: mode changes count the banks.
inline void FrFcfsBarrier::considerWidePrecharge(const Situation &now, std::uint64_t candidates, Choice &best) const {
  for (const int command : spec_->widePrecharges) {
    std::uint64_t left = candidates;
    while (left != 0) {
      const int b = std::countr_zero(left);
      const std::uint64_t banks = spec_->device.reach(command, b);
      left &= ~banks;
      if ((now.device.active() & banks & ~candidates) != 0 || std::popcount(candidates & banks) < 2) continue;
      bool hasMeaning = false;
      if (!spec_->modes.reservedRows.empty())
        for (std::uint64_t m = candidates & banks; m != 0; m &= m - 1)
          hasMeaning |= now.device.bank(std::countr_zero(m)).row >= spec_->modes.reservedRows.front();
      if (hasMeaning) continue;
      const Tick at = now.device.earliestForAll(command, b, now.now);
      if (at <= best.time) best = {at, Act::kPrecharge, false, command, b, 0};
    }
  }
}

FrFcfsBarrier::Decision FrFcfsBarrier::decide(const Situation &now) const {
  Decision d;
  Choice &best = d.choice;
  if (now.pending != 0) best = refreshChoice(now);
  const Walk walk = hasWide_ ? walkQueue<true>(now) : walkQueue<false>(now);
  d.isOpen = walk.isOpen;
  if (walk.column.time < best.time) best = walk.column;
  if (walk.activate.time < best.time) best = walk.activate;
  // A precharge comes last where times tie, and no sooner than now.
  if (best.time <= now.now) return d;
  if (const Choice pre = prechargeChoice(now, walk); pre.time < best.time) best = pre;
  return d;
}

}  // namespace pimento::sim::dram
