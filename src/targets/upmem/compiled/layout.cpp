#include "pimento/targets/upmem/compiled/layout.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/lower/host_data.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

Plan::Plan(Scheme scheme, std::vector<Argument> arguments, std::shared_ptr<const program::Code> code)
    : HostPlan(code == nullptr ? 0 : code->mramUsed),
      scheme_(std::move(scheme)),
      arguments_(std::move(arguments)),
      code_(std::move(code)) {}

std::vector<const lower::Operand *> Plan::arrays() const {
  std::vector<const lower::Operand *> out;
  for (const Operand &o : scheme_.operands) out.push_back(&o);
  return out;
}

program::Code::Segment Plan::arguments(std::int64_t dpu) const {
  return block(arguments_, dpu);
}

program::Code::Segment Plan::shortened(std::int64_t dpu, const std::vector<std::int64_t> &ranges,
                                       const std::vector<std::int64_t> &valid) const {
  std::vector<Argument> arguments = arguments_;
  for (Argument &a : arguments) {
    if (a.kind == Argument::Kind::kValid) {
      a.kind = Argument::Kind::kSame;
      a.value = valid[static_cast<std::size_t>(a.dim)];
    }
    for (std::size_t d = 0; d < ranges.size(); ++d)
      if (ranges[d] < scheme_.axes[d].range && a.name == "range_" + scheme_.axes[d].name) a.value = ranges[d];
    for (const Operand &o : scheme_.operands) {
      if (a.name != "merge_bytes_" + o.name) continue;
      double part = 1;
      for (std::size_t d = 0; d < ranges.size(); ++d)
        if (o.involves(static_cast<int>(d)))
          part *= static_cast<double>(ranges[d]) / static_cast<double>(scheme_.axes[d].range);
      const auto bytes = static_cast<std::int64_t>(std::ceil(part * static_cast<double>(o.home.bytes)));
      a.value = std::min(o.home.bytes, ceilDiv(bytes, kUnit) * kUnit);
    }
  }
  return block(arguments, dpu);
}

namespace {

/// Between the operands of Plan::alone.
constexpr std::int64_t kApart = 1 << 22;

}  // namespace

program::Code::Segment Plan::alone(const std::vector<std::int64_t> &sizes,
                                   const std::vector<std::int64_t> &ranges) const {
  std::vector<Argument> arguments = arguments_;
  for (Argument &a : arguments) {
    if (a.kind == Argument::Kind::kValid) {
      a.kind = Argument::Kind::kSame;
      a.value = sizes[static_cast<std::size_t>(a.dim)];
    }
    if (a.name.starts_with("merge_bytes_")) a.value = 0;
    if (a.name.starts_with("range_"))
      for (std::size_t d = 0; d < sizes.size(); ++d)
        if (a.name == "range_" + scheme_.axes[d].name && !scheme_.axes[d].isWhole) a.value = ranges[d];
    if (!a.name.starts_with("mram_")) continue;
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      if (a.name == "mram_" + scheme_.operands[o].name) a.value = static_cast<std::int64_t>(o) * kApart;
      if (a.name == "mram_bytes_" + scheme_.operands[o].name) a.value = 0;
    }
  }
  return block(arguments, 0);
}

program::Code::Segment Plan::block(const std::vector<Argument> &arguments, std::int64_t dpu) const {
  const program::Code::Symbol *at = code_->symbolNamed("ARGUMENTS");
  PIMENTO_CHECK(at != nullptr && "programs that we write have arguments");
  const auto valid = scheme_.validOf(dpu), base = scheme_.baseOf(dpu);
  program::Code::Segment segment{at->address, {}};
  for (const Argument &a : arguments) {
    const std::int64_t value = a.kind == Argument::Kind::kValid  ? valid[static_cast<std::size_t>(a.dim)]
                               : a.kind == Argument::Kind::kBase ? base[static_cast<std::size_t>(a.dim)]
                                                                 : a.value;
    for (int byte = 0; byte < 4; ++byte) segment.bytes.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
  }
  return segment;
}

std::vector<std::int64_t> Plan::kindOf(std::int64_t dpu) const {
  const auto valid = scheme_.validOf(dpu), base = scheme_.baseOf(dpu);
  std::vector<std::int64_t> kind = valid;
  for (const Argument &a : arguments_)
    if (a.kind == Argument::Kind::kBase) kind.push_back(base[static_cast<std::size_t>(a.dim)]);
  return kind;
}

// Where shares are of one size, the first and the last differ most.
bool Plan::areAlike() const {
  const auto first = kindOf(0);
  if (kindOf(dpus() - 1) != first) return false;
  for (std::int64_t d = 1; scheme_.isBordered() && d < dpus(); ++d)
    if (kindOf(d) != first) return false;
  return true;
}

std::vector<Fill> Plan::fills(double value, bool isAlone) const {
  std::vector<Fill> out;
  for (std::size_t i = 0; i < scheme_.operands.size(); ++i) {
    const Operand &o = scheme_.operands[i];
    if (!o.isPlaced()) continue;
    kernel::TensorData element(o.type, {1});
    element.setDouble(0, value);
    if (isAlone)
      out.push_back({static_cast<std::int64_t>(i) * kApart, kApart, element.bytes});
    else
      out.push_back({firstByte() + o.home.offset, o.home.bytes * scheme_.arraysOf(o), element.bytes});
  }
  return out;
}

std::vector<Block> Plan::results() const {
  std::vector<Block> blocks = HostPlan::results();
  if (scheme_.hasLengthsApart())
    blocks.push_back({firstByte() + scheme_.mramBytes - kUnit * scheme_.threads,
                      std::vector<std::byte>(static_cast<std::size_t>(kUnit * scheme_.threads))});
  return blocks;
}

namespace {

class Collector final : public Results {
 public:
  /// Both must outlive it.
  Collector(const Scheme &scheme, kernel::DataSet &data)
      : scheme_(scheme), collector_(scheme, data, scheme.isScan ? &scheme.carry() : nullptr) {}

  void add(const std::vector<Block> &results) override {
    const std::vector<std::int64_t> valid = scheme_.validOf(collector_.unit());
    const auto forWorkers = [&](auto &&visit) {
      for (std::int64_t t = 0; t < scheme_.threads; ++t)
        if (!scheme_.isIdle(valid, t)) visit(t);
    };
    std::vector<kernel::Scalar> totals;
    std::vector<lower::Collector::Arrays> found;  // by operand
    auto block = results.begin();
    for (const Operand &o : scheme_.operands) found.push_back({&o, o.isShared() ? nullptr : block++->bytes.data()});
    for (const Operand &o : scheme_.operands) {
      if (o.isShared()) continue;
      const std::byte *const arrays = found[static_cast<std::size_t>(&o - scheme_.operands.data())].bytes;
      if (o.isPartial() && scheme_.isOfExtreme(o))
        addExtremes(o, found);
      else if (o.use == Use::kSelected && scheme_.isRowwise)
        forWorkers([&](std::int64_t t) { addLists(o, t, arrays + t * o.home.bytes); });
      else if (o.use == Use::kSelected)
        forWorkers([&](std::int64_t t) {
          std::uint32_t kept = 0;
          std::memcpy(&kept, results.back().bytes.data() + t * kUnit, sizeof kept);
          PIMENTO_CHECK(kept * o.size() <= o.home.bytes);
          collector_.addSelected(o, arrays + t * o.home.bytes, kept);
        });
      else if (scheme_.isCarry(o))
        forWorkers([&](std::int64_t t) { totals.push_back(kernel::load(o.type, arrays + t * o.home.bytes, 0)); });
      else
        collector_.add(o, arrays);
    }
    // What the DPUs before left is part of every sum of this one.
    for (const kernel::Scalar &total : totals) collector_.carry(total);
    collector_.closeUnit();
  }

  void finish() override { collector_.finish(); }

 private:
  /// With the minimum or maximum what follows it.
  void addExtremes(const Operand &o, const std::vector<lower::Collector::Arrays> &found) {
    if (scheme_.storeOf(o).follows >= 0) return;
    std::vector<lower::Collector::Arrays> followers;
    for (const int f : scheme_.followersOf(o.store))
      followers.push_back(found[static_cast<std::size_t>(scheme_.stores[static_cast<std::size_t>(f)].operand)]);
    collector_.addExtremes(o, found[static_cast<std::size_t>(&o - scheme_.operands.data())].bytes, followers);
  }

  /// What a tasklet keeps, row by row.
  void addLists(const Operand &o, std::int64_t tasklet, const std::byte *array) {
    const std::int64_t unit = collector_.unit();
    const lower::PerDim first = scheme_.firstOf(unit, tasklet);
    lower::PerDim low(first.size(), 0), sizes = scheme_.validOf(scheme_.validOf(unit), tasklet), at = low,
                                        point = first;
    const auto &stores = scheme_.kernel().stores;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (!o.involves(static_cast<int>(d))) sizes[d] = 1;
    const kernel::Affine byte = lower::byteOf(o, o.home, scheme_.sizesOf(o), lower::PerDim(first.size(), 1), {}),
                         list = kernel::linearize(stores[0].target, scheme_.tensorOf(o), first.size(), 1);
    std::optional<kernel::Affine> counts;
    if (stores.size() > 1) {
      const int t = stores[1].target.tensor;
      counts = kernel::linearize(stores[1].target, scheme_.graph->tensors[static_cast<std::size_t>(t)], first.size());
    }
    do {
      for (std::size_t d = 0; d < first.size(); ++d) point[d] = first[d] + at[d];
      const std::byte *from = array + kernel::valueAt(byte, at);
      std::uint32_t kept = 0;
      std::memcpy(&kept, from, sizeof kept);
      if (kept == 0) continue;  // guards may leave out rows that the tensor has not
      collector_.addSelected(o, {kernel::valueAt(list, point), counts ? kernel::valueAt(*counts, point) : -1},
                             from + kUnit, kept);
    } while (kernel::advance(at, low, sizes));
  }

  const Scheme &scheme_;
  lower::Collector collector_;
};

}  // namespace

std::unique_ptr<Results> Plan::collector(kernel::DataSet &data) const {
  return std::make_unique<Collector>(scheme_, data);
}

/// Is an array, as it is, a stretch of the tensor?
bool Plan::isOnePiece(const Operand &o) const {
  const auto sizes = scheme_.sizesOf(o);
  bool isWhole = true;
  for (std::size_t p = o.positions.size(); p-- > 0;) {
    const Position &position = o.positions[p];
    const std::int64_t extent = position.extent(sizes);
    if (position.index != p || (position.step != 1 && extent > 1)) return false;
    if (!isWhole && extent > 1) return false;
    isWhole &= extent == position.limit && (p + 1 < o.positions.size() || extent * o.size() % kUnit == 0);
  }
  return true;
}

evaluate::HostWork Plan::hostWork() const {
  evaluate::HostWork w;
  w.dpus = scheme_.units;
  w.ranks = scheme_.instances[0];
  w.launches = 1;
  const std::int64_t dpus = scheme_.units, tasklets = scheme_.threads;
  w.place(multiplySaturated(static_cast<std::int64_t>(4 * arguments_.size()), dpus), 0);
  if (areAlike()) w.broadcast = w.placed;
  for (const Operand &o : scheme_.operands) {
    const std::int64_t one = multiplySaturated(o.home.bytes, scheme_.resultsOf(o)), all = multiplySaturated(one, dpus);
    const std::int64_t elements = all / o.size();
    if (o.isPlaced()) {
      const bool isSame = scheme_.isSameForAll(o), isOnce = scheme_.tensorOf(o).isConstant;
      w.place(all, isOnePiece(o) ? 0 : isSame ? one : all, isOnce);
      if (isSame && !isOnce) evaluate::HostWork::add(w.broadcast, all);
    }
    if (o.isShared()) continue;
    const bool isMerged = o.isPartial() || (o.use == Use::kWrite && scheme_.storeOf(o).combine != Combine::kAssign);
    w.read(all, isMerged || (o.use != Use::kSelected && isOnePiece(o)) ? 0 : all);
    if (isMerged) w.merges = addSaturated(w.merges, elements);
    if (scheme_.isScan && o.use == Use::kWrite) w.merges = addSaturated(w.merges, elements - elements / dpus);
  }
  if (scheme_.hasLengthsApart()) w.read(multiplySaturated(kUnit * tasklets, dpus), 0);
  return w;
}

}  // namespace pimento::targets::upmem::compiled
