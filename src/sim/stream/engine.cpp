#include "pimento/sim/stream/engine.h"

#include <algorithm>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::stream {

namespace {

using uncore::Access;
using uncore::Token;
using uncore::Traffic;

constexpr int kWhatShift = 60, kStrandShift = 48, kStreamShift = 42;
constexpr Token kNumberMask = (Token{1} << kStreamShift) - 1;
constexpr std::int64_t kMostLanes = 64;

}  // namespace

Engines Engines::of(const machine::Machine &machine) {
  const machine::StreamEngines &m = *machine.streams;
  // A load stream's share of a slice's buffer, where the streams of all cores are spread over the slices.
  const std::int64_t lines = m.buffer.value / machine.sharedCache->line.value / m.ofCore;
  return {m.computeStart, m.inFlight,  std::clamp<std::int64_t>(m.outstanding, 2, std::max<std::int64_t>(2, lines)),
          m.flowLines,    m.broadcast, m.configuration,
          m.element};
}

StreamEngines::StreamEngines(const machine::Machine &machine, const uncore::Slices &slices, const Engines &engines)
    : chip_(machine, slices, *this),
      engines_(engines),
      lineBytes_(slices.line.value),
      ring_(static_cast<std::size_t>(2 * engines.outstanding + kMostLanes)),
      units_(static_cast<std::size_t>(machine.noc->nodes()),
             std::vector<Tick>(static_cast<std::size_t>(engines.inFlight), 0)) {}

Token StreamEngines::token(What what, std::size_t strand, std::size_t stream, std::int64_t number) const {
  return static_cast<Token>(what) << kWhatShift | static_cast<Token>(strand) << kStrandShift |
         static_cast<Token>(stream) << kStreamShift | static_cast<Token>(number);
}

Node StreamEngines::homeOf(const Pattern &pattern, const Nest &nest, std::int64_t group) const {
  return chip_.home(pattern.address(nest, group));
}

/// Where a group is computed.
Node StreamEngines::consumerAt(const Run &r, std::int64_t group) const {
  const Strand &s = r.strand;
  if (s.consumer.use == Use::kCore) return s.core;
  const bool hasPlace = s.consumer.use != Use::kReduce && !s.consumer.indirect;
  return homeOf(hasPlace || s.loads.empty() ? s.consumer.pattern : s.loads.front().pattern, s.nest, group);
}

/// Does strand `s` walk the load itself?
bool StreamEngines::walksFor(const Run &r, std::size_t stream, std::size_t s) const {
  return !r.strand.loads[stream].isShared || r.first == s;
}

StreamTimes StreamEngines::run(std::vector<Strand> strands, Tick start) {
  runs_.clear();
  times_ = {};
  const auto broadcast = static_cast<std::size_t>(std::max<std::int64_t>(1, engines_.broadcast));
  for (Strand &strand : strands) {
    Run r;
    // What is updated is read first, where it is.
    if (strand.consumer.use == Use::kUpdate && !strand.consumer.indirect)
      strand.loads.push_back({Use::kLoad, strand.consumer.pattern});
    r.strand = std::move(strand);
    r.groups = r.strand.nest.groups();
    const std::size_t s = runs_.size();
    r.first = s / broadcast * broadcast;
    r.last = std::min(r.first + broadcast, strands.size());
    for (const std::size_t child : {2 * s + 1, 2 * s + 2}) r.children += child < strands.size() ? 1 : 0;
    for (const Stream &l : r.strand.loads) {
      Agent a;
      a.missing.assign(ring_, 1);
      a.visits.assign(ring_, {});
      a.allowed = 2 * engines_.flowLines;
      a.walk.emplace(r.strand.nest, (l.indirect ? r.strand.loads.front() : l).pattern, lineBytes_);
      if (!l.indirect) a.need = a.walk;
      r.loads.push_back(std::move(a));
    }
    if (r.strand.consumer.use == Use::kStore ||
        (r.strand.consumer.use == Use::kUpdate && !r.strand.consumer.indirect)) {
      r.line.emplace(r.strand.nest, r.strand.consumer.pattern, lineBytes_);
      r.after = r.line;
      r.after->next();
    }
    runs_.push_back(std::move(r));
  }
  for (std::size_t s = 0; s < runs_.size(); ++s) chip_.at(start, token(What::kWake, s, 0, 1));
  chip_.run();
  for (const Run &r : runs_) PIMENTO_CHECK(r.isOver);
  times_.cycles -= start;
  return times_;
}

/// The core tells the slices of the first lines what to do.
void StreamEngines::begin(std::size_t s, Tick now) {
  Run &r = runs_[s];
  const auto configure = [&](std::size_t stream, Node to) {
    Agent &a = agentOf(r, stream);
    a.at = to;
    ++times_.messages.configure;
    chip_.send(now, r.strand.core, to, engines_.configuration, Traffic::kOffload, token(What::kHere, s, stream, 0));
  };
  for (std::size_t i = 0; i < r.loads.size(); ++i) {
    const Stream &l = r.strand.loads[i];
    if (walksFor(r, i, s)) configure(i, l.indirect ? consumerAt(r, 0) : homeOf(l.pattern, r.strand.nest, 0));
  }
  const bool isAlone = r.strand.consumer.use == Use::kCore || r.strand.consumer.use == Use::kReduce;
  if (!isAlone) return configure(r.loads.size(), consumerAt(r, 0));
  r.consumer.at = consumerAt(r, 0);
  r.consumer.isThere = true;
}

void StreamEngines::migrate(std::size_t s, std::size_t stream, Node to, Tick now) {
  Agent &a = agentOf(runs_[s], stream);
  ++times_.messages.migrate;
  a.isThere = false;
  chip_.send(now, a.at, to, engines_.configuration, Traffic::kOffload, token(What::kHere, s, stream, 0));
  a.at = to;
}

/// Are its buffers free for one more line, at every strand that it walks for?
bool StreamEngines::hasRoom(std::size_t s, std::size_t stream) const {
  const Run &own = runs_[s];
  const bool isShared = own.strand.loads[stream].isShared;
  for (std::size_t q = isShared ? own.first : s; q < (isShared ? own.last : s + 1); ++q) {
    const Agent &a = runs_[q].loads[stream];
    const std::int64_t used = a.need ? a.need->number() : runs_[q].group;
    if (own.loads[stream].asked - used >= engines_.outstanding) return false;
  }
  return true;
}

void StreamEngines::ask(std::size_t s, std::size_t stream, Tick now) {
  Run &r = runs_[s];
  Agent &a = r.loads[stream];
  if (!walksFor(r, stream, s)) return;
  if (r.strand.loads[stream].indirect) return askElements(s, stream, now);
  if (!a.isThere || a.walk->isAtEnd() || a.asked >= a.allowed || !hasRoom(s, stream)) return;
  const Visit &v = a.walk->visit();
  const std::uint64_t address = v.line * static_cast<std::uint64_t>(lineBytes_);
  if (const Node home = chip_.home(address); home != a.at) return migrate(s, stream, home, now);
  if (a.next > now) {
    if (a.wake < a.next) chip_.at(a.wake = a.next, token(What::kWake, s, stream, 0));
    return;
  }
  const std::int64_t number = a.walk->number();
  a.visits[static_cast<std::size_t>(number) % ring_] = v;
  ++times_.lines;
  chip_.access(now, address, Access::kRead, token(What::kLine, s, stream, number));
  a.next = now + 1;
  ++a.asked;
  a.walk->next();
  if (a.asked % engines_.flowLines == 0) {
    ++times_.messages.flow;
    chip_.send(now, a.at, r.strand.core, Bytes(0), Traffic::kOffload, token(What::kTold, s, stream, 0));
  }
  if (!a.walk->isAtEnd() && a.wake < a.next) chip_.at(a.wake = a.next, token(What::kWake, s, stream, 0));
}

/// A request for each element of the next group whose indices are there.
void StreamEngines::askElements(std::size_t s, std::size_t stream, Tick now) {
  Run &r = runs_[s];
  Agent &a = r.loads[stream];
  const Stream &l = r.strand.loads[stream];
  while (a.isThere && a.asked < r.groups && a.asked - r.group < engines_.outstanding &&
         isReady(r.loads.front(), *a.walk, a.asked)) {
    const std::int64_t group = a.asked++, width = r.strand.nest.width(group);
    const Node from = consumerAt(r, group);
    a.missing[static_cast<std::size_t>(group) % ring_] = width;
    for (std::int64_t lane = 0; lane < width; ++lane) {
      ++times_.messages.indirect;
      chip_.send(now, from, chip_.home(l.indirect(group, lane)), engines_.element, Traffic::kControl,
                 token(What::kRequest, s, stream, group * kMostLanes + lane));
    }
  }
}

/// A line of a load goes where its consumers need it.
void StreamEngines::forward(std::size_t s, std::size_t stream, std::int64_t number, Tick now) {
  Run &own = runs_[s];
  const Agent &a = own.loads[stream];
  const Visit &v = a.visits[static_cast<std::size_t>(number) % ring_];
  const Node from = chip_.home(v.line * static_cast<std::uint64_t>(lineBytes_));
  const bool isShared = own.strand.loads[stream].isShared;
  for (std::size_t q = isShared ? own.first : s; q < (isShared ? own.last : s + 1); ++q) {
    const Node to = consumerAt(runs_[q], v.group);
    if (to != from) ++times_.messages.forward;
    chip_.send(now, from, to, Bytes(lineBytes_), Traffic::kData, token(What::kOperand, q, stream, number));
  }
}

void StreamEngines::deliver(std::size_t s, std::size_t stream, std::int64_t number, Tick now) {
  Agent &a = runs_[s].loads[stream];
  --a.missing[static_cast<std::size_t>(number) % ring_];
  for (std::size_t at = static_cast<std::size_t>(a.delivered) % ring_; a.missing[at] == 0;
       at = static_cast<std::size_t>(++a.delivered) % ring_)
    a.missing[at] = 1;
  goOn(s, now);
}

/// Are the lines there that this group needs? Groups are asked about in order.
bool StreamEngines::isReady(const Agent &lines, Walk &need, std::int64_t group) {
  while (!need.isAtEnd() && need.visit().group <= group) need.next();
  return lines.delivered >= (need.isAtEnd() ? need.number() + 1 : need.number());
}

Tick StreamEngines::unit(Node slice, Cycles latency, Tick now) {
  std::vector<Tick> &units = units_[static_cast<std::size_t>(slice)];
  Tick &free = *std::ranges::min_element(units);
  free = std::max(now, free) + engines_.computeStart.value + latency.value;
  return free;
}

void StreamEngines::compute(std::size_t s, Tick now) {
  Run &r = runs_[s];
  while (r.group < r.groups) {
    if (const Node at = consumerAt(r, r.group); r.consumer.at != at) {
      if (!r.consumer.isThere) return;
      // Where a load goes its sums go with it, without a message of their own.
      if (r.strand.consumer.use == Use::kReduce)
        r.consumer.at = at;
      else
        return migrate(s, r.loads.size(), at, now);
    }
    if (!r.consumer.isThere) return;
    for (Agent &a : r.loads)
      if (a.need ? !isReady(a, *a.need, r.group) : a.delivered <= r.group) return;
    const std::int64_t group = r.group++;
    if (r.strand.consumer.use == Use::kCore) {
      ++r.computed;
      continue;
    }
    ++times_.computations;
    chip_.at(unit(r.consumer.at, r.strand.latency, now), token(What::kComputed, s, 0, group));
  }
}

/// The last group that the line in hand needs.
std::int64_t StreamEngines::lastGroupOf(const Run &r) const {
  if (r.after->isAtEnd()) return r.groups - 1;
  const Visit &next = r.after->visit();
  const std::uint64_t first = r.strand.consumer.pattern.address(r.strand.nest, next.group);
  return first / static_cast<std::uint64_t>(lineBytes_) == next.line ? next.group - 1 : next.group;
}

void StreamEngines::write(std::size_t s, Tick now) {
  Run &r = runs_[s];
  while (r.line && !r.line->isAtEnd() && lastGroupOf(r) < r.computed) {
    const Visit &v = r.line->visit();
    const bool isWhole = r.strand.consumer.use == Use::kStore && v.bytes == lineBytes_;
    ++times_.lines;
    ++r.writes;
    chip_.access(now, v.line * static_cast<std::uint64_t>(lineBytes_), isWhole ? Access::kWriteWhole : Access::kWrite,
                 token(What::kWritten, s, 0, 0));
    if (r.writes % engines_.flowLines == 0) {
      ++times_.messages.flow;
      chip_.send(now, r.consumer.at, r.strand.core, Bytes(0), Traffic::kOffload,
                 token(What::kTold, s, r.loads.size(), 0));
    }
    r.line->next();
    r.after->next();
  }
}

void StreamEngines::checkEnd(std::size_t s, Tick now) {
  Run &r = runs_[s];
  if (r.isOver || r.computed < r.groups || r.written < r.writes || (r.line && !r.line->isAtEnd())) return;
  if (r.strand.consumer.use == Use::kReduce && r.children > 0) return;
  r.isOver = true;
  if (r.strand.consumer.use == Use::kCore) {
    times_.cycles = std::max(times_.cycles, now);
    return;
  }
  if (r.strand.consumer.use == Use::kReduce && s > 0) {
    ++times_.messages.partial;
    chip_.send(now, r.consumer.at, runs_[(s - 1) / 2].consumer.at, Bytes(lineBytes_), Traffic::kData,
               token(What::kPartial, (s - 1) / 2, 0, 0));
    return;
  }
  ++times_.messages.end;
  const Bytes result(r.strand.consumer.use == Use::kReduce ? lineBytes_ : 0);
  chip_.send(now, r.consumer.at, r.strand.core, result, Traffic::kOffload, token(What::kEnd, s, 0, 0));
}

/// Something has changed for a strand.
void StreamEngines::goOn(std::size_t s, Tick now) {
  compute(s, now);
  Run &r = runs_[s];
  for (std::size_t i = 0; i < r.loads.size(); ++i) ask(walksFor(r, i, s) ? s : r.first, i, now);
  if (r.strand.consumer.use == Use::kCore) checkEnd(s, now);
}

void StreamEngines::on(Token t, Tick now) {
  const auto what = static_cast<What>(t >> kWhatShift);
  const auto s = static_cast<std::size_t>(t >> kStrandShift & ((1U << (kWhatShift - kStrandShift)) - 1));
  const auto stream = static_cast<std::size_t>(t >> kStreamShift & ((1U << (kStrandShift - kStreamShift)) - 1));
  const auto number = static_cast<std::int64_t>(t & kNumberMask);
  Run &r = runs_[s];
  switch (what) {
    case What::kWake:
      if (number == 1) return begin(s, now);
      return ask(s, stream, now);
    case What::kHere:
      agentOf(r, stream).isThere = true;
      return goOn(s, now);
    case What::kLine:
      return forward(s, stream, number, now);
    case What::kOperand:
      return deliver(s, stream, number, now);
    case What::kComputed:
      ++r.computed;
      if (r.strand.consumer.indirect) {
        for (std::int64_t lane = 0; lane < r.strand.nest.width(number); ++lane, ++r.writes) {
          ++times_.messages.indirect;
          chip_.send(now, consumerAt(r, number), chip_.home(r.strand.consumer.indirect(number, lane)), engines_.element,
                     Traffic::kData, token(What::kRequest, s, r.loads.size(), number * kMostLanes + lane));
        }
      }
      write(s, now);
      return checkEnd(s, now);
    case What::kWritten:
      ++r.written;
      return checkEnd(s, now);
    case What::kTold:
      ++times_.messages.flow;
      return chip_.send(now, r.strand.core, agentOf(r, stream).at, Bytes(0), Traffic::kOffload,
                        token(What::kCredit, s, stream, 0));
    case What::kCredit:
      agentOf(r, stream).allowed += engines_.flowLines;
      return goOn(s, now);
    case What::kRequest: {
      const bool isUpdate = stream == r.loads.size();
      const Stream &of = isUpdate ? r.strand.consumer : r.strand.loads[stream];
      ++times_.lines;
      return chip_.access(now, of.indirect(number / kMostLanes, number % kMostLanes),
                          isUpdate ? Access::kWrite : Access::kRead,
                          token(isUpdate ? What::kUpdate : What::kElement, s, stream, number));
    }
    case What::kUpdate: {
      const Node home = chip_.home(r.strand.consumer.indirect(number / kMostLanes, number % kMostLanes));
      return chip_.at(unit(home, r.strand.latency, now), token(What::kWritten, s, 0, 0));
    }
    case What::kElement: {
      const std::int64_t group = number / kMostLanes;
      ++times_.messages.indirect;
      return chip_.send(now, chip_.home(r.strand.loads[stream].indirect(group, number % kMostLanes)),
                        consumerAt(r, group), engines_.element, Traffic::kData, token(What::kReply, s, stream, group));
    }
    case What::kReply:
      return deliver(s, stream, number, now);
    case What::kPartial:
      return chip_.at(unit(r.consumer.at, r.strand.latency, now), token(What::kAdded, s, 0, 0));
    case What::kAdded:
      --r.children;
      return checkEnd(s, now);
    case What::kEnd:
      times_.cycles = std::max(times_.cycles, now);
      return;
  }
}

}  // namespace pimento::sim::stream
