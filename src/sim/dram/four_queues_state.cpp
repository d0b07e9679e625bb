#include <algorithm>
#include <vector>

#include "pimento/sim/dram/four_queues.h"
#include "pimento/sim/dram/moved.h"

namespace pimento::sim::dram {

using program::FlatLoops;
using program::LoopsCursor;
using program::Transaction;

int FourQueues::commonDepth(const LoopsCursor &cursor) const {
  int depth = cursor.depth();
  for (const Requests *queue : {&opening_, &pim_, &reads_, &writes_})
    for (const Request &r : *queue)
      if (spec_->rules[static_cast<std::size_t>(r.t.op)].needsRow)
        depth = std::min(depth, loopsShared(cursor, flatCommand(cursor, r.t.command)));
  for (const OpenRows::Entry &e : rows_.entries())
    depth = std::min(depth, loopsShared(cursor, flatCommand(cursor, e.opener)));
  return depth;
}

bool FourQueues::mayFindWrite(const Crossings &crossings, const LoopsCursor &cursor, int depth) const {
  return std::any_of(writes_.begin(), writes_.end(), [&](const Request &w) {
    return loopsShared(cursor, flatCommand(cursor, w.t.command)) <= depth && crossings.mayFind(cursor, depth, w.t);
  });
}

// Columns are told apart where a read may find its address among the writes. Linear: the byte, without what loops add.
std::int64_t FourQueues::placeOf(const Transaction &t, std::int64_t moved, const FlatLoops::FlatCommand &f) const {
  if (!f.command.isLinear) return t.column - moved;
  if (t.op != spec_->read && t.op != spec_->write) return 0;
  return t.row * code_->rowBytes() + t.column * code_->burst() - moved;
}

std::int16_t FourQueues::columnAt(std::int64_t place, std::int64_t moved, const FlatLoops::FlatCommand &f) const {
  if (!f.command.isLinear) return static_cast<std::int16_t>(place + moved);
  if (f.origin.op != spec_->read && f.origin.op != spec_->write) return 0;
  return static_cast<std::int16_t>((place + moved) % code_->rowBytes() / code_->burst());
}

void FourQueues::encodeQueue(const Requests &queue, const LoopsCursor &cursor, StateWords &out) const {
  out.put(static_cast<std::int64_t>(queue.size()));
  for (const Request &r : queue) {
    const FlatLoops::FlatCommand &f = flatCommand(cursor, r.t.command);
    if (!spec_->rules[static_cast<std::size_t>(r.t.op)].needsRow) {  // of registers: no place matters
      out.put(r.t.command, 0);
      out.put(0);
      continue;
    }
    out.put(r.t.command, static_cast<std::int32_t>(r.t.row - rowsMoved(cursor, f)));
    out.put(placeOf(r.t, movedBy(cursor, f).column, f));
  }
}

void FourQueues::restoreQueue(Requests &queue, const LoopsCursor &cursor, Tick now, StateReader &in) const {
  queue.clear();
  for (std::int64_t left = in.get(); left > 0; --left) {
    const auto [command, row] = in.getPair();
    const std::int64_t place = in.get();
    const FlatLoops::FlatCommand &f = flatCommand(cursor, command);
    Request r{now - 1, f.origin, -1};
    const ChannelSpec::Rule &rule = spec_->rules[static_cast<std::size_t>(r.t.op)];
    if (rule.needsRow) {
      r.t.row = static_cast<std::int32_t>(row + rowsMoved(cursor, f));
      r.t.column = columnAt(place, movedBy(cursor, f).column, f);
    }
    r.t.isBarrier = rule.isBarrier;
    queue.push_back(r);
  }
}

// Whose turn it is among openings hangs on which came first, of all that are or may become openings.
void FourQueues::encodeAges(StateWords &out) const {
  std::vector<Tick> ages;
  for (const Requests *queue : {&reads_, &writes_, &opening_})
    for (const Request &r : *queue) ages.push_back(r.age);
  std::sort(ages.begin(), ages.end());
  ages.erase(std::unique(ages.begin(), ages.end()), ages.end());
  for (const Requests *queue : {&reads_, &writes_, &opening_})
    for (const Request &r : *queue) out.put(ages.end() - std::lower_bound(ages.begin(), ages.end(), r.age));
}

void FourQueues::restoreAges(Tick now, StateReader &in) {
  for (Requests *queue : {&reads_, &writes_, &opening_})
    for (Request &r : *queue) r.age = now - in.get();
}

void FourQueues::encodeRows(const LoopsCursor &cursor, StateWords &out) const {
  out.put(static_cast<std::int64_t>(rows_.entries().size()));
  for (const OpenRows::Entry &e : rows_.entries()) {
    out.put(static_cast<std::int32_t>(e.row - rowsMoved(cursor, flatCommand(cursor, e.opener))), e.opener);
    out.put(static_cast<std::int64_t>(e.banks));
  }
}

void FourQueues::restoreRows(const LoopsCursor &cursor, StateReader &in) {
  rows_.clear();
  for (std::int64_t n = in.get(); n > 0; --n) {
    const auto [row, opener] = in.getPair();
    const auto banks = static_cast<std::uint64_t>(in.get());
    rows_.add(banks, static_cast<std::int32_t>(row + rowsMoved(cursor, flatCommand(cursor, opener))), opener);
  }
  forgetRows(true, 0);
}

void FourQueues::encode(Part part, const LoopsCursor &cursor, Tick now, StateWords &out) const {
  switch (part) {
    case Part::kPim:
      out.put(wasPim_ ? 1 : 0);
      return encodeQueue(pim_, cursor, out);
    case Part::kReads:
      encodeQueue(reads_, cursor, out);
      return encodeQueue(opening_, cursor, out);
    case Part::kWrites:
      out.put(isWriting_ ? 1 : 0);
      encodeQueue(writes_, cursor, out);
      return encodeAges(out);
    case Part::kRefreshes:
      out.put(static_cast<std::int64_t>(maintenance_.size()));
      for (const int bank : maintenance_) out.put(bank);
      return;
    case Part::kData:
      return out.put(std::max<Tick>(lastData_ - now, 0));
    case Part::kRows:
      return encodeRows(cursor, out);
    case Part::kWaits:
      device_.encodeWaits(now, out);
      out.put(-1);
      device_.encodeWindows(now, out);
      return out.put(-1);
  }
}

void FourQueues::restore(Part part, const LoopsCursor &cursor, Tick now, StateReader &in) {
  switch (part) {
    case Part::kPim:
      wasPim_ = in.get() != 0;
      return restoreQueue(pim_, cursor, now, in);
    case Part::kReads:
      restoreQueue(reads_, cursor, now, in);
      return restoreQueue(opening_, cursor, now, in);
    case Part::kWrites:
      isWriting_ = in.get() != 0;
      restoreQueue(writes_, cursor, now, in);
      return restoreAges(now, in);
    case Part::kRefreshes:
      maintenance_.resize(static_cast<std::size_t>(in.get()));
      for (int &bank : maintenance_) bank = static_cast<int>(in.get());
      return;
    case Part::kData:
      lastData_ = now + in.get();
      return;
    case Part::kRows:
      return restoreRows(cursor, in);
    case Part::kWaits:
      device_.restoreWaits(now, in);
      return device_.restoreWindows(now, in);
  }
}

}  // namespace pimento::sim::dram
