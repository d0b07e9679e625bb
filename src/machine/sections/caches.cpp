#include <algorithm>
#include <bit>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr const char *kMemory = "memory";
const std::vector<std::string> kPolicies{"identity", "random", "contiguous"};
const std::vector<std::string> kServed{"instructions", "data"};

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
    m.caches.push_back(std::move(l));
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
  int instructions = 0, data = 0;
  for (const CacheLevel &l : m.caches) {
    const std::string at = "caches." + l.name;
    instructions += l.servesInstructions ? 1 : 0;
    data += l.servesData ? 1 : 0;
    const auto isPower = [](std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); };
    if (!isPower(l.line.value))
      c.impossible(at + ".line", "a line of " + std::to_string(l.line.value) + " B, not a power of two", "use 64 B");
    else if (l.size.value % (l.line.value * l.ways) != 0 || !isPower(l.sets()))
      c.impossible(at + ".size", "size / (ways * line) is not a power of two", "change size, ways or line");
    else if (!isPower(l.banks) || l.banks > l.sets())
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
