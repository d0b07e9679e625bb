#include "pimento/lower/l3_sram/memo.h"

#include <utility>

namespace pimento::lower::l3_sram {

std::size_t LoweringMemo::Hash::operator()(const Key &key) const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a number at a time
  for (const std::int64_t x : key) hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x100000001b3;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

void LoweringMemo::describe(int region, const tdfg::Instance &instance, const Layout &layout, Key &key) {
  key.clear();
  key.push_back(region);
  for (std::size_t d = 0; d < kMostDims; ++d) key.insert(key.end(), {layout.extents[d], layout.tile[d]});
  key.push_back(layout.arraysPerBank);
  const auto put = [&key](const tdfg::BoundBox &box) {
    for (const tdfg::BoundRange &r : box) key.insert(key.end(), {r.low, r.high, r.stride});
  };
  for (const tdfg::BoundNode &b : instance.nodes) {
    put(b.box);
    key.push_back(b.distance);
  }
  for (const tdfg::BoundOutput &o : instance.outputs) put(o.box);
}

Result<const LoweringMemo::Lowered *> LoweringMemo::lower(int region, const tdfg::Instance &instance,
                                                          const tdfg::Schedule &schedule, const Layout &layout,
                                                          std::span<const std::uint64_t> constants) {
  if (most_ > 0) {
    describe(region, instance, layout, key_);
    if (const auto at = kept_.find(key_); at != kept_.end()) {
      ++reused_;
      for (const ConstantUse &use : at->second.code.constants)
        at->second.code.commands.list[static_cast<std::size_t>(use.command)].constant =
            constants[static_cast<std::size_t>(use.node)];
      return &at->second;
    }
  }
  Result<RegionCode> code = lowerRegion(instance, schedule, layout, constants, std::move(last_.code));
  if (!code) return code.diagnostics();
  Lowered made{std::move(*code), lowered_++};
  if (most_ == 0) {
    last_ = std::move(made);
    return &last_;
  }
  if (kept_.size() == most_) {
    const auto oldest = kept_.find(*byAge_.front());
    byAge_.pop_front();
    kept_.erase(oldest);
  }
  const auto at = kept_.emplace(key_, std::move(made)).first;
  byAge_.push_back(&at->first);
  return &at->second;
}

}  // namespace pimento::lower::l3_sram
