#include "pimento/targets/near_bank/movement.h"

#include <algorithm>
#include <numeric>

#include "pimento/base/integer.h"

namespace pimento::targets::near_bank {

using machine::CommandKind;
using program::Purpose;

Movement::Movement(const machine::Machine &machine, std::int64_t firstRow, const Passes &passes)
    : organization_(machine.dram->organization),
      unit_(*machine.nearBank),
      passes_(passes),
      readCommand_(machine.dram->plainCommand(CommandKind::kRead)),
      writeCommand_(machine.dram->plainCommand(CommandKind::kWrite)),
      firstRow_(firstRow) {}

HostBursts Movement::add(const kernel::Tensor &tensor) {
  if (!isInBanks()) return {};
  std::int64_t bytes = sizeOf(tensor.type).value;
  for (const std::int64_t n : tensor.shape) bytes = multiplySaturated(bytes, n);
  const std::int64_t count = ceilDiv(ceilDiv(bytes, organization_.burst.value), organization_.channels);
  if (count >= perRow() && passes_.has(Pass::kRowAlignment))
    bursts_ = ceilDiv(bursts_, perRow()) * perRow();  // blocks of whole rows are alike
  const HostBursts at{bursts_, count};
  bursts_ = addSaturated(bursts_, at.count);
  return at;
}

std::int64_t Movement::rows() const {
  return isInBanks() ? addSaturated(firstRow_, ceilDiv(bursts_, perRow())) : firstRow_;
}

std::vector<std::int64_t> firstBanks(std::int64_t count) {
  std::vector<std::int64_t> banks(static_cast<std::size_t>(count));
  std::iota(banks.begin(), banks.end(), 0);
  return banks;
}

std::vector<std::size_t> Movement::around(const std::vector<std::int64_t> &banks) const {
  std::vector<std::size_t> order(banks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!passes_.has(Pass::kBankGroupOrder)) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return banks[a] % organization_.banksPerGroup < banks[b] % organization_.banksPerGroup;
  });
  return order;
}

void Movement::access(Stream &stream, std::int64_t bank, const Address &at, bool isWrite) const {
  stream.each(isWrite ? writeCommand_ : readCommand_, bank, at, isWrite ? Purpose::kHostWrite : Purpose::kHostRead);
}

// A row of every bank, or several.
void Movement::rowsOf(Stream &stream, std::int64_t row, std::int64_t rows, bool isWrite, int round,
                      std::int64_t perRound) const {
  const std::int64_t burst = organization_.burst.value, rowBytes = organization_.columns * burst;
  const std::vector<std::int64_t> banks = firstBanks(static_cast<std::int64_t>(unit_.hostBanks.size()));
  stream.loop("row", rows, [&](int r) {
    stream.loop("column", organization_.columns, [&](int k) {
      Address at;
      at.base = (firstRow_ + row) * rowBytes;
      at = moved(moved(at, r, rowBytes), k, burst);
      if (round >= 0) at = moved(at, round, perRound * rowBytes);
      for (const std::size_t i : around(banks)) access(stream, banks[i], at, isWrite);
    });
  });
}

// Less than a row of every bank: banks that are full together, then the one that is not.
void Movement::withinRow(Stream &stream, std::int64_t first, std::int64_t count, bool isWrite) const {
  const std::int64_t burst = organization_.burst.value, columns = organization_.columns;
  const std::int64_t row = firstRow_ + first / perRow();
  const auto part = [&](const std::vector<std::int64_t> &banks, std::int64_t column, std::int64_t n) {
    stream.loop("column", n, [&](int k) {
      Address at;
      at.base = (row * columns + column) * burst;
      for (const std::size_t i : around(banks)) access(stream, banks[i], moved(at, k, burst), isWrite);
    });
  };
  const auto bankAt = [&](std::int64_t k) {
    return std::int64_t{unit_.hostBanks[static_cast<std::size_t>(k % perRow() / columns)]};
  };
  if (const std::int64_t column = first % columns; column != 0) {
    const std::int64_t n = std::min(count, columns - column);
    part({bankAt(first)}, column, n);
    first += n;
    count -= n;
  }
  std::vector<std::int64_t> full;
  for (; count >= columns; first += columns, count -= columns) full.push_back(bankAt(first));
  if (!full.empty()) part(full, 0, columns);
  if (count > 0) part({bankAt(first)}, 0, count);
}

void Movement::stretch(Stream &stream, const HostBursts &bursts, bool isWrite) const {
  if (bursts.count == 0) return;
  const std::int64_t row = perRow();
  std::int64_t first = bursts.first, count = bursts.count;
  if (const std::int64_t in = first % row; in != 0) {
    const std::int64_t head = std::min(count, row - in);
    withinRow(stream, first, head, isWrite);
    first += head;
    count -= head;
  }
  rowsOf(stream, first / row, count / row, isWrite, -1, 0);
  if (const std::int64_t tail = count % row; tail > 0) withinRow(stream, first + count - tail, tail, isWrite);
}

void Movement::writeBanks(Stream &stream, const BankBursts &to, std::int64_t column, std::int64_t columns, int round,
                          std::int64_t perRound) const {
  const std::int64_t burst = organization_.burst.value;
  stream.loop("column", columns, [&](int k) {
    Address at, from;
    at.base = (to.firstColumn + column) * burst;
    from.base = to.firstBurst + column;
    at = moved(at, k, burst);
    from = moved(from, k, 1);
    if (round >= 0) {
      at = moved(at, round, perRound * burst);
      from = moved(from, round, perRound);
    }
    for (const std::size_t i : around(to.banks))
      stream.each(writeCommand_, to.banks[i], at, Purpose::kHostWrite,
                  {to.image, shifted(from, static_cast<std::int64_t>(i) * to.pitch)});
  });
}

void Movement::readBanks(Stream &stream, const std::vector<std::int64_t> &banks, std::int64_t firstColumn,
                         std::int64_t columns) const {
  const std::int64_t burst = organization_.burst.value;
  stream.loop("column", columns, [&](int k) {
    Address at;
    at.base = firstColumn * burst;
    for (const std::size_t i : around(banks)) access(stream, banks[i], moved(at, k, burst), false);
  });
}

// A write waits for its read, and the next read for it. Where more is written than there is to read (copies, padding),
// reads begin again.
void Movement::copy(Stream &stream, const HostBursts &from, const BankBursts &to) const {
  const std::int64_t burst = organization_.burst.value, columns = organization_.columns;
  const auto banks = static_cast<std::int64_t>(to.banks.size());
  if (banks == 0 || to.columns == 0) {
    read(stream, from);
    return stream.await();
  }
  const std::int64_t atOnce = std::clamp<std::int64_t>(from.count / banks, 1, to.columns);
  const auto some = [&](std::int64_t column, std::int64_t n, int round) {
    stream.loop("column", n, [&](int k) {
      for (std::size_t i = 0; i < to.banks.size(); ++i) {
        Address source, at, image;
        source.base = ((firstRow_ + from.first / perRow()) * columns + from.first % perRow() % columns) * burst;
        at.base = (to.firstColumn + column) * burst;
        image.base = to.firstBurst + column + static_cast<std::int64_t>(i) * to.pitch;
        if (round >= 0) {
          at = moved(at, round, atOnce * burst);
          image = moved(image, round, atOnce);
        }
        access(stream, unit_.hostBanks[i % unit_.hostBanks.size()], moved(source, k, burst), false);
        stream.await();
        stream.each(writeCommand_, to.banks[i], moved(at, k, burst), Purpose::kHostWrite,
                    {to.image, moved(image, k, 1)});
        stream.await();
      }
    });
  };
  const std::int64_t rounds = to.columns / atOnce, rest = to.columns % atOnce;
  stream.loop("again", rounds, [&](int round) { some(0, atOnce, round); });
  if (rest > 0) some(rounds * atOnce, rest, -1);
}

void Movement::moveIn(Stream &stream, const HostBursts &all, const BankBursts &to) const {
  if (isInBanks() && !passes_.has(Pass::kOnChipBlocks)) return copy(stream, all, to);
  HostBursts from = all;
  const std::int64_t row = perRow(), block = unit_.onChip.value / (organization_.channels * organization_.burst.value);
  if (!isInBanks() || from.count <= block) {
    if (isInBanks()) {
      read(stream, from);
      stream.await();
    }
    writeBanks(stream, to, 0, to.columns);
    return stream.await();
  }
  // Blocks of whole rows, all but the last alike; before them what is left of a row.
  if (const std::int64_t in = from.first % row; in != 0) {
    const std::int64_t head = row - in;
    read(stream, {from.first, head});
    stream.await();
    from = {from.first + head, from.count - head};
  }
  const std::int64_t rowsPerRound = block / row, rounds = ceilDiv(from.count, rowsPerRound * row);
  const std::int64_t perRound = to.columns / rounds;
  stream.loop("block", rounds - 1, [&](int round) {
    rowsOf(stream, from.first / row, rowsPerRound, false, round, rowsPerRound);
    stream.await();
    writeBanks(stream, to, 0, perRound, round, perRound);
    stream.await();
  });
  const std::int64_t done = (rounds - 1) * rowsPerRound * row;
  read(stream, {from.first + done, from.count - done});
  stream.await();
  writeBanks(stream, to, (rounds - 1) * perRound, to.columns - (rounds - 1) * perRound);
  stream.await();
}

}  // namespace pimento::targets::near_bank
