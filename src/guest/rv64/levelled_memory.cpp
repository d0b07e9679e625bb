#include "pimento/guest/rv64/levelled_memory.h"

#include <algorithm>
#include <cstring>

namespace pimento::guest::rv64 {

void LevelledMemory::start(const trace::CacheShape &caches) {
  next_ = caches.next;
  data_ = caches.data;
  std::uint64_t largest = 1;
  piece_ = ~std::uint64_t{0};
  for (const trace::CimRules::Geometry &g : caches.rules.geometry) {
    caches_.emplace_back(g.line);
    largest = std::max(largest, g.line);
    piece_ = std::min(piece_, g.line);
  }
  main_ = Lines(largest);
}

std::uint64_t LevelledMemory::pieceAt(std::uint64_t address, std::uint64_t most) const {
  return std::min(most, piece_ - (address & (piece_ - 1)));
}

/// Nothing: no access went to the page, so that it is in no cache.
std::optional<std::uint64_t> LevelledMemory::physical(std::uint64_t address) const {
  if (page_ == 0) return address;
  const auto frame = frames_.find(address & ~(page_ - 1));
  if (frame == frames_.end()) return std::nullopt;
  return frame->second | (address & (page_ - 1));
}

bool LevelledMemory::isKnown(std::uint64_t physical, std::uint64_t &address) const {
  address = physical;
  if (page_ == 0) return true;
  const auto page = pages_.find(physical & ~(page_ - 1));
  if (page == pages_.end()) return false;
  address = page->second | (physical & (page_ - 1));
  return true;
}

/// A line of main memory as the guest's memory has it.
void LevelledMemory::load(std::uint64_t line, std::byte *to) {
  std::uint64_t address = 0;
  const std::byte *from = isKnown(line, address) ? memory_.at(address, main_.size(), kRead) : nullptr;
  if (from != nullptr) std::memcpy(to, from, static_cast<std::size_t>(main_.size()));
}

std::byte *LevelledMemory::inMemory(std::uint64_t address) {
  const std::uint64_t line = main_.lineOf(address);
  std::byte *bytes = main_.find(line);
  if (bytes == nullptr) load(line, bytes = main_.make(line));
  return bytes + (address - line);
}

bool LevelledMemory::addFrame(std::uint64_t page, std::uint64_t frame, std::uint64_t bytes) {
  page_ = bytes;
  frames_[page] = frame;
  if (!pages_.try_emplace(frame, page).second) return false;
  // A prefetcher may have been there before.
  for (std::uint64_t line = frame; line < frame + bytes; line += main_.size()) {
    if (main_.find(line) == nullptr) continue;
    std::vector<std::byte> now(static_cast<std::size_t>(main_.size()));
    load(line, now.data());
    writeAll(page + (line - frame), now);
  }
  return true;
}

void LevelledMemory::readBehind(int cache, std::uint64_t address, std::span<std::byte> to) {
  for (std::uint64_t done = 0; done < to.size();) {
    const std::uint64_t n = pieceAt(address + done, to.size() - done);
    const std::byte *from = nullptr;
    for (int c = next_[static_cast<std::size_t>(cache)]; c >= 0 && from == nullptr;
         c = next_[static_cast<std::size_t>(c)])
      if (const std::span<std::byte> there = at(c, address + done); !there.empty()) from = there.data();
    if (from == nullptr) from = inMemory(address + done);
    std::memcpy(to.data() + done, from, static_cast<std::size_t>(n));
    done += n;
  }
}

void LevelledMemory::fill(int cache, std::uint64_t line) {
  Lines &lines = caches_[static_cast<std::size_t>(cache)];
  readBehind(cache, line, {lines.make(line), static_cast<std::size_t>(lines.size())});
}

void LevelledMemory::leave(int cache, std::uint64_t line, bool isWritten) {
  Lines &lines = caches_[static_cast<std::size_t>(cache)];
  const std::byte *bytes = lines.find(line);
  if (bytes == nullptr) return;
  const int behind = next_[static_cast<std::size_t>(cache)];
  for (std::uint64_t done = 0; isWritten && done < lines.size();) {
    const std::uint64_t address = line + done, n = pieceAt(address, lines.size() - done);
    std::byte *to = nullptr;
    if (behind < 0) {
      to = inMemory(address);
    } else {
      // It has room for the line by now.
      const std::uint64_t theirs = caches_[static_cast<std::size_t>(behind)].lineOf(address);
      if (at(behind, address).empty()) fill(behind, theirs);
      to = at(behind, address).data();
    }
    std::memcpy(to, bytes + done, static_cast<std::size_t>(n));
    done += n;
  }
  lines.erase(line);
}

std::span<std::byte> LevelledMemory::at(int cache, std::uint64_t address) {
  Lines &lines = caches_[static_cast<std::size_t>(cache)];
  const std::uint64_t line = lines.lineOf(address);
  std::byte *bytes = lines.find(line);
  if (bytes == nullptr) return {};
  return {bytes + (address - line), static_cast<std::size_t>(lines.size() - (address - line))};
}

std::byte *LevelledMemory::seen(std::uint64_t physical) {
  for (int c = data_; c >= 0; c = next_[static_cast<std::size_t>(c)])
    if (const std::span<std::byte> there = at(c, physical); !there.empty()) return there.data();
  return inMemory(physical);
}

void LevelledMemory::read(std::uint64_t address, std::span<std::byte> to) {
  for (std::uint64_t done = 0; done < to.size();) {
    const std::uint64_t n = pieceAt(address + done, to.size() - done);
    const auto place = physical(address + done);
    const std::byte *from = place ? seen(*place) : memory_.at(address + done, n, kRead);
    if (from != nullptr) std::memcpy(to.data() + done, from, static_cast<std::size_t>(n));
    done += n;
  }
}

void LevelledMemory::write(std::uint64_t address, std::span<const std::byte> from) {
  for (std::uint64_t done = 0; done < from.size();) {
    const std::uint64_t n = pieceAt(address + done, from.size() - done);
    if (const auto place = physical(address + done))
      std::memcpy(seen(*place), from.data() + done, static_cast<std::size_t>(n));
    done += n;
  }
}

void LevelledMemory::writeAll(std::uint64_t address, std::span<const std::byte> from) {
  for (std::uint64_t done = 0; done < from.size();) {
    const std::uint64_t n = pieceAt(address + done, from.size() - done);
    const auto copy = [&](std::byte *to) { std::memcpy(to, from.data() + done, static_cast<std::size_t>(n)); };
    if (const auto place = physical(address + done)) {
      for (std::size_t c = 0; c < caches_.size(); ++c)
        if (const std::span<std::byte> bytes = at(static_cast<int>(c), *place); !bytes.empty()) copy(bytes.data());
      if (main_.find(main_.lineOf(*place)) != nullptr) copy(inMemory(*place));
    }
    done += n;
  }
}

void LevelledMemory::flush() {
  flushed_.clear();
  std::vector<std::uint64_t> known;
  for (const auto &[line, bytes] : main_.all()) known.push_back(line);
  for (const std::uint64_t line : known) {
    std::uint64_t address = 0;
    if (!isKnown(line, address)) continue;
    std::vector<std::byte> &now = flushed_[line];
    now.resize(static_cast<std::size_t>(main_.size()));
    for (std::uint64_t done = 0; done < main_.size(); done += piece_)
      std::memcpy(now.data() + done, seen(line + done), static_cast<std::size_t>(piece_));
    if (std::byte *to = memory_.at(address, main_.size(), kRead); to != nullptr)
      std::memcpy(to, now.data(), now.size());
  }
}

void LevelledMemory::refresh() {
  for (const auto &[line, before] : flushed_) {
    std::uint64_t address = 0;
    if (!isKnown(line, address)) continue;
    const std::byte *now = memory_.at(address, main_.size(), kRead);
    if (now == nullptr) continue;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (now[i] != before[i]) writeAll(address + i, {now + i, 1});
  }
  flushed_.clear();
}

}  // namespace pimento::guest::rv64
