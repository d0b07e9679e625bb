#include "pimento/frontend/native/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>

namespace pimento::frontend {

namespace {

/// The child's end of the pipe, by a number that all of its code knows: it has no other state.
constexpr int kReport = 3;
constexpr std::size_t kStackGuard = std::size_t{1} << 20;

static_assert(std::is_trivially_copyable_v<ChildEnd>, "it goes through a pipe");

[[noreturn]] void report(const ChildEnd &end) {
  // A pipe takes this much in one piece.
  const ssize_t written = write(kReport, &end, sizeof end);
  _exit(written == static_cast<ssize_t>(sizeof end) ? 0 : 1);
}

void onSignal(int signal, siginfo_t *info, void * /*context*/) {
  ChildEnd end;
  end.how = signal == SIGXCPU ? ChildEnd::How::kTime : ChildEnd::How::kSignal;
  end.signal = signal;
  if (signal == SIGFPE) end.how = ChildEnd::How::kUndefined;
  if (signal == SIGSEGV || signal == SIGBUS) {
    end.how = ChildEnd::How::kFault;
    end.address = info->si_addr;
  }
  report(end);
}

/// Stacks of the child: one for the function, one for handlers. They end at a guard.
class Stacks {
 public:
  explicit Stacks(std::size_t bytes) : bytes_(bytes) {
    void *const found = mmap(nullptr, kStackGuard + bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (found == MAP_FAILED) return;
    all_ = static_cast<std::byte *>(found);
    if (mprotect(all_, kStackGuard, PROT_NONE) != 0) release();
  }
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  ~Stacks() { release(); }

  explicit operator bool() const { return all_ != nullptr; }
  stack_t forFunction() const { return {all_ + kStackGuard, 0, bytes_ - kForHandlers}; }
  stack_t forHandlers() const { return {all_ + kStackGuard + bytes_ - kForHandlers, 0, kForHandlers}; }
  bool isGuard(const void *address) const { return address >= all_ && address < all_ + kStackGuard; }

 private:
  static constexpr std::size_t kForHandlers = std::size_t{64} << 10;

  void release() {
    if (all_ != nullptr) munmap(all_, kStackGuard + bytes_);
    all_ = nullptr;
  }

  std::byte *all_ = nullptr;
  std::size_t bytes_;
};

/// Bytes of data that this process has; 0 where the system does not say.
std::size_t dataBytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen("/proc/self/statm", "r"), std::fclose);
  unsigned long data = 0;
  if (!file || std::fscanf(file.get(), "%*u %*u %*u %*u %*u %lu", &data) != 1) return 0;
  return data * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(soft, now.rlim_max);
  now.rlim_max = std::min(hard, now.rlim_max);
  setrlimit(resource, &now);
}

void setLimits(const NativeLimits &limits, std::size_t dataBefore) {
  const auto seconds = static_cast<rlim_t>(limits.seconds);
  limit(RLIMIT_CPU, seconds, seconds + 1);  // at the second one the kernel ends what ignores the first
  limit(RLIMIT_CORE, 0, 0);
  if (dataBefore > 0) limit(RLIMIT_DATA, dataBefore + limits.bytes, dataBefore + limits.bytes);
}

void setHandlers(const stack_t &stack) {
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU}) sigaction(s, &action, nullptr);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM}) sigaction(s, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// makecontext() hands over no pointers, so the call waits here; only the child, which does nothing else, sets it.
struct Call {
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
};

void callAndReport(unsigned high, unsigned low) {
  const auto *const call =
      reinterpret_cast<const Call *>((static_cast<std::uintptr_t>(high) << 32) | static_cast<std::uintptr_t>(low));
  call->entry(call->arguments);
  ChildEnd end;
  end.how = ChildEnd::How::kDone;
  report(end);
}

[[noreturn]] void runHere(const Call &call, const Stacks &stacks) {
  ucontext_t context;
  if (getcontext(&context) != 0) _exit(1);
  context.uc_stack = stacks.forFunction();
  context.uc_link = nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(&call);
  makecontext(&context, reinterpret_cast<void (*)()>(callAndReport), 2, static_cast<unsigned>(at >> 32),
              static_cast<unsigned>(at));
  setcontext(&context);
  _exit(1);
}

/// What the child reported, or nothing.
bool readReport(int from, ChildEnd &end) {
  for (std::size_t got = 0; got < sizeof end;) {
    const ssize_t count = read(from, reinterpret_cast<char *>(&end) + got, sizeof end - got);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

/// How a child that reported nothing ended.
ChildEnd endOf(int status) {
  ChildEnd end;
  end.how = ChildEnd::How::kSignal;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (end.signal == SIGXCPU) end.how = ChildEnd::How::kTime;
  return end;
}

}  // namespace

void endUndefined(Undefined what, int line, int column) {
  ChildEnd end;
  end.how = ChildEnd::How::kUndefined;
  end.undefined = what;
  end.line = line;
  end.column = column;
  report(end);
}

ChildEnd runInChild(void (*entry)(void **), void **arguments, const NativeLimits &limits) {
  const Stacks stacks(limits.stackBytes);
  int ends[2];
  if (!stacks || pipe2(ends, O_CLOEXEC) != 0) return {};  // no child of another thread keeps it open
  const Call call{entry, arguments};
  const std::size_t dataBefore = dataBytes();
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(1);
    if (ends[1] != kReport && dup2(ends[1], kReport) < 0) _exit(1);
    setLimits(limits, dataBefore);
    setHandlers(stacks.forHandlers());
    runHere(call, stacks);
  }
  close(ends[1]);
  ChildEnd end;
  const bool isReported = child > 0 && readReport(ends[0], end);
  close(ends[0]);
  if (child < 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!isReported) end = endOf(status);
  if (end.how == ChildEnd::How::kFault && stacks.isGuard(end.address)) end.how = ChildEnd::How::kStack;
  return end;
}

}  // namespace pimento::frontend
