#include "pimento/sim/dram/fed_channels.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using program::Channels;
using program::Transaction;

template <typename Controller>
FedChannelsOf<Controller>::FedChannelsOf(const ChannelSpec &spec, const program::FlatLoops &code, int channels,
                                         CommandObserver *observer)
    : spec_(&spec),
      channels_(channels),
      observer_(observer),
      source_(code),
      crossings_(spec, code),
      refreshes_(spec, Controller::kRefreshesTogether) {
  PIMENTO_CHECK(channels >= 1 && channels <= kMostChannels);
  groups_.push_back({maskOf({}), Controller(spec, &code, observer)});
  for (const program::FlatLoops::FlatCommand &c : code.commands()) masks_.push_back(maskOf(c.command.channels));
}

template <typename Controller>
typename FedChannelsOf<Controller>::Mask FedChannelsOf<Controller>::maskOf(const Channels &c) const {
  if (c.count == 0) return channels_ == kMostChannels ? ~Mask{0} : (Mask{1} << channels_) - 1;
  Mask m = 0;
  for (int i = 0; i < c.count; ++i) m |= Mask{1} << ((c.first + i * c.step) % channels_);
  return m;
}

template <typename Controller>
Checkpoint FedChannelsOf<Controller>::run() {
  for (;;) {
    if (refreshes_.next() <= t_) {
      const std::uint64_t due = refreshes_.take(t_);
      for (Group &g : groups_) g.queues.requestRefresh(due);
      if (groups_.size() > 1) join();
      return {isStarved() ? Checkpoint::Kind::kStuck : Checkpoint::Kind::kEvent, -1};
    }
    feed();
    for (Group &g : groups_)
      if (g.queues.wake() <= t_) g.queues.cycle(t_);
    if (isDone()) return {Checkpoint::Kind::kDone, -1};
    t_ = nextTime();
    if (t_ >= kNever || (refreshes_.next() == kNever && isStarved())) return {Checkpoint::Kind::kStuck, -1};
    if (groups_.size() > 1 && t_ >= joinAt_) joinSoon();
    if (crossed_ >= 0) return {Checkpoint::Kind::kIteration, std::exchange(crossed_, -1)};
  }
}

template <typename Controller>
bool FedChannelsOf<Controller>::isDone() const {
  if (!source_.position().isDone()) return false;
  return std::all_of(groups_.begin(), groups_.end(),
                     [this](const Group &g) { return g.queues.isEmpty() && g.queues.lastData() <= t_; });
}

// Requests are refused until their channel changes, which is when it wakes.
template <typename Controller>
Tick FedChannelsOf<Controller>::nextTime() const {
  Tick next = kNever, data = t_;
  bool isEmpty = source_.position().isDone();
  for (const Group &g : groups_) {
    next = std::min(next, g.queues.wake());
    data = std::max(data, g.queues.lastData());
    isEmpty = isEmpty && g.queues.isEmpty();
    // A barrier may wait for data alone.
    if (spec_->awaitsData && g.queues.isEmpty() && g.queues.lastData() > t_) next = std::min(next, g.queues.lastData());
  }
  if (isEmpty) next = std::min(next, data);
  return std::max(t_ + 1, std::min(next, refreshes_.next()));
}

template <typename Controller>
bool FedChannelsOf<Controller>::isWorthCheckpointHere(int loop) const {
  const program::FlatLoops::Loop &l = source_.position().code().loops()[static_cast<std::size_t>(loop)];
  constexpr int kFewestToMemoise = 48;  // taking a state costs as much as simulating some twenty commands
  return l.commands >= kFewestToMemoise || (isWorthCheckpoint(l) && l.trip / l.recurrence >= 4 &&
                                            source_.position().counter(l.depth) % l.recurrence == 0);
}

template <typename Controller>
void FedChannelsOf<Controller>::feed() {
  while (!source_.position().isDone()) {
    const Transaction t = source_.position().peek();
    if (!deliver(t)) return;
    if (taken_.size() < watched_.size() && t.command == watched_[taken_.size()]) taken_.push_back(t_);
    served_ = 0;
    const int crossed = source_.advance();
    if (crossed >= 0 && isWorthCheckpointHere(crossed)) crossed_ = crossed;
  }
}

template <typename Controller>
void FedChannelsOf<Controller>::take(Group &g, const Transaction &t) {
  g.queues.take(t, t_, source_.mayContinue(t), observer_ == nullptr ? 0 : source_.burst(t));
}

template <typename Controller>
bool FedChannelsOf<Controller>::deliver(const Transaction &t) {
  const auto command = static_cast<std::size_t>(t.command);
  if (served_ == 0)
    if (const std::optional<bool> all = deliverToGroups(t, masks_[command])) return *all;
  return deliverInOrder(t, source_.position().code().commands()[command].command.channels);
}

// Where whole groups get the command, and all of them or none can take it, the order of channels does not matter.
template <typename Controller>
std::optional<bool> FedChannelsOf<Controller>::deliverToGroups(const Transaction &t, Mask to) {
  bool isTaken = false, isRefused = false;
  for (const Group &g : groups_) {
    if ((g.channels & to) == 0) continue;
    if ((g.channels & ~to) != 0) return std::nullopt;
    (g.queues.accepts(t, t_) ? isTaken : isRefused) = true;
  }
  if (isTaken && isRefused) return std::nullopt;
  if (isRefused) return false;
  for (Group &g : groups_)
    if ((g.channels & to) != 0) take(g, t);
  return true;
}

// Channels of a group answer alike. Those that a refusal keeps from the command are no longer like those that have it.
template <typename Controller>
bool FedChannelsOf<Controller>::deliverInOrder(const Transaction &t, const Channels &to) {
  const int count = to.count == 0 ? channels_ : to.count;
  Mask accepted = 0;
  bool isRefused = false;
  for (int i = 0; i < count && !isRefused; ++i) {
    const Mask bit = Mask{1} << ((to.first + i * to.step) % channels_);
    if ((served_ & bit) != 0) continue;
    for (const Group &g : groups_) {
      if ((g.channels & bit) == 0) continue;
      isRefused = (g.channels & accepted) == 0 && !g.queues.accepts(t, t_);
      break;
    }
    if (!isRefused) accepted |= bit;
  }
  const std::size_t before = groups_.size();
  for (std::size_t i = 0; i < before; ++i) {
    const Mask within = groups_[i].channels & accepted;
    if (within == 0) continue;
    if (within != groups_[i].channels) split(i, groups_[i].channels & ~within);
    take(groups_[i], t);
  }
  served_ |= accepted;
  return !isRefused;
}

template <typename Controller>
void FedChannelsOf<Controller>::split(std::size_t group, Mask apart) {
  Group other = groups_[group];
  other.channels = apart;
  groups_[group].channels &= ~apart;
  Group &unseen = (apart & 1U) != 0 ? groups_[group] : other;
  unseen.queues.setObserver(nullptr);
  groups_.push_back(std::move(other));
}

// Channels that a refusal has set apart are often alike again when the burst is over. Looking costs about as much as
// some cycles of them, so it is done rarely where it was in vain.
template <typename Controller>
void FedChannelsOf<Controller>::joinSoon() {
  const std::size_t before = groups_.size();
  join();
  joinPause_ = groups_.size() < before ? kShortestPause : std::min(2 * joinPause_, kLongestPause);
  joinAt_ = t_ + joinPause_;
}

template <typename Controller>
void FedChannelsOf<Controller>::join() {
  std::vector<StateWords> words(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (std::size_t p = 0; p < Controller::kParts.size(); ++p) {
      words[i].begin(p);
      groups_[i].queues.encode(static_cast<typename Controller::Part>(p), source_.position(), t_, words[i]);
    }
  }
  const ChannelCounts all = counts();
  std::vector<Group> joined;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const bool isServed = (served_ & groups_[i].channels) != 0;
    bool isNew = true;
    for (std::size_t j = 0; j < joined.size() && isNew; ++j) {
      if (((served_ & joined[j].channels) != 0) != isServed || !words[i].matches(words[from[j]], 0)) continue;
      isNew = false;
      joined[j].channels |= groups_[i].channels;
      if ((groups_[i].channels & 1U) != 0) joined[j].queues.setObserver(observer_);
    }
    if (!isNew) continue;
    joined.push_back(std::move(groups_[i]));
    from.push_back(i);
  }
  groups_ = std::move(joined);
  setCounts(all);
}

template <typename Controller>
ChannelCounts FedChannelsOf<Controller>::counts() const {
  ChannelCounts all = apart_;
  for (const Group &g : groups_) all.add(g.queues.counts(), std::popcount(g.channels));
  return all;
}

template <typename Controller>
void FedChannelsOf<Controller>::setCounts(const ChannelCounts &counts) {
  apart_ = counts;
  for (const Group &g : groups_) apart_.add(g.queues.counts(), -std::popcount(g.channels));
}

template <typename Controller>
bool FedChannelsOf<Controller>::isStarved() const {
  if (t_ - completion() <= spec_->patience) return false;
  return std::any_of(groups_.begin(), groups_.end(), [this](const Group &g) { return g.queues.isStarved(t_); });
}

template <typename Controller>
Cycles FedChannelsOf<Controller>::cycles() const {
  Cycles end;
  for (const Group &g : groups_) end = std::max(end, g.queues.end(t_));
  return end;
}

template <typename Controller>
Tick FedChannelsOf<Controller>::completion() const {
  Tick t = 0;
  for (const Group &g : groups_) t = std::max(t, g.queues.progress());
  return t;
}

template <typename Controller>
void FedChannelsOf<Controller>::setCompletion(Tick t) {
  for (Group &g : groups_) g.queues.setProgress(t);
}

// Loops around all commands whose rows wait or are open are shifted with them. One without one of these would move its
// rows past those that stay: then only within rows. One whose reads may come to a write that waits is not shifted.
template <typename Controller>
void FedChannelsOf<Controller>::encodeLoops(StateWords &out) const {
  const program::LoopsCursor &cursor = source_.position();
  int common = cursor.depth();
  for (const Group &g : groups_) common = std::min(common, g.queues.commonDepth(cursor));
  for (int d = 0; d < cursor.depth(); ++d) {
    const int loop = cursor.loopAt(d);
    const program::FlatLoops::Loop &l = cursor.code().loops()[static_cast<std::size_t>(loop)];
    const std::int64_t counter = cursor.counter(d);
    const bool isFixed = d >= common && l.moves;
    const auto mayFind = [&](const Group &g) { return g.queues.mayFindWrite(crossings_, cursor, d); };
    if (!l.isUniform || (isFixed && (l.recurrence == 1 || crossings_.movesRows(loop))) ||
        (l.moves && std::any_of(groups_.begin(), groups_.end(), mayFind)))
      out.put(counter);
    else if (l.recurrence > 1)
      out.put(static_cast<std::int32_t>(isFixed ? -2 - counter / l.recurrence : -1), crossings_.next(loop, counter));
  }
}

template <typename Controller>
void FedChannelsOf<Controller>::encode(StateWords &out) const {
  const program::LoopsCursor &cursor = source_.position();
  int part = 0;
  out.begin(part++);
  out.put(static_cast<std::int64_t>(groups_.size()));
  for (const Group &g : groups_) out.put(static_cast<std::int64_t>(g.channels));
  out.put(static_cast<std::int64_t>(served_));
  out.put(cursor.step());
  encodeLoops(out);
  for (std::size_t p = 0; p < Controller::kParts.size(); ++p) {
    out.begin(part++);
    for (const Group &g : groups_) g.queues.encode(static_cast<typename Controller::Part>(p), cursor, t_, out);
  }
  if constexpr (!Controller::kRefreshesTogether) {
    out.begin(part);
    refreshes_.encode(t_, out);
  }
}

template <typename Controller>
void FedChannelsOf<Controller>::restore(const StateWords &words, std::span<const program::LoopsCursor> positions,
                                        Tick now, bool withCountdowns) {
  source_.position() = positions.front();
  t_ = now;
  crossed_ = -1;
  joinAt_ = 0;
  StateReader in(words);
  int part = 0;
  in.begin(part++);
  groups_.resize(static_cast<std::size_t>(in.get()), groups_.front());
  for (Group &g : groups_) {
    g.channels = static_cast<Mask>(in.get());
    g.queues.setWake(t_);
  }
  served_ = static_cast<Mask>(in.get());
  for (std::size_t p = 0; p < Controller::kParts.size(); ++p) {
    in.begin(part++);
    for (Group &g : groups_) g.queues.restore(static_cast<typename Controller::Part>(p), source_.position(), t_, in);
  }
  if (!withCountdowns) return;
  if constexpr (Controller::kRefreshesTogether) {
    refreshes_.restart(t_);
  } else {
    in.begin(part);
    refreshes_.restore(t_, in);
  }
}

template class FedChannelsOf<FourQueues>;
template class FedChannelsOf<BarrierQueue>;

}  // namespace pimento::sim::dram
