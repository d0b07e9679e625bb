#include "pimento/guest/rv64/memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace pimento::guest::rv64 {

namespace {

constexpr int kReservation = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr std::uint64_t kFirstGiven = 0x10000;  ///< as vm.mmap_min_addr

}  // namespace

Result<std::unique_ptr<Memory>> Memory::make() {
  std::unique_ptr<Memory> out(new Memory);
  void *base = mmap(nullptr, kSize, PROT_NONE, kReservation, -1, 0);
  if (base != MAP_FAILED) out->view_.base_ = static_cast<std::byte *>(base);
  void *pages = mmap(nullptr, kPages, PROT_READ | PROT_WRITE, kReservation, -1, 0);
  if (pages != MAP_FAILED) out->view_.pages_ = static_cast<std::uint8_t *>(pages);
  if (out->view_.base_ != nullptr && out->view_.pages_ != nullptr) return out;
  return capacityError("guest-memory", {}, "there is no room for the address space of a guest (64 GiB, unused)",
                       "raise the limit on virtual memory (ulimit -v), or use --engine qemu");
}

Memory::~Memory() {
  if (view_.base_ != nullptr) munmap(view_.base_, kSize);
  if (view_.pages_ != nullptr) munmap(view_.pages_, kPages);
}

bool Memory::isRange(std::uint64_t address, std::uint64_t bytes) {
  return address % kPage == 0 && bytes % kPage == 0 && address <= kSize && bytes <= kSize - address;
}

std::byte *Memory::at(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
  if (bytes == 0) return view_.base_;
  if (firstWithout(address, bytes, permission) != address + bytes) return nullptr;
  if (watcher_) tell(address, bytes, (permission & kWrite) != 0);
  return view_.base_ + address;
}

/// Who is told may ask again, and is not told of that.
void Memory::tell(std::uint64_t address, std::uint64_t bytes, bool isWrite) const {
  if (firstWithout(address, bytes, isWrite ? kWrite : kRead) != address + bytes) return;
  Watcher &mine = const_cast<Memory *>(this)->watcher_;
  const Watcher watcher = std::exchange(mine, nullptr);
  watcher(address, bytes, isWrite);
  mine = watcher;
}

std::optional<std::uint64_t> Memory::firstDifference(const Memory &other) const {
  auto theirs = other.used_.begin();
  for (const auto &[from, to] : used_) {
    if (theirs == other.used_.end() || theirs->first != from || theirs->second != to)
      return theirs == other.used_.end() ? from : std::min({from, theirs->first, std::max(to, theirs->second)});
    ++theirs;
    for (std::uint64_t page = from; page < to; page += kPage) {
      if (permissions(page) != other.permissions(page)) return page;
      const std::byte *a = view_.base_ + page, *b = other.view_.base_ + page;
      if (std::memcmp(a, b, kPage) != 0)
        return page + static_cast<std::uint64_t>(std::mismatch(a, a + kPage, b).first - a);
    }
  }
  return theirs == other.used_.end() ? std::nullopt : std::optional(theirs->first);
}

std::uint64_t Memory::firstWithout(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
  const std::uint64_t end = address + bytes;
  if (end < address) return address;
  for (std::uint64_t a = address; a < end; a = (a / kPage + 1) * kPage)
    if (a >= kSize || (view_.pages_[a / kPage] & permission) == 0) return a;
  return end;
}

bool Memory::View::areAllowed(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const {
  for (const std::uint64_t a : {address, address + bytes - 1})
    if (a >= kSize || (pages_[a / kPage] & permission) == 0) return false;
  return true;
}

std::optional<std::string> Memory::text(std::uint64_t address) const {
  constexpr std::uint64_t kLongest = 64 * 1024;
  std::string out;
  for (char c = 0; out.size() < kLongest; out += c) {
    if (!load(address + out.size(), c)) return std::nullopt;
    if (c == '\0') return out;
  }
  return std::nullopt;
}

void Memory::setPages(std::uint64_t address, std::uint64_t bytes, std::uint8_t to) {
  std::uint8_t *first = view_.pages_ + address / kPage;
  std::uint8_t *last = first + bytes / kPage;
  const auto isCode = [](std::uint8_t p) { return (p & kExecute) != 0; };
  if (isCode(to) || std::any_of(first, last, isCode)) ++codeVersion_;
  std::fill(first, last, to);
}

/// Takes a range out of `used_`.
void Memory::forget(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  auto it = used_.upper_bound(address);
  if (it != used_.begin() && std::prev(it)->second > address) --it;
  while (it != used_.end() && it->first < end) {
    const auto [from, to] = *it;
    it = used_.erase(it);
    if (from < address) used_[from] = address;
    if (to > end) used_[end] = to;
  }
}

bool Memory::map(std::uint64_t address, std::uint64_t bytes, std::uint8_t permissions) {
  if (!isRange(address, bytes)) return false;
  if (bytes == 0) return true;
  if (mmap(view_.base_ + address, bytes, PROT_READ | PROT_WRITE, kReservation | MAP_FIXED, -1, 0) == MAP_FAILED)
    return false;
  if ((permissions & kWrite) != 0) permissions |= kRead;
  setPages(address, bytes, permissions | kMapped);
  forget(address, bytes);
  std::uint64_t from = address, to = address + bytes;
  if (auto next = used_.find(to); next != used_.end()) {
    to = next->second;
    used_.erase(next);
  }
  auto before = used_.lower_bound(from);
  if (before != used_.begin() && std::prev(before)->second == from) {
    std::prev(before)->second = to;
  } else {
    used_[from] = to;
  }
  return true;
}

bool Memory::unmap(std::uint64_t address, std::uint64_t bytes) {
  if (!isRange(address, bytes)) return false;
  if (isFree(address, bytes)) return true;
  if (mmap(view_.base_ + address, bytes, PROT_NONE, kReservation | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
  setPages(address, bytes, 0);
  forget(address, bytes);
  return true;
}

bool Memory::protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t permissions) {
  if (!isRange(address, bytes) || !isMapped(address, bytes)) return false;
  if ((permissions & kWrite) != 0) permissions |= kRead;
  setPages(address, bytes, permissions | kMapped);
  return true;
}

bool Memory::isMapped(std::uint64_t address, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  const auto after = used_.upper_bound(address);
  return after != used_.begin() && std::prev(after)->second >= address + bytes;
}

bool Memory::isFree(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = used_.lower_bound(address);
  if (after != used_.end() && after->first < address + bytes) return false;
  return after == used_.begin() || std::prev(after)->second <= address;
}

std::optional<std::uint64_t> Memory::findFree(std::uint64_t bytes, std::uint64_t top) const {
  std::uint64_t end = top;
  for (auto it = used_.lower_bound(top); it != used_.begin();) {
    --it;
    if (it->second < end && end - it->second >= bytes) break;
    end = std::min(end, it->first);
  }
  if (end < kFirstGiven || end - kFirstGiven < bytes || !isFree(end - bytes, bytes)) return std::nullopt;
  return end - bytes;
}

}  // namespace pimento::guest::rv64
