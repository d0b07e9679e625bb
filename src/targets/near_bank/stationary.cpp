#include "pimento/targets/near_bank/stationary.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/linear.h"
#include "pimento/targets/near_bank/forms.h"
#include "pimento/targets/near_bank/kernel_data.h"

namespace pimento::targets::near_bank {

using lower::Spot;
using program::Purpose;
using sim::pim::ImageData;
using sim::pim::kLanes;
using sim::pim::NearBankDevice;

StationaryTensor::StationaryTensor(std::string name, const kernel::Graph &graph, int kernel, int load, Dims dims,
                                   std::int64_t firstColumn, const machine::Machine &machine)
    : name_(std::move(name)),
      graph_(&graph),
      kernel_(&graph.kernels[static_cast<std::size_t>(kernel)]),
      load_(load),
      dims_(std::move(dims)),
      machine_(&machine),
      firstColumn_(firstColumn) {}

std::int64_t StationaryTensor::add(lower::Shares shares) {
  Part p;
  p.sums = shares.rangeOf(dims_.sums);
  p.columns = ceilDiv(shares.rangeOf(dims_.summed), machine_->nearBank->lanes);
  p.firstColumn = addSaturated(firstColumn_, columns_);
  columns_ =
      addSaturated(columns_, multiplySaturated(multiplySaturated(shares.rangeOf(dims_.groups), p.sums), p.columns));
  channels_ = std::max(channels_, shares.instances[0]);
  banks_ = std::max(banks_, shares.instances[1]);
  p.shares = std::move(shares);
  parts_.push_back(std::move(p));
  return parts_.back().firstColumn;
}

Status StationaryTensor::append(const mapping::Mapping &mapping) {
  const auto found = mapping.parameters.find("append");
  if (found == mapping.parameters.end()) return okStatus();
  const auto wrong = [&](std::string message, std::string hint) {
    const auto at = mapping.where.find("append");
    return unsupported("unsupported-mapping", at == mapping.where.end() ? kernel_->where : at->second,
                       std::move(message), std::move(hint));
  };
  const std::string &name = tensor().name;
  if (access().index.size() < 2)
    return wrong(fmt::format("'{}' has no rows that could be appended: it has one axis", name), "omit append=");
  newRowsDim_ = dimOf(access().index[access().index.size() - 2], kernel_->dims.size());
  if (newRowsDim_ < 0) return wrong(fmt::format("the rows of '{}' are no dim of the kernel", name), "omit append=");
  const kernel::Dim &dim = kernel_->dims[static_cast<std::size_t>(newRowsDim_)];
  if (found->second > dim.extent)
    return wrong(fmt::format("append={}, and '{}' has {} rows ('{}')", found->second, name, dim.extent, dim.name),
                 fmt::format("append at most {}", dim.extent));
  if (Passes(mapping, *machine_).has(Pass::kKvAppend)) newRows_ = found->second;
  return okStatus();
}

void StationaryTensor::addHostData(Movement &movement) {
  host_ = newAtHost_ = movement.add(tensor());
  if (!isAppended()) return;
  const std::int64_t rows = kernel_->dims[static_cast<std::size_t>(newRowsDim_)].extent;
  newAtHost_.count = ceilDiv(multiplySaturated(host_.count, newRows_), rows);
}

void StationaryTensor::emitPlace(Stream &stream, const Movement &movement, bool isUsed) const {
  const auto once = [&](int /*depth*/ = -1) { movement.moveIn(stream, host_, isUsed ? bursts() : BankBursts{}); };
  if (times_ == 1) return once();
  stream.loop("vector", times_, once);
}

// Bursts with new rows, each in a loop with those that follow it at one distance; what they share is read first.
void StationaryTensor::emitAppend(Stream &stream, const Movement &movement, bool isUsed) const {
  movement.read(stream, newAtHost_);
  const auto bursts = isUsed ? newBursts() : std::vector<std::pair<std::int64_t, std::int64_t>>{};
  const std::int64_t burstBytes = machine_->dram->organization.burst.value;
  const auto access = [&](machine::CommandKind kind, Purpose purpose, bool isWrite) {
    for (std::size_t i = 0; i < bursts.size();) {
      const auto [bank, column] = bursts[i];
      std::size_t n = 1;
      const std::int64_t step =
          i + 1 < bursts.size() && bursts[i + 1].first == bank ? bursts[i + 1].second - column : 0;
      while (i + n < bursts.size() && bursts[i + n].first == bank &&
             bursts[i + n].second == column + static_cast<std::int64_t>(n) * step)
        ++n;
      stream.loop("burst", static_cast<std::int64_t>(n), [&](int k) {
        Address at, from;
        at.base = column * burstBytes;
        from.base = bank * columns_ + column - firstColumn_;
        at = moved(at, k, step * burstBytes);
        from = moved(from, k, step);
        stream.each(machine_->dram->plainCommand(kind), bank, at, purpose,
                    isWrite ? StreamData{image_, from} : StreamData{});
      });
      i += n;
    }
  };
  if (sharesNewBursts()) access(machine::CommandKind::kRead, Purpose::kHostRead, false);
  stream.await();
  access(machine::CommandKind::kWrite, Purpose::kHostWrite, true);
  stream.await();
}

// Where the host's data lie elsewhere, it gathers what commands of the program write.
void StationaryTensor::count(evaluate::HostWork &host, const Movement &movement) const {
  if (movement.isInBanks()) return;
  const std::int64_t burst = machine_->dram->organization.burst.value;
  if (isAppended()) return host.place(0, static_cast<std::int64_t>(newBursts().size()) * channels_ * burst);
  for (const Part &p : parts_)
    host.place(0,
               (isConstant() ? 1 : times_) * p.shares.rangeOf(dims_.groups) * p.sums * p.columns *
                   p.shares.instances[0] * p.shares.instances[1] * burst,
               isConstant());
}

void StationaryTensor::addImage(const kernel::DataSet &data, std::vector<ImageData> &images) const {
  if (!hasImage()) return;
  const kernel::TensorData &from = data[static_cast<std::size_t>(access().tensor)];
  const std::int64_t size = sizeOf(machine_->nearBank->type).value;
  ImageData image;
  image.isPerChannel = true;
  image.values.assign(static_cast<std::size_t>(banks_ * columns_ * channels_ * kLanes), 0);
  for (const Part &p : parts_)
    forEach(p, [&](bool /*isNew*/, std::int64_t channel, std::int64_t bank, std::int64_t column, std::int64_t lane,
                   std::int64_t offset) {
      const std::int64_t burst = bank * columns_ + column - firstColumn_;
      putLane(&image.values[static_cast<std::size_t>((burst * channels_ + channel) * kLanes)], lane,
              from.bytes.data() + offset, size);
    });
  images.push_back(std::move(image));
}

void StationaryTensor::place(const kernel::DataSet &data, NearBankDevice &device) const {
  if (isWritten()) return;
  const kernel::TensorData &from = data[static_cast<std::size_t>(access().tensor)];
  const std::int64_t size = sizeOf(machine_->nearBank->type).value;
  for (const Part &p : parts_)
    forEach(p, [&](bool isNew, std::int64_t channel, std::int64_t bank, std::int64_t column, std::int64_t lane,
                   std::int64_t offset) {
      if (isNew) return;
      putLane(device.burst(static_cast<int>(channel), static_cast<int>(bank), column / device.columns(),
                           column % device.columns()),
              lane, from.bytes.data() + offset, size);
    });
}

/// Bursts of banks that hold new rows, of any channel: bank and column, ascending.
std::vector<std::pair<std::int64_t, std::int64_t>> StationaryTensor::newBursts() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const Part &p : parts_)
    forEach(
        p,
        [&](bool isNew, std::int64_t /*channel*/, std::int64_t bank, std::int64_t column, std::int64_t /*lane*/,
            std::int64_t /*offset*/) {
          if (isNew && (found.empty() || found.back() != std::pair{bank, column})) found.emplace_back(bank, column);
        },
        true);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Do they hold other rows too?
bool StationaryTensor::sharesNewBursts() const {
  return std::ranges::count(dims_.summed, newRowsDim_) > 0;
}

template <typename Visit>
void StationaryTensor::forEach(const Part &p, const Visit &visit, bool isNewOnly) const {
  // The form that is the dim of new rows.
  kernel::Affine row{std::vector<std::int64_t>(kernel_->dims.size(), 0), 0};
  std::int64_t firstNew = 1;
  if (isAppended()) {
    row.coefficients[static_cast<std::size_t>(newRowsDim_)] = 1;
    firstNew = kernel_->dims[static_cast<std::size_t>(newRowsDim_)].extent - newRows_;
  }
  const kernel::Affine element = kernel::linearize(access(), tensor(), kernel_->dims.size());
  /// Spots of some dims, what each adds to the row, and which of them are visited: the dim of new rows is in one of
  /// three.
  struct Axis {
    std::vector<Spot> spots, rows;
    std::vector<std::size_t> chosen;
  };
  const auto axisOf = [&](const std::vector<int> &dims) {
    Axis a{p.shares.spots(dims, element), p.shares.spots(dims, row), {}};
    const bool isHere = isNewOnly && std::ranges::count(dims, newRowsDim_) > 0;
    for (std::size_t i = 0; i < a.spots.size(); ++i)
      if (!isHere || a.rows[i].value >= firstNew) a.chosen.push_back(i);
    return a;
  };
  const Axis groups = axisOf(dims_.groups), sums = axisOf(dims_.sums), summed = axisOf(dims_.summed);
  const auto moreChannels = p.shares.numbers(0, dims_.copies), moreBanks = p.shares.numbers(1, dims_.copies);
  const machine::NearBankUnit &unit = *machine_->nearBank;
  const std::int64_t size = sizeOf(unit.type).value;
  const auto alongSum = chunksOf(p, summed.spots);
  for (const std::size_t gi : groups.chosen)
    for (const std::size_t mi : sums.chosen) {
      const Spot &g = groups.spots[gi], &m = sums.spots[mi];
      const std::int64_t first = m.local / unit.accumulators * unit.accumulators;
      const std::int64_t block = std::min(unit.accumulators, p.sums - first);
      const std::int64_t blockColumn = p.firstColumn + (g.local * p.sums + first) * p.columns;
      for (const std::size_t ni : summed.chosen) {
        const Spot &n = summed.spots[ni];
        const Chunk &c = alongSum[ni];
        const std::int64_t column = blockColumn + c.first * block + (m.local - first) * c.columns + c.column;
        const std::int64_t offset = (element.constant + g.value + m.value + n.value) * size;
        const bool isNew =
            isAppended() && groups.rows[gi].value + sums.rows[mi].value + summed.rows[ni].value >= firstNew;
        for (const std::int32_t channels : moreChannels)
          for (const std::int32_t banks : moreBanks)
            visit(isNew, g.instance[0] + m.instance[0] + n.instance[0] + channels,
                  g.instance[1] + m.instance[1] + n.instance[1] + banks, column, c.lane, offset);
      }
    }
}

// What fits the operand buffers at a time.
std::vector<StationaryTensor::Chunk> StationaryTensor::chunksOf(const Part &p, const std::vector<Spot> &summed) const {
  const machine::NearBankUnit &unit = *machine_->nearBank;
  std::vector<Chunk> chunks;
  chunks.reserve(summed.size());
  for (const Spot &n : summed) {
    const std::int64_t column = n.local / unit.lanes, first = column / unit.bufferEntries * unit.bufferEntries;
    chunks.push_back({first, std::min(unit.bufferEntries, p.columns - first), column - first, n.local % unit.lanes});
  }
  return chunks;
}

void emitStationary(Stream &stream, const Movement &movement, std::span<const StationaryTensor> tensors, bool isUsed) {
  if (std::ranges::any_of(tensors, &StationaryTensor::isWritten))
    stream.phase(program::PhaseKind::kPlace, [&] {
      for (const StationaryTensor &t : tensors)
        if (t.isWritten()) t.emitPlace(stream, movement, isUsed);
    });
  if (std::ranges::any_of(tensors, &StationaryTensor::isAppended))
    stream.phase(program::PhaseKind::kAppend, [&] {
      for (const StationaryTensor &t : tensors)
        if (t.isAppended()) t.emitAppend(stream, movement, isUsed);
    });
}

std::optional<program::Program> placementOf(std::vector<StationaryTensor> tensors, const Movement &movement,
                                            const machine::Machine &machine) {
  std::erase_if(tensors, [](const StationaryTensor &t) { return t.isAppended() || !t.isConstant(); });
  if (tensors.empty()) return std::nullopt;
  Stream stream(machine);
  std::int64_t channels = 1;
  for (StationaryTensor &t : tensors) {
    t.declare(stream);
    channels = std::max(channels, t.channels());
  }
  const auto process = [&](bool isUsed) {
    stream.phase(program::PhaseKind::kPlace, [&] {
      for (const StationaryTensor &t : tensors) t.emitPlace(stream, movement, isUsed);
    });
  };
  process(true);
  stream.close("channel", channels);
  if (const std::int64_t others = stream.channels() - channels; movement.isInBanks() && others > 0) {
    process(false);
    stream.close("host data", others);
  }
  return stream.take();
}

}  // namespace pimento::targets::near_bank
