#include "pimento/sim/uncore/uncore.h"

#include <algorithm>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/sim/dram/address_map.h"

namespace pimento::sim::uncore {

namespace {

/// Cycles that memory is worked on at a time: less than any data take, so that no answer is found too late.
constexpr dram::Tick kMemoryStep = 16;

}  // namespace

Slices Slices::of(const machine::Machine &machine) {
  Slices s;
  if (machine.sharedCache) {
    const machine::SharedCache &l = *machine.sharedCache;
    s.size = l.size;
    s.ways = l.ways;
    s.line = l.line;
    s.interleave = l.interleave;
    s.latency = l.latency;
    s.ports = l.ports;
    s.replacement = l.replacement;
    s.longEvery = l.longEvery;
  }
  const machine::Noc &noc = *machine.noc;
  for (std::int64_t c = 0; c < machine.dram->organization.channels; ++c)
    s.controllers.push_back(static_cast<Node>(c / 2 % noc.rows * noc.columns + (c % 2 == 0 ? 0 : noc.columns - 1)));
  return s;
}

Uncore::Uncore(const machine::Machine &machine, const Slices &slices, Client &client)
    : machine_(machine),
      slices_(slices),
      client_(client),
      messages_(*machine.noc),
      memory_(*machine.dram),
      clocks_(machine) {
  PIMENTO_CHECK(static_cast<std::int64_t>(slices.controllers.size()) == machine.dram->organization.channels);
  PIMENTO_CHECK(slices.interleave.value >= slices.line.value && slices.interleave.value % slices.line.value == 0);
  const auto nodes = static_cast<std::size_t>(machine.noc->nodes());
  const std::int64_t sets = slices.size.value / (slices.line.value * slices.ways);
  tags_.reserve(nodes);
  for (std::size_t n = 0; n < nodes; ++n)
    tags_.emplace_back(cache::Tags::Shape{
        .sets = sets, .ways = slices.ways, .replacement = slices.replacement, .longEvery = slices.longEvery});
  ports_.assign(nodes, Calendar(slices.ports));
}

// Lines of a slice are numbered without gaps, so that they use all its sets.
std::uint64_t Uncore::inSlice(std::uint64_t line) const {
  const auto piece = static_cast<std::uint64_t>(slices_.interleave.value / slices_.line.value);
  return line / (piece * tags_.size()) * piece + line % piece;
}

std::uint64_t Uncore::lineOf(Node slice, std::uint64_t number) const {
  const auto piece = static_cast<std::uint64_t>(slices_.interleave.value / slices_.line.value);
  return (number / piece * tags_.size() + static_cast<std::uint64_t>(slice)) * piece + number % piece;
}

Node Uncore::controllerOf(std::uint64_t line) const {
  const dram::Place place =
      dram::placeOf(machine_.dram->organization, line * static_cast<std::uint64_t>(slices_.line.value));
  return slices_.controllers[static_cast<std::size_t>(place.channel)];
}

void Uncore::at(Tick time, Token token) {
  push(time, Kind::kToken, token);
}

void Uncore::send(Tick time, Node from, Node to, Bytes data, Traffic traffic, Token token) {
  post(time, from, to, data, traffic, Kind::kToken, token);
}

void Uncore::multicast(Tick time, Node from, const std::vector<Node> &to, Bytes data, Traffic traffic, Token token) {
  messages_.multicast(time, from, to, machine_.noc->flits(data), traffic, {Kind::kToken, token});
}

std::uint64_t Uncore::keepAsked(const Asked &asked) {
  if (unused_.empty()) {
    asked_.push_back(asked);
    return asked_.size() - 1;
  }
  const std::uint64_t place = unused_.back();
  unused_.pop_back();
  asked_[static_cast<std::size_t>(place)] = asked;
  return place;
}

Uncore::Asked Uncore::takeAsked(std::uint64_t place) {
  unused_.push_back(place);
  return asked_[static_cast<std::size_t>(place)];
}

void Uncore::access(Tick time, std::uint64_t address, Access what, Token token) {
  ++(what == Access::kRead ? counts_.reads : counts_.writes);
  push(time, Kind::kLook, keepAsked({address / static_cast<std::uint64_t>(slices_.line.value), token, what}));
}

void Uncore::store(Tick time, Node from, std::uint64_t address, Token token) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  post(time, from, controllerOf(line), slices_.line, Traffic::kData, Kind::kStored,
       keepAsked({line, token, Access::kWriteWhole}));
}

void Uncore::look(const Asked &asked, Tick now) {
  const Node slice = homeOfLine(asked.line);
  Tick done = ports_[static_cast<std::size_t>(slice)].take(now) + slices_.latency.value;
  const std::uint64_t address = asked.line * static_cast<std::uint64_t>(slices_.line.value);
  if (delay_) done = delay_(address, done);
  if (tags(slice).use(inSlice(asked.line), asked.what != Access::kRead)) return at(done, asked.token);
  if (const auto coming = coming_.find(asked.line); coming != coming_.end()) {
    ++counts_.merged;
    coming->second.push_back(asked);
    return;
  }
  const bool isPresent =
      std::ranges::any_of(present_, [&](const auto &r) { return r.first <= address && address < r.second; });
  if (isPresent) {
    keep(asked.line, asked.what != Access::kRead, done);
    return at(done, asked.token);
  }
  if (asked.what == Access::kWriteWhole) {
    keep(asked.line, true, done);
    return at(done, asked.token);
  }
  ++counts_.misses;
  coming_.emplace(asked.line, std::vector<Asked>{asked});
  post(done, slice, controllerOf(asked.line), Bytes(0), Traffic::kControl, Kind::kAskMemory, asked.line);
}

/// A line is in its slice from here on.
void Uncore::keep(std::uint64_t line, bool isDirty, Tick now) {
  const Node slice = homeOfLine(line);
  const auto victim = tags(slice).bringIn(inSlice(line), isDirty);
  if (!victim || !victim->isDirty) return;
  ++counts_.writeBacks;
  const std::uint64_t gone = lineOf(slice, victim->line);
  post(now, slice, controllerOf(gone), slices_.line, Traffic::kData, Kind::kStoreMemory, gone);
}

void Uncore::fill(std::uint64_t line, Tick now) {
  const auto coming = coming_.find(line);
  const std::vector<Asked> waiting = std::move(coming->second);
  coming_.erase(coming);
  keep(line, std::ranges::any_of(waiting, [](const Asked &a) { return a.what != Access::kRead; }), now);
  for (const Asked &a : waiting) at(now, a.token);
}

void Uncore::askMemory(std::uint64_t line, bool isWrite, Tick now) {
  const std::int64_t burst = machine_.dram->organization.burst.value;
  const std::uint64_t address = line * static_cast<std::uint64_t>(slices_.line.value);
  const dram::Tick time = std::max(clocks_.toMemory(now), worked_);
  std::int64_t request = 0;
  for (std::int64_t byte = 0; byte < slices_.line.value; byte += burst, ++inMemory_)
    request = memory_.request(time, address + static_cast<std::uint64_t>(byte), isWrite);
  if (!isWrite) reading_.emplace(request, line);  // the last burst ends it
}

void Uncore::handle(const What &what, Tick now) {
  switch (what.kind) {
    case Kind::kToken:
      return client_.on(what.what, now);
    case Kind::kLook:
      return look(takeAsked(what.what), now);
    case Kind::kAskMemory:
    case Kind::kStoreMemory:
      return askMemory(what.what, what.kind == Kind::kStoreMemory, now);
    case Kind::kStored: {
      const Asked asked = takeAsked(what.what);
      askMemory(asked.line, true, now);
      return at(now, asked.token);
    }
    case Kind::kFill:
      return fill(what.what, now);
  }
}

void Uncore::takeAnswers() {
  for (const dram::Answer &a : memory_.takeAnswers()) {
    --inMemory_;
    const auto reading = reading_.find(a.request);
    if (reading == reading_.end()) continue;
    const std::uint64_t line = reading->second;
    reading_.erase(reading);
    const Tick time = clocks_.toCore(a.time);
    last_ = std::max(last_, time);
    // The packet leaves when its data are there.
    post(time, controllerOf(line), homeOfLine(line), slices_.line, Traffic::kData, Kind::kFill, line);
  }
}

Tick Uncore::run() {
  while (true) {
    const Tick next = messages_.next();
    if (inMemory_ > 0 && clocks_.toCore(worked_ + kMemoryStep) <= next) {
      worked_ += kMemoryStep;
      memory_.workUntil(worked_);
      takeAnswers();
      continue;
    }
    if (next == noc::Network::kNever) return last_;
    const auto event = messages_.step();
    if (!event) continue;
    if (inMemory_ == 0) worked_ = std::max(worked_, clocks_.toMemory(event->time));
    last_ = std::max(last_, event->time);
    handle(event->payload, event->time);
  }
}

void Uncore::warm(std::uint64_t address, bool isDirty) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  cache::Tags &slice = tags(homeOfLine(line));
  if (!slice.use(inSlice(line), isDirty)) slice.bringIn(inSlice(line), isDirty);
}

void Uncore::drop(std::uint64_t address) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  tags(homeOfLine(line)).takeOut(inSlice(line));
}

std::vector<std::uint64_t> Uncore::restrict(Node slice, int ways) {
  std::vector<std::uint64_t> dirty = tags(slice).restrict(ways);
  for (std::uint64_t &line : dirty) line = lineOf(slice, line) * static_cast<std::uint64_t>(slices_.line.value);
  std::ranges::sort(dirty);
  return dirty;
}

bool Uncore::holds(std::uint64_t address) const {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  return tags_[static_cast<std::size_t>(homeOfLine(line))].has(inSlice(line));
}

}  // namespace pimento::sim::uncore
