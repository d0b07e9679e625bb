// System calls of Linux on RISC-V 64, as far as static programs of glibc and musl with one thread ask for them.
//
// Files are the host's; all else is made up, so that one input gives one run: ids, the system's name, random bytes from
// a seed, a clock that moves on a millisecond per question (as in QEMU, tools/qemu-plugin/clock.c). Signals end a
// program or are ignored; handlers are recorded and never called. Not here: faults (machine.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pimento/base/rng.h"
#include "pimento/guest/rv64/hart.h"
#include "pimento/guest/rv64/memory.h"

namespace pimento::guest::rv64 {

/// Of Linux's table; empty: none has the number.
std::string_view callName(std::uint64_t number);

struct LinuxSetup {
  std::string program;  ///< what /proc/self/exe is
  std::uint64_t breakAt = 0;
  int output = 2;           ///< the host's file for the guest's standard output
  bool reachesHost = true;  ///< false: there are no files, nothing to read, and what is written is gone
};

/// What a call did to the program.
struct CallOutcome {
  enum class Kind : std::uint8_t {
    kReturned,
    kExited,     ///< with `number`
    kSignalled,  ///< ended by signal `number`
    kUnknown,    ///< no such call here; `number` is the call's
    kBlocks,     ///< it waits for what never comes
    kHandler     ///< signal `number` has a handler, which would run now
  };
  Kind kind = Kind::kReturned;
  std::int64_t number = 0;
};

class Linux {
 public:
  Linux(Memory &memory, LinuxSetup setup);
  ~Linux();
  Linux(const Linux &) = delete;
  Linux &operator=(const Linux &) = delete;

  /// The call whose number is in a7. The result is in a0 but where the program ends.
  CallOutcome call(Hart &hart);
  /// A signal that the program gets now: by its own doing, or (`isForced`) by a fault.
  CallOutcome raise(int signal, bool isForced);
  /// Whether the last call was for the caches of code to be emptied.
  bool flushesCode() const { return flushesCode_; }

 private:
  using Arguments = std::array<std::uint64_t, 6>;
  using Handler = std::int64_t (Linux::*)(const Arguments &);
  struct Row;
  static const std::array<Row, 512> &table();

  template <typename T>
  bool put(std::uint64_t address, const T &value) {
    return memory_.store(address, value);
  }

  // Of processes, time and signals: linux.cpp.
  std::int64_t nothing(const Arguments &a);   ///< 0
  std::int64_t notThere(const Arguments &a);  ///< ENOSYS
  std::int64_t exit(const Arguments &a);
  std::int64_t uname(const Arguments &a);
  std::int64_t getrandom(const Arguments &a);
  std::int64_t clockGettime(const Arguments &a);
  std::int64_t clockGetres(const Arguments &a);
  std::int64_t gettimeofday(const Arguments &a);
  std::int64_t times(const Arguments &a);
  std::int64_t getrusage(const Arguments &a);
  std::int64_t prlimit(const Arguments &a);
  std::int64_t getrlimit(const Arguments &a);
  std::int64_t processId(const Arguments &a);
  std::int64_t parentId(const Arguments &a);
  std::int64_t userId(const Arguments &a);
  std::int64_t sysinfo(const Arguments &a);
  std::int64_t getAffinity(const Arguments &a);
  std::int64_t futex(const Arguments &a);
  std::int64_t sigaction(const Arguments &a);
  std::int64_t sigprocmask(const Arguments &a);
  std::int64_t sigaltstack(const Arguments &a);
  std::int64_t kill(const Arguments &a);
  std::int64_t tgkill(const Arguments &a);
  std::int64_t flushCode(const Arguments &a);
  std::int64_t putLimit(std::uint64_t resource, std::uint64_t address);
  std::int64_t sendSignal(std::uint64_t signal);
  std::uint64_t nextMillisecond();

  // Of memory: linux_memory.cpp.
  std::int64_t brk(const Arguments &a);
  std::int64_t mmap(const Arguments &a);
  std::int64_t munmap(const Arguments &a);
  std::int64_t mremap(const Arguments &a);
  std::int64_t mprotect(const Arguments &a);
  std::int64_t madvise(const Arguments &a);

  // Of files: linux_files.cpp.
  std::int64_t openat(const Arguments &a);
  std::int64_t close(const Arguments &a);
  std::int64_t read(const Arguments &a);
  std::int64_t write(const Arguments &a);
  std::int64_t pread(const Arguments &a);
  std::int64_t pwrite(const Arguments &a);
  std::int64_t readv(const Arguments &a);
  std::int64_t writev(const Arguments &a);
  std::int64_t lseek(const Arguments &a);
  std::int64_t fstat(const Arguments &a);
  std::int64_t fstatat(const Arguments &a);
  std::int64_t statx(const Arguments &a);
  std::int64_t ioctl(const Arguments &a);
  std::int64_t readlinkat(const Arguments &a);
  std::int64_t getcwd(const Arguments &a);
  std::int64_t faccessat(const Arguments &a);
  std::int64_t fcntl(const Arguments &a);
  std::int64_t dup(const Arguments &a);
  std::int64_t dup3(const Arguments &a);
  std::int64_t pipe2(const Arguments &a);
  std::int64_t getdents(const Arguments &a);
  std::int64_t unlinkat(const Arguments &a);
  std::int64_t mkdirat(const Arguments &a);
  std::int64_t ftruncate(const Arguments &a);
  std::int64_t renameat2(const Arguments &a);

  struct File {
    int host = -1;
    bool isOurs = false;  ///< closed with it
  };
  /// The host's number of a guest's file, or -1; AT_FDCWD is itself.
  int hostFile(std::uint64_t guest) const;
  std::int64_t addFile(int host, int from = 0);
  std::int64_t transfer(const Arguments &a, bool isWrite);
  std::int64_t transferAll(const Arguments &a, bool isWrite);

  Memory &memory_;
  LinuxSetup setup_;
  std::uint64_t breakStart_, break_;
  std::map<int, File> files_;
  Rng random_;
  std::uint64_t milliseconds_ = 0;
  static constexpr int kSignals = 65;
  std::array<std::array<std::uint64_t, 3>, kSignals> actions_{};  ///< handler, flags, mask
  std::uint64_t blocked_ = 0, pending_ = 0;
  std::array<std::uint64_t, 3> alternateStack_{0, 2, 0};  ///< none
  CallOutcome outcome_;
  bool flushesCode_ = false;
};

}  // namespace pimento::guest::rv64
