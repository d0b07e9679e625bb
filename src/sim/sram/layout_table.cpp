#include "pimento/sim/sram/layout_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::sim::sram {

LayoutTable::Release LayoutTable::Release::of(const machine::Sram::Control &control) {
  return {control.releaseRequests, control.releaseTimer, control.missWindow, control.releaseMisses};
}

LayoutTable::LayoutTable(const machine::Sram &sram, const Release &release)
    : sram_(sram),
      release_(release),
      entries_(static_cast<std::size_t>(sram.regions)),
      missed_(static_cast<std::size_t>(release.window), false) {}

LayoutTable::Entry &LayoutTable::entry(int region) {
  PIMENTO_CHECK(region >= 0 && region < static_cast<int>(entries_.size()));
  PIMENTO_CHECK(entries_[static_cast<std::size_t>(region)].isUsed);
  return entries_[static_cast<std::size_t>(region)];
}

const LayoutTable::Entry &LayoutTable::entry(int region) const {
  return const_cast<LayoutTable *>(this)->entry(region);
}

std::int64_t LayoutTable::tilesAlong(const Region &r, std::size_t dim) const {
  return ceilDiv(r.size[dim], r.tile[dim]);
}

Result<int> LayoutTable::add(const Region &r) {
  const auto wrong = [](std::string message, std::string hint) {
    return error("illegal-region", {}, std::move(message), std::move(hint));
  };
  std::int64_t elements = 1, tile = 1, tiles = 1;
  for (std::size_t d = 0; d < kMostDims; ++d) {
    if (r.size[d] < 1 || r.tile[d] < 1) return wrong("a region or a tile of no elements", "use extents of 1 or more");
    elements = multiplySaturated(elements, r.size[d]);
    tile = multiplySaturated(tile, r.tile[d]);
    tiles = multiplySaturated(tiles, tilesAlong(r, d));
  }
  const auto bytes = static_cast<std::int64_t>(r.end - r.base);
  if (r.end <= r.base || r.elementBytes < 1 || multiplySaturated(elements, r.elementBytes) != bytes)
    return wrong(fmt::format("a region of {} bytes has {} elements of {} bytes", bytes, elements, r.elementBytes),
                 "its end is its base and its elements' bytes");
  if (tile != sram_.bitlines)
    return wrong(fmt::format("a tile of {} elements in an array of {} bitlines", tile, sram_.bitlines),
                 "a tile is what an array holds");
  if (tiles > sram_.arrays())
    return wrong(fmt::format("{} tiles, and {} arrays", tiles, sram_.arrays()), "use a smaller array");
  int free = -1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry &e = entries_[i];
    if (!e.isUsed && free < 0) free = static_cast<int>(i);
    if (e.isUsed && r.base < e.region.end && e.region.base < r.end)
      return wrong("bytes of another region", "give back that one first");
  }
  if (free < 0)
    return capacityError("capacity", {},
                         fmt::format("the layout override table has room for {} regions", entries_.size()),
                         "let the program use fewer arrays at a time");
  entries_[static_cast<std::size_t>(free)] = {r, true, false, State::kNormal, 0, 0};
  return free;
}

void LayoutTable::remove(int region) {
  Entry &e = entry(region);
  PIMENTO_CHECK(e.state == State::kNormal);
  e = {};
}

std::optional<int> LayoutTable::find(std::uint64_t address) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (const Entry &e = entries_[i]; e.isUsed && address >= e.region.base && address < e.region.end)
      return static_cast<int>(i);
  return std::nullopt;
}

LayoutTable::State LayoutTable::state(int region) const {
  return entry(region).state;
}

Bytes LayoutTable::saved() const {
  // base, end, size, dim, sizes and tiles by dim, first wordline, state
  constexpr std::int64_t kBits = 48 + 48 + 8 + 2 + 2 * kMostDims * 32 + 10 + 2;
  return Bytes(ceilDiv(count() * kBits, 8));
}

int LayoutTable::count() const {
  int n = 0;
  for (const Entry &e : entries_) n += e.isUsed ? 1 : 0;
  return n;
}

void LayoutTable::fetch(int region) {
  Entry &e = entry(region);
  PIMENTO_CHECK(e.state == State::kNormal && !isLocked_);
  e.state = State::kBlocked;
  e.isFetching = true;
}

void LayoutTable::fetched(int region, std::int64_t now) {
  Entry &e = entry(region);
  PIMENTO_CHECK(e.isFetching);
  e.isFetching = false;
  e.state = State::kTransposed;
  e.requests = 0;
  e.since = now;
}

void LayoutTable::lock() {
  PIMENTO_CHECK(!isLocked_);
  for (Entry &e : entries_) {
    PIMENTO_CHECK(!e.isFetching);
    if (e.isUsed && e.state == State::kTransposed) e.state = State::kBlocked;
  }
  isLocked_ = true;
}

void LayoutTable::unlock(std::int64_t now) {
  PIMENTO_CHECK(isLocked_);
  isLocked_ = false;
  for (Entry &e : entries_)
    if (e.isUsed && e.state == State::kBlocked) {
      e.state = State::kTransposed;
      e.requests = 0;
      e.since = now;
    }
}

void LayoutTable::release(int region) {
  Entry &e = entry(region);
  PIMENTO_CHECK(e.state == State::kTransposed);
  e.state = State::kNormal;
}

LayoutTable::Verdict LayoutTable::core(std::uint64_t address) {
  const std::optional<int> region = find(address);
  if (!region) return Verdict::kNormal;
  Entry &e = entry(*region);
  if (e.state == State::kNormal) return Verdict::kNormal;
  if (e.state == State::kBlocked) return Verdict::kWaits;
  ++e.requests;
  return Verdict::kTransposed;
}

LayoutTable::Verdict LayoutTable::stream(std::uint64_t address) const {
  const std::optional<int> region = find(address);
  if (!region || entry(*region).state == State::kNormal) return Verdict::kNormal;
  return entry(*region).isFetching ? Verdict::kWaits : Verdict::kTransposed;
}

void LayoutTable::sawAccess(bool isMiss) {
  misses_ += (isMiss ? 1 : 0) - (missed_[nextAccess_] ? 1 : 0);
  missed_[nextAccess_] = isMiss;
  nextAccess_ = nextAccess_ + 1 == missed_.size() ? 0 : nextAccess_ + 1;
}

std::optional<LayoutTable::Reason> LayoutTable::due(int region, std::int64_t now) const {
  const Entry &e = entry(region);
  if (e.state != State::kTransposed) return std::nullopt;
  if (e.requests > release_.requests) return Reason::kRequests;
  if (misses_ > release_.misses) return Reason::kMisses;
  if (now - e.since > release_.timer.value) return Reason::kTimer;
  return std::nullopt;
}

LayoutTable::Place LayoutTable::placeOf(int region, std::uint64_t address) const {
  const Region &r = entry(region).region;
  PIMENTO_CHECK(address >= r.base && address < r.end);
  auto element = static_cast<std::int64_t>(address - r.base) / r.elementBytes;
  std::int64_t tile = 0, tileStride = 1, bitline = 0, stride = 1;
  for (std::size_t d = 0; d < kMostDims; ++d) {
    const std::int64_t at = element % r.size[d];
    element /= r.size[d];
    tile += at / r.tile[d] * tileStride;
    bitline += at % r.tile[d] * stride;
    tileStride *= tilesAlong(r, d);
    stride *= r.tile[d];
  }
  const std::int64_t inBank = tile % sram_.arraysPerBank();
  return {tile,
          static_cast<int>(tile / sram_.arraysPerBank()),
          static_cast<int>(inBank / sram_.arraysPerWay),
          static_cast<int>(inBank % sram_.arraysPerWay),
          static_cast<int>(bitline),
          r.wordline};
}

std::vector<LayoutTable::BankWays> LayoutTable::waysOf(int region, std::uint64_t address,
                                                       std::int64_t lineBytes) const {
  const Region &r = entry(region).region;
  const auto bytes = static_cast<std::uint64_t>(lineBytes);
  const std::uint64_t line = address / bytes * bytes;
  std::vector<BankWays> out;
  for (std::uint64_t a = std::max(line, r.base); a < std::min(line + bytes, r.end);
       a += static_cast<std::uint64_t>(r.elementBytes)) {
    const Place p = placeOf(region, a);
    auto at = std::ranges::find(out, p.bank, &BankWays::bank);
    if (at == out.end()) at = out.insert(out.end(), {p.bank, {}});
    if (std::ranges::find(at->ways, p.way) == at->ways.end()) at->ways.push_back(p.way);
  }
  return out;
}

std::uint64_t LayoutTable::addressOf(int region, std::int64_t tile, int bitline) const {
  const Region &r = entry(region).region;
  std::int64_t element = 0, stride = 1, cell = bitline;
  for (std::size_t d = 0; d < kMostDims; ++d) {
    const std::int64_t at = tile % tilesAlong(r, d) * r.tile[d] + cell % r.tile[d];
    tile /= tilesAlong(r, d);
    cell /= r.tile[d];
    element += at * stride;
    stride *= r.size[d];
  }
  return r.base + static_cast<std::uint64_t>(element * r.elementBytes);
}

std::string_view name(LayoutTable::Reason reason) {
  switch (reason) {
    case LayoutTable::Reason::kRequests:
      return "requests";
    case LayoutTable::Reason::kMisses:
      return "misses";
    case LayoutTable::Reason::kTimer:
      break;
  }
  return "timer";
}

}  // namespace pimento::sim::sram
