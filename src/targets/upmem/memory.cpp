#include "pimento/targets/upmem/memory.h"

#include <fmt/format.h>

#include "pimento/base/integer.h"
#include "pimento/lower/host_data.h"

namespace pimento::targets::upmem {

Status checkMachine(const machine::Machine &m) {
  using enum machine::LevelRole;
  if (m.dpu && machine::haveRoles(m.levels, {kGroup, kUnit, kThread})) return okStatus();
  return unsupported("unsupported-machine", {"--target"},
                     fmt::format("machine '{}' has no ranks of DPUs with tasklets", m.name),
                     "ranks, DPUs, tasklets, memories and transfer times can be changed, but not the levels");
}

std::set<int> HostPlan::tensors() const {
  std::set<int> out;
  for (const lower::Operand *o : arrays())
    if (o->isPlaced()) out.insert(o->tensor);
  return out;
}

Block HostPlan::empty(const lower::Operand &o, std::int64_t array, std::int64_t bytes) const {
  Block block{firstByte_ + o.home.offset + array * o.home.bytes,
              std::vector<std::byte>(static_cast<std::size_t>(bytes))};
  if (padding_ != std::byte{0})
    for (std::int64_t i = 0; i < bytes; i += o.size()) block.bytes[static_cast<std::size_t>(i)] = padding_;
  return block;
}

Block HostPlan::operand(const lower::Operand &o, std::int64_t dpu, std::int64_t array,
                        const kernel::DataSet &data) const {
  Block block = empty(o, array, o.home.bytes);
  lower::gather(o, o.isShared() ? scheme().baseOf(dpu) : scheme().firstOf(dpu, array), scheme().sizesOf(o),
                data[static_cast<std::size_t>(o.tensor)], block.bytes.data());
  return block;
}

std::vector<Block> HostPlan::operands(std::int64_t dpu, const kernel::DataSet &data) const {
  std::vector<Block> blocks;
  for (const lower::Operand *o : arrays())
    for (std::int64_t i = 0; o->isPlaced() && i < scheme().arraysOf(*o); ++i)
      blocks.push_back(operand(*o, dpu, i, data));
  return blocks;
}

std::vector<Block> HostPlan::results() const {
  std::vector<Block> blocks;
  for (const lower::Operand *o : arrays()) {
    if (o->isShared()) continue;
    const std::int64_t bytes = multiplySaturated(o->home.bytes, scheme().resultsOf(*o));
    blocks.push_back({firstByte_ + o->home.offset, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
  }
  return blocks;
}

}  // namespace pimento::targets::upmem
