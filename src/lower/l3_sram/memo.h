// Lowered regions, kept for when the same comes again.
//
// What commands hang on is the key: the region, its layout, and the boxes and distances of its instance. Constants may
// differ: they are put into the commands that are there. Infinity Stream, section 4.2.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/lower/l3_sram/region.h"

namespace pimento::lower::l3_sram {

class LoweringMemo {
 public:
  /// Keeps so many regions, the latest ones. 0: none.
  explicit LoweringMemo(std::size_t most = 256) : most_(most) {}

  struct Lowered {
    RegionCode code;
    std::int64_t number = 0;  ///< of the lowering that made it: equal ones differ in constants alone
  };
  /// As lowerRegion(); `region` is the instance's number. The result holds until the next call.
  Result<const Lowered *> lower(int region, const tdfg::Instance &instance, const tdfg::Schedule &schedule,
                                const Layout &layout, std::span<const std::uint64_t> constants);

  std::int64_t lowered() const { return lowered_; }
  std::int64_t reused() const { return reused_; }

 private:
  using Key = std::vector<std::int64_t>;
  struct Hash {
    std::size_t operator()(const Key &key) const;
  };
  static void describe(int region, const tdfg::Instance &instance, const Layout &layout, Key &key);

  std::size_t most_;
  std::unordered_map<Key, Lowered, Hash> kept_;
  std::list<const Key *> byAge_;
  Key key_;
  Lowered last_;  ///< where none are kept
  std::int64_t lowered_ = 0, reused_ = 0;
};

}  // namespace pimento::lower::l3_sram
