// Calls on files, which are the host's.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>

#include "pimento/guest/rv64/linux.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::int64_t kCurrentFolder = -100;  // AT_FDCWD

/// The host's error, or the result.
std::int64_t orError(std::int64_t result) {
  return result < 0 ? -errno : result;
}

int hostFlags(std::uint64_t guest) {
  // asm-generic/fcntl.h
  static constexpr std::pair<std::uint64_t, int> kFlags[] = {
      {0100, O_CREAT},     {0200, O_EXCL},    {0400, O_NOCTTY},       {01000, O_TRUNC},      {02000, O_APPEND},
      {04000, O_NONBLOCK}, {010000, O_DSYNC}, {0200000, O_DIRECTORY}, {0400000, O_NOFOLLOW}, {010000000, O_PATH}};
  int out = static_cast<int>(guest & O_ACCMODE) | O_CLOEXEC;
  for (const auto &[flag, host] : kFlags)
    if ((guest & flag) != 0) out |= host;
  return out;
}

/// asm-generic/stat.h
struct GuestStat {
  std::uint64_t device, inode;
  std::uint32_t mode, links, user, group;
  std::uint64_t special, padding;
  std::int64_t size;
  std::int32_t blockSize, padding2;
  std::int64_t blocks;
  std::int64_t accessed, accessedNs, modified, modifiedNs, changed, changedNs;
  std::uint32_t unused[2];
};
static_assert(sizeof(GuestStat) == 128);

GuestStat guestStat(const struct stat &s) {
  return {s.st_dev,
          s.st_ino,
          s.st_mode,
          static_cast<std::uint32_t>(s.st_nlink),
          s.st_uid,
          s.st_gid,
          s.st_rdev,
          0,
          s.st_size,
          static_cast<std::int32_t>(s.st_blksize),
          0,
          s.st_blocks,
          s.st_atim.tv_sec,
          s.st_atim.tv_nsec,
          s.st_mtim.tv_sec,
          s.st_mtim.tv_nsec,
          s.st_ctim.tv_sec,
          s.st_ctim.tv_nsec,
          {}};
}

/// What Linux tells of the guest is not what it would tell of this process.
bool isOfThisProcess(const std::string &path) {
  return path.starts_with("/proc/self/") || path.starts_with("/proc/thread-self/");
}

}  // namespace

Linux::~Linux() {
  for (const auto &[guest, file] : files_)
    if (file.isOurs) ::close(file.host);
}

int Linux::hostFile(std::uint64_t guest) const {
  const auto number = static_cast<std::int32_t>(guest);
  if (number == kCurrentFolder) return AT_FDCWD;
  const auto it = files_.find(number);
  return it == files_.end() ? -1 : it->second.host;
}

/// Gives it the lowest number from `from` on; of a failed call, its error.
std::int64_t Linux::addFile(int host, int from) {
  if (host < 0) return -errno;
  int number = from;
  while (files_.contains(number)) ++number;
  files_[number] = {host, true};
  return number;
}

std::int64_t Linux::openat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  if (isOfThisProcess(*path)) return -ENOENT;
  const int folder = hostFile(a[0]);
  if (folder == -1 && !path->starts_with('/')) return -EBADF;
  return addFile(::openat(folder, path->c_str(), hostFlags(a[2]), static_cast<mode_t>(a[3])));
}

std::int64_t Linux::close(const Arguments &a) {
  const auto it = files_.find(static_cast<int>(a[0]));
  if (it == files_.end()) return -EBADF;
  if (it->second.isOurs) ::close(it->second.host);
  files_.erase(it);
  return 0;
}

std::int64_t Linux::transfer(const Arguments &a, bool isWrite) {
  const int file = hostFile(a[0]);
  if (file < 0) return -EBADF;
  constexpr std::uint64_t kMost = 0x7ffff000;
  const std::uint64_t bytes = std::min(a[2], kMost);
  std::byte *at = memory_.at(a[1], bytes, isWrite ? kRead : kWrite);
  if (at == nullptr) return -EFAULT;
  if (!setup_.reachesHost) return isWrite ? static_cast<std::int64_t>(bytes) : 0;
  for (;;) {
    const ssize_t n = isWrite ? ::write(file, at, bytes) : ::read(file, at, bytes);
    if (n >= 0 || errno != EINTR) return orError(n);
  }
}

std::int64_t Linux::read(const Arguments &a) {
  return transfer(a, false);
}
std::int64_t Linux::write(const Arguments &a) {
  return transfer(a, true);
}

std::int64_t Linux::transferAll(const Arguments &a, bool isWrite) {
  if (a[2] > IOV_MAX) return -EINVAL;
  std::int64_t done = 0;
  for (std::uint64_t i = 0; i < a[2]; ++i) {
    std::array<std::uint64_t, 2> part;  // address, bytes
    if (!memory_.load(a[1] + i * sizeof part, part)) return done > 0 ? done : -EFAULT;
    if (part[1] == 0) continue;
    const std::int64_t n = transfer({a[0], part[0], part[1]}, isWrite);
    if (n < 0) return done > 0 ? done : n;
    done += n;
    if (static_cast<std::uint64_t>(n) < part[1]) break;
  }
  return done;
}

std::int64_t Linux::readv(const Arguments &a) {
  return transferAll(a, false);
}
std::int64_t Linux::writev(const Arguments &a) {
  return transferAll(a, true);
}

std::int64_t Linux::pread(const Arguments &a) {
  std::byte *at = memory_.at(a[1], a[2], kWrite);
  if (at == nullptr) return -EFAULT;
  if (!setup_.reachesHost) return 0;
  return orError(::pread(hostFile(a[0]), at, a[2], static_cast<off_t>(a[3])));
}

std::int64_t Linux::pwrite(const Arguments &a) {
  const std::byte *at = memory_.at(a[1], a[2], kRead);
  if (at == nullptr) return -EFAULT;
  if (!setup_.reachesHost) return static_cast<std::int64_t>(a[2]);
  return orError(::pwrite(hostFile(a[0]), at, a[2], static_cast<off_t>(a[3])));
}

std::int64_t Linux::lseek(const Arguments &a) {
  if (!setup_.reachesHost) return -ESPIPE;
  return orError(::lseek(hostFile(a[0]), static_cast<off_t>(a[1]), static_cast<int>(a[2])));
}

std::int64_t Linux::fstat(const Arguments &a) {
  struct stat s{};
  if (setup_.reachesHost && ::fstat(hostFile(a[0]), &s) != 0) return -errno;
  return put(a[1], guestStat(s)) ? 0 : -EFAULT;
}

std::int64_t Linux::fstatat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  struct stat s{};
  if (::fstatat(hostFile(a[0]), path->c_str(), &s, static_cast<int>(a[3])) != 0) return -errno;
  return put(a[2], guestStat(s)) ? 0 : -EFAULT;
}

std::int64_t Linux::statx(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  struct statx s{};
  if (::statx(hostFile(a[0]), path->c_str(), static_cast<int>(a[2]), static_cast<unsigned>(a[3]), &s) != 0)
    return -errno;
  return put(a[4], s) ? 0 : -EFAULT;
}

/// No file is a terminal.
std::int64_t Linux::ioctl(const Arguments &a) {
  return hostFile(a[0]) < 0 ? -EBADF : -ENOTTY;
}

std::int64_t Linux::readlinkat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  std::string link;
  if (*path == "/proc/self/exe") {
    std::error_code failed;
    link = setup_.reachesHost ? std::filesystem::absolute(setup_.program, failed).string() : setup_.program;
  } else {
    if (!setup_.reachesHost) return -EACCES;
    link.resize(PATH_MAX);
    const ssize_t n = ::readlinkat(hostFile(a[0]), path->c_str(), link.data(), link.size());
    if (n < 0) return -errno;
    link.resize(static_cast<std::size_t>(n));
  }
  if (a[3] == 0) return -EINVAL;
  const std::uint64_t bytes = std::min<std::uint64_t>(link.size(), a[3]);
  std::byte *to = memory_.at(a[2], bytes, kWrite);
  if (to == nullptr) return -EFAULT;
  std::memcpy(to, link.data(), bytes);
  return static_cast<std::int64_t>(bytes);
}

std::int64_t Linux::getcwd(const Arguments &a) {
  std::error_code failed;
  const std::string folder = setup_.reachesHost ? std::filesystem::current_path(failed).string() : "/";
  if (failed) return -ENOENT;
  const std::uint64_t bytes = folder.size() + 1;
  if (a[1] < bytes) return -ERANGE;
  std::byte *to = memory_.at(a[0], bytes, kWrite);
  if (to == nullptr) return -EFAULT;
  std::memcpy(to, folder.c_str(), bytes);
  return static_cast<std::int64_t>(bytes);
}

std::int64_t Linux::faccessat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  return orError(::faccessat(hostFile(a[0]), path->c_str(), static_cast<int>(a[2]), 0));
}

std::int64_t Linux::fcntl(const Arguments &a) {
  enum : std::uint64_t {
    kDup,
    kGetFd,
    kSetFd,
    kGetFlags,
    kSetFlags,
    kGetLock,
    kSetLock,
    kSetLockWait,
    kDupClose = 1030
  };
  constexpr std::uint64_t kMostFiles = 1024;
  const int file = hostFile(a[0]);
  if (file < 0) return -EBADF;
  switch (a[1]) {
    case kDup:
    case kDupClose:
      if (a[2] >= kMostFiles) return -EINVAL;
      return addFile(::fcntl(file, F_DUPFD_CLOEXEC, 0), static_cast<int>(a[2]));
    case kGetFlags:
      // Flags of access, and those that hosts agree on.
      return orError(::fcntl(file, F_GETFL)) & (O_ACCMODE | O_APPEND | O_NONBLOCK);
    case kGetFd:
    case kSetFd:
    case kSetFlags:
    case kSetLock:
    case kSetLockWait:
      return 0;
    default:
      return -EINVAL;
  }
}

std::int64_t Linux::dup(const Arguments &a) {
  const int file = hostFile(a[0]);
  return file < 0 ? -EBADF : addFile(::fcntl(file, F_DUPFD_CLOEXEC, 0));
}

std::int64_t Linux::dup3(const Arguments &a) {
  constexpr std::uint64_t kMostFiles = 1024;
  const int file = hostFile(a[0]);
  if (file < 0 || a[1] >= kMostFiles) return -EBADF;
  if (a[0] == a[1]) return -EINVAL;
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return -errno;
  if (files_.contains(static_cast<int>(a[1]))) close({a[1]});
  return addFile(copy, static_cast<int>(a[1]));
}

std::int64_t Linux::pipe2(const Arguments &a) {
  if (!setup_.reachesHost) return -EMFILE;
  int ends[2];
  if (::pipe2(ends, hostFlags(a[1]) & (O_CLOEXEC | O_NONBLOCK)) != 0) return -errno;
  std::array<std::int32_t, 2> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(addFile(ends[i]));
  return put(a[0], out) ? 0 : -EFAULT;
}

/// The host's records are the guest's.
std::int64_t Linux::getdents(const Arguments &a) {
  const std::uint64_t bytes = std::min<std::uint64_t>(a[2], INT_MAX);
  std::byte *to = memory_.at(a[1], bytes, kWrite);
  if (to == nullptr) return -EFAULT;
  return orError(::syscall(SYS_getdents64, hostFile(a[0]), to, bytes));
}

std::int64_t Linux::unlinkat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  return orError(::unlinkat(hostFile(a[0]), path->c_str(), static_cast<int>(a[2])));
}

std::int64_t Linux::mkdirat(const Arguments &a) {
  const auto path = memory_.text(a[1]);
  if (!path) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  return orError(::mkdirat(hostFile(a[0]), path->c_str(), static_cast<mode_t>(a[2])));
}

std::int64_t Linux::ftruncate(const Arguments &a) {
  if (!setup_.reachesHost) return -EINVAL;
  return orError(::ftruncate(hostFile(a[0]), static_cast<off_t>(a[1])));
}

std::int64_t Linux::renameat2(const Arguments &a) {
  const auto from = memory_.text(a[1]), to = memory_.text(a[3]);
  if (!from || !to) return -EFAULT;
  if (!setup_.reachesHost) return -EACCES;
  if (a[4] != 0) return -EINVAL;
  return orError(::renameat(hostFile(a[0]), from->c_str(), hostFile(a[2]), to->c_str()));
}

}  // namespace pimento::guest::rv64
