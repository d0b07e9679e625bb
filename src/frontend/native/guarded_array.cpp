#include "pimento/frontend/native/guarded_array.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace pimento::frontend {

namespace {

constexpr std::size_t kGuard = std::size_t{16} << 20;
constexpr std::byte kUntouched{0x4b};

}  // namespace

std::optional<GuardedArray> GuardedArray::make(std::size_t bytes, std::size_t behind) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::size_t room = (size + behind + page - 1) / page * page;
  const std::size_t whole = room + 2 * kGuard;
  void *const all = mmap(nullptr, whole, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return std::nullopt;
  auto *const first = static_cast<std::byte *>(all);
  if (mprotect(first + kGuard, room, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, whole);
    return std::nullopt;
  }
  const std::size_t before = room - size - behind;
  std::byte *const data = first + kGuard + before;
  std::fill(first + kGuard, data, kUntouched);
  std::fill_n(data + size, behind, kUntouched);
  return GuardedArray(first, whole, data, size, before, behind);
}

GuardedArray::GuardedArray(std::byte *all, std::size_t allBytes, std::byte *data, std::size_t size, std::size_t before,
                           std::size_t behind)
    : all_(all), allBytes_(allBytes), data_(data), size_(size), before_(before), behind_(behind) {}

GuardedArray::GuardedArray(GuardedArray &&other) noexcept
    : all_(std::exchange(other.all_, nullptr)),
      allBytes_(other.allBytes_),
      data_(other.data_),
      size_(other.size_),
      before_(other.before_),
      behind_(other.behind_) {}

GuardedArray::~GuardedArray() {
  if (all_ != nullptr) munmap(all_, allBytes_);
}

std::optional<std::ptrdiff_t> GuardedArray::offsetOf(const void *address) const {
  const auto *const at = static_cast<const std::byte *>(address);
  if (at < all_ || at >= all_ + allBytes_) return std::nullopt;
  return at - data_;
}

std::optional<std::ptrdiff_t> GuardedArray::writtenOutside() const {
  const auto end = static_cast<std::ptrdiff_t>(size_);
  for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(std::max(before_, behind_)); ++at) {
    if (at < static_cast<std::ptrdiff_t>(behind_) && data_[end + at] != kUntouched) return end + at;
    if (at < static_cast<std::ptrdiff_t>(before_) && data_[-1 - at] != kUntouched) return -1 - at;
  }
  return std::nullopt;
}

}  // namespace pimento::frontend
