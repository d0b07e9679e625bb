// Calls that change the address space.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "pimento/guest/rv64/linux.h"
#include "pimento/guest/rv64/loader.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::uint64_t kPage = Memory::kPage;
constexpr std::uint64_t kPermissions = kRead | kWrite | kExecute;  // as PROT_READ, PROT_WRITE, PROT_EXEC

constexpr bool isAligned(std::uint64_t a) {
  return a % kPage == 0;
}
/// Up to a page; 0 where that is more than there is.
constexpr std::uint64_t pages(std::uint64_t bytes) {
  return bytes > Memory::kSize ? 0 : (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

std::int64_t Linux::brk(const Arguments &a) {
  const std::uint64_t next = a[0];
  const auto now = [&] { return static_cast<std::int64_t>(break_); };
  if (next < breakStart_ || next >= kMappingsTop) return now();
  const std::uint64_t from = pages(break_), to = pages(next);
  if (to > from && (!memory_.isFree(from, to - from) || !memory_.map(from, to - from, kRead | kWrite))) return now();
  if (to < from) memory_.unmap(to, from - to);
  break_ = next;
  return now();
}

std::int64_t Linux::mmap(const Arguments &a) {
  enum : std::uint64_t { kShared = 1, kPrivate = 2, kFixed = 0x10, kAnonymous = 0x20, kFixedNoReplace = 0x100000 };
  const std::uint64_t bytes = pages(a[1]), flags = a[3], offset = a[5];
  const auto permissions = static_cast<std::uint8_t>(a[2] & kPermissions);
  if (a[1] == 0 || !isAligned(offset) || (flags & (kShared | kPrivate)) == 0) return -EINVAL;
  if (bytes == 0) return -ENOMEM;
  const bool isFile = (flags & kAnonymous) == 0;
  const int file = isFile ? hostFile(a[4]) : -1;
  if (isFile && file < 0) return -EBADF;
  // A file's bytes are a copy, so that nothing is written back.
  if (isFile && (flags & kPrivate) == 0 && (permissions & kWrite) != 0) return -ENODEV;
  std::uint64_t at = a[0];
  if ((flags & (kFixed | kFixedNoReplace)) != 0) {
    if (!isAligned(at)) return -EINVAL;
    if (at < kPage || at >= Memory::kSize || bytes > Memory::kSize - at) return -ENOMEM;
    if ((flags & kFixedNoReplace) != 0 && !memory_.isFree(at, bytes)) return -EEXIST;
  } else {
    const auto free = memory_.findFree(bytes, kMappingsTop);
    if (!free) return -ENOMEM;
    at = *free;
  }
  if (!memory_.map(at, bytes, isFile ? kRead | kWrite : permissions)) return -ENOMEM;
  if (!isFile) return static_cast<std::int64_t>(at);
  std::uint64_t done = 0;
  while (done < a[1]) {
    const ssize_t n =
        ::pread(file, memory_.at(at + done, a[1] - done, kWrite), a[1] - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && done == 0) {
      const int why = errno;
      memory_.unmap(at, bytes);
      return -why;
    }
    if (n <= 0) break;
    done += static_cast<std::uint64_t>(n);
  }
  memory_.protect(at, bytes, permissions);
  return static_cast<std::int64_t>(at);
}

std::int64_t Linux::munmap(const Arguments &a) {
  const std::uint64_t bytes = pages(a[1]);
  if (bytes == 0 || !isAligned(a[0])) return -EINVAL;
  return memory_.unmap(a[0], bytes) ? 0 : -EINVAL;
}

std::int64_t Linux::mremap(const Arguments &a) {
  enum : std::uint64_t { kMayMove = 1, kKnown = kMayMove };
  const std::uint64_t at = a[0], before = pages(a[1]), after = pages(a[2]);
  if (!isAligned(at) || before == 0 || a[2] == 0 || (a[3] & ~kKnown) != 0) return -EINVAL;
  if (after == 0) return -ENOMEM;
  if (!memory_.isMapped(at, before)) return -EFAULT;
  if (after <= before) return memory_.unmap(at + after, before - after) ? static_cast<std::int64_t>(at) : -ENOMEM;
  const std::uint8_t permissions = memory_.permissions(at);
  const std::uint64_t more = after - before;
  if (at < kMappingsTop && more < kMappingsTop - at - before && memory_.isFree(at + before, more))
    return memory_.map(at + before, more, permissions) ? static_cast<std::int64_t>(at) : -ENOMEM;
  if ((a[3] & kMayMove) == 0) return -ENOMEM;
  const auto free = memory_.findFree(after, kMappingsTop);
  if (!free || !memory_.map(*free, after, kRead | kWrite)) return -ENOMEM;
  memory_.protect(at, before, kRead | kWrite);
  std::memcpy(memory_.at(*free, before, kWrite), memory_.at(at, before, kRead), before);
  memory_.unmap(at, before);
  memory_.protect(*free, after, permissions);
  return static_cast<std::int64_t>(*free);
}

std::int64_t Linux::mprotect(const Arguments &a) {
  const std::uint64_t bytes = pages(a[1]);
  if (!isAligned(a[0]) || (a[2] & ~kPermissions) != 0) return -EINVAL;
  if (a[1] == 0) return 0;
  if (bytes == 0) return -ENOMEM;
  return memory_.protect(a[0], bytes, static_cast<std::uint8_t>(a[2])) ? 0 : -ENOMEM;
}

/// Advice is not taken, but for the one after which pages are zero.
std::int64_t Linux::madvise(const Arguments &a) {
  constexpr std::uint64_t kDontNeed = 4;
  const std::uint64_t bytes = pages(a[1]);
  if (!isAligned(a[0])) return -EINVAL;
  if (a[2] != kDontNeed) return 0;
  if (a[1] == 0) return 0;
  if (bytes == 0 || !memory_.isMapped(a[0], bytes)) return -ENOMEM;
  for (std::uint64_t p = a[0]; p < a[0] + bytes; p += kPage)
    if (!memory_.map(p, kPage, memory_.permissions(p))) return -ENOMEM;
  return 0;
}

}  // namespace pimento::guest::rv64
