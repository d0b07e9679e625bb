#include <algorithm>

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

void FourQueues::encodeQueues(const LoopsCursor &cursor, StateWords &out) const {
  out.put(static_cast<std::int32_t>(pim_.size()), static_cast<std::int32_t>(reads_.size()));
  out.put(static_cast<std::int32_t>(writes_.size()), static_cast<std::int32_t>(opening_.size()));
  for (const Requests *queue : {&pim_, &reads_, &writes_, &opening_})
    for (const Request &r : *queue) {
      const FlatLoops::FlatCommand &f = flatCommand(cursor, r.t.command);
      if (!spec_->rules[static_cast<std::size_t>(r.t.op)].needsRow) {  // of registers: no place matters
        out.put(r.t.command, 0);
        out.put(0);
        continue;
      }
      // Of linear commands columns stay where they are while rows are shifted.
      out.put(r.t.command, static_cast<std::int32_t>(r.t.row - rowsMoved(cursor, f)));
      out.put(r.t.column - (f.command.isLinear ? 0 : movedBy(cursor, f).column));
    }
  encodeAges(out);
}

void FourQueues::restoreQueues(const LoopsCursor &cursor, Tick now, StateReader &in) {
  const auto [pim, reads] = in.getPair();
  const auto [writes, openings] = in.getPair();
  const std::pair<Requests *, std::int32_t> queues[] = {
      {&pim_, pim}, {&reads_, reads}, {&writes_, writes}, {&opening_, openings}};
  for (const auto &[queue, size] : queues) {
    queue->clear();
    for (std::int32_t i = 0; i < size; ++i) {
      const auto [command, row] = in.getPair();
      const std::int64_t column = in.get();
      const FlatLoops::FlatCommand &f = flatCommand(cursor, command);
      Request r{now - 1, f.origin, -1};
      if (spec_->rules[static_cast<std::size_t>(r.t.op)].needsRow) {
        r.t.row = static_cast<std::int32_t>(row + rowsMoved(cursor, f));
        r.t.column = static_cast<std::int16_t>(column + (f.command.isLinear ? 0 : movedBy(cursor, f).column));
      }
      r.t.isBarrier = spec_->rules[static_cast<std::size_t>(r.t.op)].isBarrier;
      queue->push_back(r);
    }
  }
  restoreAges(now, in);
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
    case Part::kQueues:
      encodeQueues(cursor, out);
      out.put((isWriting_ ? 1 : 0) + (wasPim_ ? 2 : 0));
      out.put(static_cast<std::int64_t>(maintenance_.size()));
      for (const int bank : maintenance_) out.put(bank);
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
    case Part::kQueues: {
      restoreQueues(cursor, now, in);
      const std::int64_t w = in.get();
      isWriting_ = (w & 1) != 0;
      wasPim_ = (w & 2) != 0;
      maintenance_.resize(static_cast<std::size_t>(in.get()));
      for (int &bank : maintenance_) bank = static_cast<int>(in.get());
      lastData_ = now + in.get();
      return;
    }
    case Part::kRows:
      return restoreRows(cursor, in);
    case Part::kWaits:
      device_.restoreWaits(now, in);
      return device_.restoreWindows(now, in);
  }
}

}  // namespace pimento::sim::dram
