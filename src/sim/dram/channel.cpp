#include "pimento/sim/dram/channel.h"

#include <algorithm>

namespace pimento::sim::dram {

using program::Transaction;

template <typename Source>
ChannelOf<Source>::ChannelOf(const ChannelSpec &spec, Source source, CommandObserver *observer)
    : spec_(&spec),
      isObserved_(observer != nullptr),
      source_(std::move(source)),
      controller_(spec, source_.code(), observer),
      refreshes_(spec, Controller::kRefreshesTogether) {}

template <typename Source>
Checkpoint ChannelOf<Source>::run() {
  for (;;) {
    if constexpr (!Source::kIsQueuedAtOnce)
      if (t_ > source_.horizon()) return {Checkpoint::Kind::kWaiting, -1};
    if (refreshes_.next() <= t_) {
      controller_.requestRefresh(refreshes_.take(t_));
      admit();
      return {isStarved() ? Checkpoint::Kind::kStuck : Checkpoint::Kind::kEvent, -1};
    }
    controller_.enterDueMode(t_);
    if (admit()) return {Checkpoint::Kind::kIteration, crossed_};
    if (controller_.isEmpty() && source_.isDone()) return {Checkpoint::Kind::kDone, -1};
    const FrFcfsBarrier::Decision decision = controller_.decide(t_);
    // The first cycle at which something from outside may change the answer.
    Tick limit = std::min(refreshes_.next(), controller_.modeAt()), arrival = controller_.nextArrival();
    if constexpr (!Source::kIsQueuedAtOnce) {
      limit = std::min(limit, source_.horizon() + 1);
      arrival = std::max(arrival, source_.arrival());
    }
    if (decision.isOpen && controller_.hasRoom() && !source_.isDone()) limit = std::min(limit, arrival + 1);
    if (decision.choice.time < limit) {
      controller_.execute(decision.choice);
      t_ = decision.choice.time + 1;
      // With refresh, events look for this, so that a fast-forwarded run stops in the same place.
      if (decision.choice.act == Act::kPrecharge && refreshes_.next() == kNever && isStarved())
        return {Checkpoint::Kind::kStuck, -1};
    } else if (decision.choice.act == Act::kNone && isStuck(decision)) [[unlikely]] {
      return {Checkpoint::Kind::kStuck, -1};
    } else {
      t_ = limit;
    }
  }
}

// One transaction enters the command queue per cycle while there is room. A host that has queued everything at cycle 0
// never lets the transaction queue behind it run dry. Returns true if that completed an iteration worth a look.
template <typename Source>
bool ChannelOf<Source>::admit() {
  bool isCrossed = false;
  while (controller_.nextArrival() < t_ && controller_.hasRoom() && !source_.isDone()) {
    const Tick next = controller_.nextArrival();
    const Tick at = Source::kIsQueuedAtOnce ? next : std::max(next, source_.arrival());
    if (!Source::kIsQueuedAtOnce && at >= t_) break;
    Transaction t = source_.peek();
    if constexpr (Source::kIsQueuedAtOnce) {
      // The transaction queue is exactly full and nothing has overflowed yet: the barrier has nowhere to go.
      if (spec_->losesBarriers && fetched_ + 1 == spec_->transactionQueue) t.isBarrier = false;
    } else if (controller_.isEmpty()) {
      controller_.endIdleTime(at);
    }
    controller_.take(t, at + 1, source_.mayContinue(t), isObserved_ ? source_.burst(t) : 0);
    ++fetched_;
    const int crossed = source_.advance();
    if constexpr (Source::kHasLoops)
      if (crossed >= 0 && fetched_ > spec_->transactionQueue &&
          isWorthCheckpoint(source_.position().code().loops()[static_cast<std::size_t>(crossed)])) {
        crossed_ = crossed;
        isCrossed = true;
      }
  }
  controller_.delayArrival(t_);
  return isCrossed;
}

// Nothing can issue now: could a mode change, an arrival or the precharges of a refresh change that?
template <typename Source>
bool ChannelOf<Source>::isStuck(const FrFcfsBarrier::Decision &decision) const {
  if (!controller_.isStill(refreshes_.next() != kNever)) return false;
  return !controller_.hasRoom() || source_.isDone() || controller_.nextArrival() == kNever || !decision.isOpen;
}

template <typename Source>
void ChannelOf<Source>::encode(StateWords &out) const
  requires(Source::kHasLoops)
{
  const program::LoopsCursor &cursor = source_.position();
  int part = 0;
  out.begin(part++);
  out.put(cursor.step());
  for (int d = 0; d < cursor.depth(); ++d)
    if (!cursor.code().loops()[static_cast<std::size_t>(cursor.loopAt(d))].isUniform) out.put(cursor.counter(d));
  out.begin(part++);
  out.put(std::min(fetched_, spec_->transactionQueue + 1));
  for (std::size_t p = 0; p < Controller::kParts.size(); ++p) {
    out.begin(part++);
    controller_.encode(static_cast<typename Controller::Part>(p), cursor, t_, out);
  }
  out.begin(part);
  refreshes_.encode(t_, out);
}

template <typename Source>
void ChannelOf<Source>::restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now,
                                bool withCountdowns)
  requires(Source::kHasLoops)
{
  source_.position() = positions.front();
  t_ = now;
  StateReader in(words);
  int part = 1;
  in.begin(part++);
  fetched_ = in.get();
  for (std::size_t p = 0; p < Controller::kParts.size(); ++p) {
    in.begin(part++);
    controller_.restore(static_cast<typename Controller::Part>(p), positions.front(), t_, in);
  }
  if (!withCountdowns) return;
  in.begin(part);
  refreshes_.restore(t_, in);
}

template class ChannelOf<LoopsSource>;
template class ChannelOf<ListSource>;
template class ChannelOf<RequestSource>;

}  // namespace pimento::sim::dram
