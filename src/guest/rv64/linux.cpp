#include "pimento/guest/rv64/linux.h"

#include <cerrno>
#include <limits>
#include <utility>

#include "pimento/guest/rv64/loader.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kStartSeconds = 1577836800;  ///< 2020-01-01, as tools/qemu-plugin/clock.c
constexpr std::uint64_t kThousand = 1000, kMillion = 1000000;

/// Registers of the calling convention.
constexpr std::size_t kA0 = 10, kA7 = 17;

}  // namespace

struct Linux::Row {
  Handler handler = nullptr;
};

/// By number; null: not here.
const std::array<Linux::Row, 512> &Linux::table() {
  static const auto kTable = [] {
    std::array<Row, 512> t{};
    const std::pair<int, Handler> rows[] = {
        {17, &Linux::getcwd},
        {23, &Linux::dup},
        {24, &Linux::dup3},
        {25, &Linux::fcntl},
        {29, &Linux::ioctl},
        {34, &Linux::mkdirat},
        {35, &Linux::unlinkat},
        {46, &Linux::ftruncate},
        {48, &Linux::faccessat},
        {56, &Linux::openat},
        {57, &Linux::close},
        {59, &Linux::pipe2},
        {61, &Linux::getdents},
        {62, &Linux::lseek},
        {63, &Linux::read},
        {64, &Linux::write},
        {65, &Linux::readv},
        {66, &Linux::writev},
        {67, &Linux::pread},
        {68, &Linux::pwrite},
        {78, &Linux::readlinkat},
        {79, &Linux::fstatat},
        {80, &Linux::fstat},
        {82, &Linux::nothing} /* fsync */,
        {83, &Linux::nothing},
        {93, &Linux::exit},
        {94, &Linux::exit},
        {96, &Linux::processId},
        {98, &Linux::futex},
        {99, &Linux::nothing} /* set_robust_list */,
        {101, &Linux::nothing},
        {113, &Linux::clockGettime},
        {114, &Linux::clockGetres},
        {115, &Linux::nothing},
        {122, &Linux::nothing},
        {123, &Linux::getAffinity},
        {124, &Linux::nothing},
        {129, &Linux::kill},
        {130, &Linux::kill},
        {131, &Linux::tgkill},
        {132, &Linux::sigaltstack},
        {134, &Linux::sigaction},
        {135, &Linux::sigprocmask},
        {153, &Linux::times},
        {160, &Linux::uname},
        {163, &Linux::getrlimit},
        {165, &Linux::getrusage},
        {166, &Linux::nothing} /* umask */,
        {167, &Linux::nothing},
        {169, &Linux::gettimeofday},
        {172, &Linux::processId},
        {173, &Linux::parentId},
        {174, &Linux::userId},
        {175, &Linux::userId},
        {176, &Linux::userId},
        {177, &Linux::userId},
        {178, &Linux::processId},
        {179, &Linux::sysinfo},
        {214, &Linux::brk},
        {215, &Linux::munmap},
        {216, &Linux::mremap},
        {222, &Linux::mmap},
        {226, &Linux::mprotect},
        {227, &Linux::nothing},
        {233, &Linux::madvise},
        {258, &Linux::notThere} /* riscv_hwprobe */,
        {259, &Linux::flushCode},
        {261, &Linux::prlimit},
        {276, &Linux::renameat2},
        {278, &Linux::getrandom},
        {283, &Linux::notThere} /* membarrier */,
        {291, &Linux::statx},
        {293, &Linux::notThere} /* rseq */,
        {439, &Linux::faccessat},
    };
    for (const auto &[number, handler] : rows) t[static_cast<std::size_t>(number)].handler = handler;
    return t;
  }();
  return kTable;
}

Linux::Linux(Memory &memory, LinuxSetup setup)
    : memory_(memory), setup_(std::move(setup)), breakStart_(setup_.breakAt), break_(setup_.breakAt), random_(kSeed) {
  files_ = {{0, {0, false}}, {1, {setup_.output, false}}, {2, {2, false}}};
}

CallOutcome Linux::call(Hart &hart) {
  const std::uint64_t number = hart.x[kA7];
  const Handler handler = number < table().size() ? table()[number].handler : nullptr;
  if (handler == nullptr) return {CallOutcome::Kind::kUnknown, static_cast<std::int64_t>(number)};
  Arguments a;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = hart.x[kA0 + i];
  outcome_ = {};
  flushesCode_ = false;
  const std::int64_t result = (this->*handler)(a);
  hart.x[kA0] = static_cast<std::uint64_t>(result);
  hart.dropReservation();
  return outcome_;
}

std::int64_t Linux::nothing(const Arguments & /*a*/) {
  return 0;
}
std::int64_t Linux::notThere(const Arguments & /*a*/) {
  return -ENOSYS;
}

std::int64_t Linux::exit(const Arguments &a) {
  constexpr std::uint64_t kStatus = 0xff;
  outcome_ = {CallOutcome::Kind::kExited, static_cast<std::int64_t>(a[0] & kStatus)};
  return 0;
}

std::int64_t Linux::flushCode(const Arguments & /*a*/) {
  flushesCode_ = true;
  return 0;
}

std::int64_t Linux::uname(const Arguments &a) {
  constexpr std::size_t kField = 65;
  constexpr std::string_view kFields[] = {"Linux", "localhost", "6.1.0", "#1 SMP", "riscv64", "(none)"};
  std::array<char, kField * std::size(kFields)> out{};
  for (std::size_t i = 0; i < std::size(kFields); ++i) kFields[i].copy(out.data() + i * kField, kField - 1);
  return put(a[0], out) ? 0 : -EFAULT;
}

std::int64_t Linux::getrandom(const Arguments &a) {
  constexpr std::uint64_t kMost = 1 << 20;
  const std::uint64_t bytes = std::min(a[1], kMost);
  std::byte *to = memory_.at(a[0], bytes, kWrite);
  if (to == nullptr) return -EFAULT;
  for (std::uint64_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(random_.next());
  return static_cast<std::int64_t>(bytes);
}

std::uint64_t Linux::nextMillisecond() {
  return kStartSeconds * kThousand + milliseconds_++;
}

std::int64_t Linux::clockGettime(const Arguments &a) {
  const std::uint64_t now = nextMillisecond();
  const std::array<std::uint64_t, 2> out{now / kThousand, now % kThousand * kMillion};
  return put(a[1], out) ? 0 : -EFAULT;
}

std::int64_t Linux::clockGetres(const Arguments &a) {
  const std::array<std::uint64_t, 2> out{0, kMillion};
  return a[1] == 0 || put(a[1], out) ? 0 : -EFAULT;
}

std::int64_t Linux::gettimeofday(const Arguments &a) {
  const std::uint64_t now = nextMillisecond();
  const std::array<std::uint64_t, 2> out{now / kThousand, now % kThousand * kThousand};
  return a[0] == 0 || put(a[0], out) ? 0 : -EFAULT;
}

std::int64_t Linux::times(const Arguments &a) {
  constexpr std::uint64_t kPerTick = 10;  // milliseconds
  const std::uint64_t now = nextMillisecond() / kPerTick;
  const std::array<std::uint64_t, 4> out{milliseconds_ / kPerTick, 0, 0, 0};
  if (a[0] != 0 && !put(a[0], out)) return -EFAULT;
  return static_cast<std::int64_t>(now);
}

std::int64_t Linux::getrusage(const Arguments &a) {
  const std::uint64_t now = milliseconds_++;
  std::array<std::uint64_t, 18> out{now / kThousand, now % kThousand * kThousand};
  return put(a[1], out) ? 0 : -EFAULT;
}

std::int64_t Linux::putLimit(std::uint64_t resource, std::uint64_t address) {
  constexpr std::uint64_t kStack = 3, kFiles = 7, kMostFiles = 1024, kResources = 16;
  if (resource >= kResources) return -EINVAL;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const std::uint64_t limit = resource == kStack ? kStackBytes : resource == kFiles ? kMostFiles : kNone;
  return address == 0 || put(address, std::array<std::uint64_t, 2>{limit, limit}) ? 0 : -EFAULT;
}

std::int64_t Linux::prlimit(const Arguments &a) {
  if (a[0] != 0 && a[0] != kProcess) return -ESRCH;
  return putLimit(a[1], a[3]);
}

std::int64_t Linux::getrlimit(const Arguments &a) {
  return putLimit(a[0], a[1]);
}

std::int64_t Linux::processId(const Arguments & /*a*/) {
  return kProcess;
}
std::int64_t Linux::parentId(const Arguments & /*a*/) {
  return 1;
}
std::int64_t Linux::userId(const Arguments & /*a*/) {
  return kUser;
}

std::int64_t Linux::sysinfo(const Arguments &a) {
  constexpr std::uint64_t kMemory = std::uint64_t{4} << 30;
  struct {
    std::uint64_t uptime = 1, loads[3] = {}, total = kMemory, free = kMemory / 2, shared = 0, buffers = 0, swap = 0,
                  freeSwap = 0;
    std::uint16_t processes = 1, padding = 0;
    std::uint32_t padding2 = 0;
    std::uint64_t high = 0, freeHigh = 0;
    std::uint32_t unit = 1, padding3 = 0;
  } const out;
  return put(a[0], out) ? 0 : -EFAULT;
}

std::int64_t Linux::getAffinity(const Arguments &a) {
  constexpr std::uint64_t kOne = 1;
  if (a[1] < sizeof kOne) return -EINVAL;
  return put(a[2], kOne) ? static_cast<std::int64_t>(sizeof kOne) : -EFAULT;
}

std::int64_t Linux::futex(const Arguments &a) {
  enum : std::uint64_t { kWait, kWake, kRequeue = 3, kCompareRequeue = 4, kWaitBits = 9, kWakeBits = 10 };
  constexpr std::uint64_t kCommand = 127;
  std::uint32_t now = 0;
  switch (a[1] & kCommand) {
    case kWake:
    case kWakeBits:
    case kRequeue:
    case kCompareRequeue:
      return 0;
    case kWait:
    case kWaitBits:
      if (!memory_.load(a[0], now)) return -EFAULT;
      if (now != static_cast<std::uint32_t>(a[2])) return -EAGAIN;
      if (a[3] != 0) return -ETIMEDOUT;
      outcome_ = {CallOutcome::Kind::kBlocks, static_cast<std::int64_t>(98)};
      return 0;
    default:
      return -ENOSYS;
  }
}

namespace {

constexpr std::uint64_t maskOf(int signal) {
  return std::uint64_t{1} << (signal - 1);
}
constexpr int kKill = 9, kStop = 19;
/// Signals that end nothing: SIGCHLD, SIGCONT, SIGURG, SIGWINCH, and those that stop a process.
constexpr std::uint64_t kHarmless =
    maskOf(17) | maskOf(18) | maskOf(19) | maskOf(20) | maskOf(21) | maskOf(22) | maskOf(23) | maskOf(28);
constexpr std::uint64_t kIgnore = 1;  // SIG_IGN
constexpr std::uint64_t kSetBytes = 8;

}  // namespace

std::int64_t Linux::sigaction(const Arguments &a) {
  const std::uint64_t signal = a[0];
  if (signal == 0 || signal >= kSignals || a[3] != kSetBytes) return -EINVAL;
  if (a[1] != 0 && (signal == kKill || signal == kStop)) return -EINVAL;
  std::array<std::uint64_t, 3> next{};
  if (a[1] != 0 && !memory_.load(a[1], next)) return -EFAULT;
  if (a[2] != 0 && !put(a[2], actions_[signal])) return -EFAULT;
  if (a[1] != 0) actions_[signal] = next;
  return 0;
}

std::int64_t Linux::sigprocmask(const Arguments &a) {
  enum : std::uint64_t { kBlock, kUnblock, kSet };
  if (a[3] != kSetBytes || (a[1] != 0 && a[0] > kSet)) return -EINVAL;
  std::uint64_t next = 0;
  if (a[1] != 0 && !memory_.load(a[1], next)) return -EFAULT;
  if (a[2] != 0 && !put(a[2], blocked_)) return -EFAULT;
  if (a[1] == 0) return 0;
  blocked_ = a[0] == kBlock ? blocked_ | next : a[0] == kUnblock ? blocked_ & ~next : next;
  blocked_ &= ~(maskOf(kKill) | maskOf(kStop));
  for (int s = 1; s < kSignals; ++s)
    if ((pending_ & ~blocked_ & maskOf(s)) != 0 && outcome_.kind == CallOutcome::Kind::kReturned) {
      pending_ &= ~maskOf(s);
      outcome_ = raise(s, false);
    }
  return 0;
}

std::int64_t Linux::sigaltstack(const Arguments &a) {
  std::array<std::uint64_t, 3> next{};
  if (a[0] != 0 && !memory_.load(a[0], next)) return -EFAULT;
  if (a[1] != 0 && !put(a[1], alternateStack_)) return -EFAULT;
  if (a[0] != 0) alternateStack_ = next;
  return 0;
}

CallOutcome Linux::raise(int signal, bool isForced) {
  const std::uint64_t handler = actions_[static_cast<std::size_t>(signal)][0];
  if (!isForced) {
    if ((blocked_ & maskOf(signal)) != 0) {
      pending_ |= maskOf(signal);
      return {};
    }
    if (handler == kIgnore || (handler == 0 && (kHarmless & maskOf(signal)) != 0)) return {};
  }
  const bool isHandled = handler > kIgnore && (blocked_ & maskOf(signal)) == 0;
  return {isHandled ? CallOutcome::Kind::kHandler : CallOutcome::Kind::kSignalled, signal};
}

std::int64_t Linux::sendSignal(std::uint64_t signal) {
  if (signal >= kSignals) return -EINVAL;
  if (signal != 0) outcome_ = raise(static_cast<int>(signal), false);
  return 0;
}

/// And tkill. To the process, its group, or everyone.
std::int64_t Linux::kill(const Arguments &a) {
  const auto to = static_cast<std::int64_t>(a[0]);
  const auto own = static_cast<std::int64_t>(kProcess);
  return to == own || to == -own || to == 0 || to == -1 ? sendSignal(a[1]) : -ESRCH;
}

std::int64_t Linux::tgkill(const Arguments &a) {
  return a[0] == kProcess && a[1] == kProcess ? sendSignal(a[2]) : -ESRCH;
}

}  // namespace pimento::guest::rv64
