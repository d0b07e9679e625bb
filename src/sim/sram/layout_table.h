// The layout override table of a core (Infinity Stream, section 5.2, Table 1): which arrays lie transposed in the L3,
// where their elements are, who may touch them, and when they are given back.
//
// A region is normal (0), blocked (1) or transposed (2). It is blocked while it is fetched, and while arrays compute:
// cores then wait, streams wait for the fetch alone. A transposed one is read and written where it lies, element by
// element. It is given back when, since arrays last computed, it has had too many normal requests, too much time has
// passed, or the L3 misses too often.
//
// Not here: what transposing takes (transposer.h), and the values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/machine/sections/sram.h"

namespace pimento::sim::sram {

class LayoutTable {
 public:
  enum class State : std::uint8_t { kNormal = 0, kBlocked = 1, kTransposed = 2 };
  enum class Verdict : std::uint8_t { kNormal, kWaits, kTransposed };
  /// Why a region is given back.
  enum class Reason : std::uint8_t { kRequests, kMisses, kTimer };
  static constexpr int kMostDims = 3;

  /// An array, dim 0 fastest, in tiles of one array of bitlines each.
  struct Region {
    std::uint64_t base = 0, end = 0;  ///< physical addresses: [base, end)
    int elementBytes = 4;
    std::array<std::int64_t, kMostDims> size{1, 1, 1}, tile{1, 1, 1};  ///< dims beyond the array's: 1
    int wordline = 0;                                                  ///< the first of its elements
  };
  /// When regions are given back.
  struct Release {
    std::int64_t requests = 100'000;  ///< more than so many normal ones
    Cycles timer{100'000};            ///< longer than so
    std::int64_t window = 1024;       ///< of so many accesses of the L3 ...
    std::int64_t misses = 512;        ///< ... more than so many missed
    /// As the machine has them.
    static Release of(const machine::Sram::Control &control);
  };
  /// Where an element lies.
  struct Place {
    std::int64_t tile = 0;
    int bank = 0, way = 0, array = 0;  ///< of the bank, of the way
    int bitline = 0, wordline = 0;     ///< its first bit
    bool operator==(const Place &) const = default;
  };

  LayoutTable(const machine::Sram &sram, const Release &release);

  /// A new region, normal; its number. Diagnostics: capacity (the table is full), illegal-region (no whole elements,
  /// sizes that are not its bytes, a tile that is not an array's bitlines, more elements than arrays, or bytes of
  /// another region).
  Result<int> add(const Region &region);
  /// It is forgotten: it must be normal.
  void remove(int region);
  std::optional<int> find(std::uint64_t address) const;
  State state(int region) const;
  const Region &region(int region) const { return entry(region).region; }
  int count() const;
  /// What a context switch saves of the table: the fields of its regions (Table 1).
  Bytes saved() const;

  /// Its lines go to the arrays, from normal to blocked; they are all there.
  void fetch(int region);
  void fetched(int region, std::int64_t now);
  /// Arrays compute from here on, on regions that are transposed; they have ended.
  void lock();
  void unlock(std::int64_t now);
  bool isLocked() const { return isLocked_; }
  /// Its lines have gone back to memory: normal again.
  void release(int region);

  /// A request of a core, or of a stream beside the L3.
  Verdict core(std::uint64_t address);
  Verdict stream(std::uint64_t address) const;
  /// An access of the L3, and whether it missed.
  void sawAccess(bool isMiss);
  /// Why a transposed region should be given back now, if so.
  std::optional<Reason> due(int region, std::int64_t now) const;

  /// Of the element that the address lies in.
  Place placeOf(int region, std::uint64_t address) const;
  /// The banks, and ways of each, that elements of the line of `lineBytes` at `address` lie in.
  struct BankWays {
    int bank = 0;
    std::vector<int> ways;
  };
  std::vector<BankWays> waysOf(int region, std::uint64_t address, std::int64_t lineBytes) const;
  /// The element's first address, by tile and bitline.
  std::uint64_t addressOf(int region, std::int64_t tile, int bitline) const;

 private:
  struct Entry {
    Region region;
    bool isUsed = false, isFetching = false;
    State state = State::kNormal;
    std::int64_t requests = 0;  ///< normal ones, since arrays last computed
    std::int64_t since = 0;     ///< when they ended
  };
  Entry &entry(int region);
  const Entry &entry(int region) const;
  std::int64_t tilesAlong(const Region &r, std::size_t dim) const;

  machine::Sram sram_;
  Release release_;
  std::vector<Entry> entries_;
  bool isLocked_ = false;
  std::vector<bool> missed_;  ///< the last accesses, a ring
  std::size_t nextAccess_ = 0;
  std::int64_t misses_ = 0;
};

/// "requests", "misses", "timer".
std::string_view name(LayoutTable::Reason reason);

}  // namespace pimento::sim::sram
