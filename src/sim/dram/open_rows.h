// Rows that are open in the banks of a channel, where a bank may have several of them (machine::Quirks).
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim::dram {

/// A copy is a snapshot.
class OpenRows {
 public:
  /// One row in some banks, opened for one command of the program.
  struct Entry {
    std::int32_t row = 0, opener = -1;
    std::uint64_t banks = 0;
  };

  /// Banks with an open row.
  std::uint64_t open() const { return open_; }
  bool isOpen(int bank) const { return ((open_ >> bank) & 1U) != 0; }
  bool holds(int bank, std::int32_t row) const {
    for (const Entry &e : entries_)
      if (e.row == row && ((e.banks >> bank) & 1U) != 0) return true;
    return false;
  }
  /// Banks in which `row` is open.
  std::uint64_t holding(std::int32_t row) const {
    std::uint64_t banks = 0;
    for (const Entry &e : entries_)
      if (e.row == row) banks |= e.banks;
    return banks;
  }

  /// Opens `row` in `banks`; rows that are open there stay so.
  void add(std::uint64_t banks, std::int32_t row, std::int32_t opener) {
    open_ |= banks;
    for (Entry &e : entries_)
      if (e.row == row && e.opener == opener) {
        e.banks |= banks;
        return;
      }
    entries_.push_back({row, opener, banks});
  }
  /// Closes all rows of `banks`.
  void close(std::uint64_t banks) {
    open_ &= ~banks;
    if (open_ == 0) return entries_.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].banks &= ~banks;
      if (entries_[i].banks != 0) entries_[kept++] = entries_[i];
    }
    entries_.resize(kept);
  }
  void clear() {
    open_ = 0;
    entries_.clear();
  }

  const std::vector<Entry> &entries() const { return entries_; }

 private:
  std::uint64_t open_ = 0;
  std::vector<Entry> entries_;  // in the order in which they were opened
};

}  // namespace pimento::sim::dram
