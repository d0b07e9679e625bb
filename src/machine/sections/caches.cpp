#include <algorithm>
#include <bit>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/replacement.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr const char *kMemory = "memory";
const std::vector<std::string> kPolicies{"identity", "random", "contiguous"};
const std::vector<std::string> kServed{"instructions", "data"};

constexpr Word<CacheLevel::Prefetcher> kPrefetchers[] = {{"stride", CacheLevel::Prefetcher::kStride},
                                                         {"bingo", CacheLevel::Prefetcher::kBingo}};

row::Rows rows() {
  return {
      row::section("caches", "caches between core and memory, by name"),
      row::section("caches.*", "one cache"),
      row::list("caches.*.serves", "what the core takes from it: instructions, data, both; omitted: nothing", kServed),
      row::text("caches.*.next", "the cache that serves its misses, or memory", true),
      row::integer("caches.*.size", "B|KiB|MiB", 64, 1 << 30, "bytes", true),
      row::integer("caches.*.ways", "count", 1, 64, "associativity", true),
      row::integer("caches.*.line", "B", 8, 4096, "bytes of a line; a power of two", true),
      row::integer("caches.*.latency", "cycle", 1, 10000, "of a hit", true),
      row::integer("caches.*.mshrs", "count", 1, 1024, "lines that it may wait for at a time", true),
      row::integer("caches.*.banks", "count", 1, 1024, "consecutive lines lie in consecutive banks; 1 if omitted",
                   false),
      row::integer("caches.*.ports", "count", 1, 64, "accesses that a bank takes per cycle; 1 if omitted", false),
      row::integer("caches.*.write_busy", "cycle", 1, 10000, "that a write keeps a port of its bank; 1 if omitted",
                   false),
      row::choice("caches.*.replacement", choicesOf(kReplacements), "which line goes; lru if omitted", false),
      row::section("caches.*.prefetch", "lines that it fetches before they are asked for"),
      row::choice("caches.*.prefetch.kind", choicesOf(kPrefetchers),
                  "by the strides of instructions, or by footprints of regions (Bingo)"),
      row::integer("caches.*.prefetch.streams", "count", 1, 1024, "stride: instructions that are followed", false),
      row::integer("caches.*.prefetch.depth", "count", 1, 1024, "stride: lines ahead", false),
      row::integer("caches.*.prefetch.region", "count", 2, 64, "bingo: lines of a region; a power of two", false),
      row::integer("caches.*.prefetch.sets", "count", 1, 1 << 20, "bingo: sets of the history; a power of two", false),
      row::integer("caches.*.prefetch.ways", "count", 1, 64, "bingo: ways of the history", false),
      row::section("tlb", "translation of a core's addresses; without it that takes no time"),
      row::integer("tlb.entries", "count", 1, 1 << 20, "of the first level; ways times a power of two", true),
      row::integer("tlb.ways", "count", 1, 64, "of the first level", true),
      row::integer("tlb.latency", "cycle", 0, 10000, "that a hit of the first level adds", true),
      row::integer("tlb.second_entries", "count", 1, 1 << 20, "of the second level; omitted: there is none", false),
      row::integer("tlb.second_ways", "count", 1, 64, "of the second level", false),
      row::integer("tlb.second_latency", "cycle", 0, 10000, "that a hit of the second level adds", false),
      row::integer("tlb.walk", "cycle", 0, 100000, "that a page walk adds", true),
      row::section("memory",
                   "the way from the last cache to the machine's DRAM, whose cycles are those of "
                   "clock.memory (or of clock.device, without one)"),
      row::integer("memory.latency", "cycle", 0, row::kMostCycles, "there and back, in cycles of the core", true),
      row::section("pages", "which frames of memory a program's pages have"),
      row::choice("pages.policy", kPolicies,
                  "physical addresses are virtual ones, or a page has a frame at random, or the next one, when it is "
                  "used first"),
      row::integer("pages.size", "B|KiB|MiB", 64, 1 << 30, "bytes of a page; a power of two", true),
      row::integer("pages.seed", "count", 0, row::kMostCount, "of random frames; 0 if omitted", false),
  };
}

void build(const Contents &c, Machine &m) {
  if (c.has("tlb")) {
    const auto number = [&](const char *key) { return static_cast<int>(c.integer(std::string("tlb.") + key)); };
    m.translation = Translation{{{number("entries"), number("ways"), c.cycles("tlb.latency")}}, c.cycles("tlb.walk")};
    if (c.has("tlb.second_entries"))
      m.translation->levels.push_back(
          {number("second_entries"), number("second_ways"), c.cycles("tlb.second_latency")});
  }
  if (c.has("memory")) m.memory = MainMemory{c.cycles("memory.latency")};
  std::vector<std::string> names;
  for (const Entry &e : c.entries("caches")) names.push_back(e.key);
  for (const std::string &n : names) {
    const std::string at = "caches." + n;
    CacheLevel l;
    l.name = n;
    for (const std::string &what : c.list(at + ".serves"))
      (what == kServed[0] ? l.servesInstructions : l.servesData) = true;
    const std::string next = c.text(at + ".next");
    if (next != kMemory) {
      const auto found = std::find(names.begin(), names.end(), next);
      l.next = static_cast<int>(found - names.begin());
      if (found == names.end()) {
        names.emplace_back(kMemory);
        c.report("unknown-name", at + ".next", "no cache '" + next + "'", suggest(next, names));
        return;
      }
    }
    l.size = c.bytes(at + ".size");
    l.line = c.bytes(at + ".line");
    l.ways = static_cast<int>(c.integer(at + ".ways"));
    l.latency = c.cycles(at + ".latency");
    l.mshrs = static_cast<int>(c.integer(at + ".mshrs"));
    l.banks = static_cast<int>(c.integer(at + ".banks", 1));
    l.ports = static_cast<int>(c.integer(at + ".ports", 1));
    l.writeBusy = static_cast<int>(c.integer(at + ".write_busy", 1));
    if (const std::string r = c.text(at + ".replacement"); !r.empty()) l.replacement = enumOf(kReplacements, r);
    if (c.has(at + ".prefetch")) {
      l.prefetcher = enumOf(kPrefetchers, c.text(at + ".prefetch.kind"));
      const auto number = [&](const char *key) { return static_cast<int>(c.integer(at + ".prefetch." + key)); };
      l.prefetchStreams = number("streams");
      l.prefetchDepth = number("depth");
      l.prefetchRegion = number("region");
      l.prefetchSets = number("sets");
      l.prefetchWays = number("ways");
    }
    m.caches.push_back(std::move(l));
  }
}

bool isPowerOfTwo(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

void checkPrefetcher(const Contents &c, const CacheLevel &l) {
  const std::string at = "caches." + l.name + ".prefetch";
  if (l.prefetcher == CacheLevel::Prefetcher::kStride && (l.prefetchStreams == 0 || l.prefetchDepth == 0))
    c.impossible(at, "a stride prefetcher without 'streams' and 'depth'",
                 "name both: streams: 16 count, depth: 16 count");
  if (l.prefetcher == CacheLevel::Prefetcher::kBingo &&
      (!isPowerOfTwo(l.prefetchRegion) || !isPowerOfTwo(l.prefetchSets) || l.prefetchWays == 0))
    c.impossible(at, "a Bingo prefetcher needs 'region' and 'sets', powers of two, and 'ways'",
                 "name them: region: 32 count, sets: 128 count, ways: 8 count");
}

void checkTranslation(const Contents &c, const Machine &m) {
  for (std::size_t i = 0; i < m.translation->levels.size(); ++i) {
    const Translation::Level &l = m.translation->levels[i];
    const char *at = i == 0 ? "tlb.entries" : "tlb.second_entries";
    if (l.ways < 1)
      c.impossible(at, "a second level without 'second_ways'", "name it: second_ways: 16 count");
    else if (l.entries % l.ways != 0 || !isPowerOfTwo(l.entries / l.ways))
      c.impossible(at, "entries / ways is not a power of two", "change entries or ways");
  }
}

/// Every chain of caches ends at memory, and lines do not shrink on the way.
void checkChain(const Contents &c, const Machine &m, const CacheLevel &first) {
  const CacheLevel *l = &first;
  for (std::size_t hops = 0; l->next >= 0; ++hops) {
    const CacheLevel &next = m.caches[static_cast<std::size_t>(l->next)];
    if (hops == m.caches.size()) {
      c.impossible("caches." + first.name + ".next", "caches that serve each other in a circle",
                   "let the last one name memory");
      return;
    }
    if (next.line < l->line) {
      c.impossible("caches." + next.name + ".line", "shorter than the lines of " + l->name,
                   "make it as long or longer");
      return;
    }
    l = &next;
  }
}

void checkPages(const Contents &c, const Machine &m) {
  const std::int64_t size = c.integer("pages.size");
  if (!std::has_single_bit(static_cast<std::uint64_t>(size)))
    c.impossible("pages.size", "a page of " + std::to_string(size) + " B, not a power of two", "use 4 KiB");
  for (const CacheLevel &l : m.caches)
    if (size < l.line.value) c.impossible("pages.size", "a page is shorter than a line of " + l.name, "use 4 KiB");
  if (!m.dram) return;
  const Organization &o = m.dram->organization;
  if (o.channels * o.ranks * o.banks() * o.rows * o.columns * o.burst.value < size)
    c.impossible("pages.size", "the memory has less than a page", "use 4 KiB, or a larger memory");
}

void check(const Contents &c, const Machine &m) {
  if (c.has("pages")) checkPages(c, m);
  if (m.translation) checkTranslation(c, m);
  int instructions = 0, data = 0;
  for (const CacheLevel &l : m.caches) {
    const std::string at = "caches." + l.name;
    instructions += l.servesInstructions ? 1 : 0;
    data += l.servesData ? 1 : 0;
    checkPrefetcher(c, l);
    if (!isPowerOfTwo(l.line.value))
      c.impossible(at + ".line", "a line of " + std::to_string(l.line.value) + " B, not a power of two", "use 64 B");
    else if (l.size.value % (l.line.value * l.ways) != 0 || !isPowerOfTwo(l.sets()))
      c.impossible(at + ".size", "size / (ways * line) is not a power of two", "change size, ways or line");
    else if (!isPowerOfTwo(l.banks) || l.banks > l.sets())
      c.impossible(at + ".banks", "banks are a power of two, at most one per set", "use 1");
    checkChain(c, m, l);
  }
  if (m.caches.empty()) return;
  for (const auto &[what, number] : {std::pair(kServed[0], instructions), std::pair(kServed[1], data)})
    if (number != 1)
      c.impossible("caches", std::to_string(number) + " caches serve " + what + " to the core",
                   "let exactly one do so");
}

}  // namespace

Section section::caches() {
  return {rows, build, check};
}

}  // namespace pimento::machine
