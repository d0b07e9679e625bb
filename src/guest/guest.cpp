#include "pimento/guest/guest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "pimento/base/module.h"
#include "pimento/base/text.h"
#include "pimento/guest/recording.h"

namespace pimento::guest {

namespace fs = std::filesystem;

namespace {

constexpr const char *kPackage = "install the Debian package qemu-user (scripts/install-deps.sh --with guests)";

/// How QEMU emulates each instruction set: a processor that it has for good, and what the guest's libc is told.
struct Emulation {
  const char *qemu, *processor, *tunables;
};

Emulation emulationOf(trace::Isa isa) {
  switch (isa) {
    case trace::Isa::kA32:
    case trace::Isa::kT32:
      return {"qemu-arm", "cortex-a15", nullptr};
    // Zeroing by `dc zva` makes no accesses that a plugin sees; with the tunable glibc uses stores.
    case trace::Isa::kA64:
      return {"qemu-aarch64", "cortex-a57", "GLIBC_TUNABLES=glibc.cpu.name=emag"};
    case trace::Isa::kRv64:
      return {"qemu-riscv64", "rv64", nullptr};
  }
  return {};
}

Result<std::string> findQemu(const std::string &name) {
  const char *path = std::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string file = (fs::path(folder) / name).string();
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return error("missing-qemu", {}, fmt::format("{} is not installed", name), kPackage);
}

/// A file that the build puts beside the module.
Result<std::string> findLibrary(const std::string &name) {
  const std::string file = libraryFile(name);
  if (access(file.c_str(), R_OK) == 0) return file;
  return error("missing-plugin", {}, fmt::format("{} is not there", file), "build and install pimento again");
}

/// A folder of its own, removed at the end.
class RunFolder {
 public:
  static Result<std::unique_ptr<RunFolder>> make() {
    std::string name =
        (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) / "pimento-guest-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      return error("unwritable-file", {name}, fmt::format("cannot make a folder: {}", std::strerror(errno)),
                   "free some memory or space");
    auto out = std::make_unique<RunFolder>();
    out->path = name;
    return out;
  }
  ~RunFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

/// Loaders and libraries of dynamic programs lie below --sysroot.
Status checkLoader(const ElfImage &image, const GuestOptions &options) {
  if (image.loader.empty()) return okStatus();
  const std::string file = options.sysroot + image.loader;
  if (access(file.c_str(), R_OK) == 0) return okStatus();
  return error("missing-loader", {image.file},
               fmt::format("'{}' is dynamic, and its loader {} is not there", image.file, file),
               "name a folder that has it and the libraries with --sysroot: those of cross compilers are "
               "/usr/aarch64-linux-gnu, /usr/arm-linux-gnueabihf and /usr/riscv64-linux-gnu");
}

struct Child {
  std::vector<std::string> arguments, environment;
  std::string stdoutFile;
};

std::vector<char *> pointersOf(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

Result<pid_t> start(Child &child) {
  int output = STDERR_FILENO;
  if (!child.stdoutFile.empty()) {
    output = open(child.stdoutFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output < 0)
      return error("unwritable-file", {child.stdoutFile},
                   fmt::format("cannot write '{}': {}", child.stdoutFile, std::strerror(errno)),
                   "check that the folder exists and is writable");
  }
  const std::vector<char *> arguments = pointersOf(child.arguments), environment = pointersOf(child.environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // A guest without its reader would wait for ever.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    personality(ADDR_NO_RANDOMIZE);
    dup2(output, STDOUT_FILENO);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  const int why = errno;
  if (output != STDERR_FILENO) close(output);
  if (pid < 0)
    return error("guest-failed", {child.arguments[0]}, fmt::format("cannot start a process: {}", std::strerror(why)),
                 "");
  return pid;
}

/// Kills a guest whose recording cannot be read.
class Reaper {
 public:
  explicit Reaper(pid_t pid) : pid_(pid) {}
  ~Reaper() {
    if (isDone_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  /// Whether it has ended; then `status` says how.
  bool poll(int &status) {
    isDone_ = isDone_ || waitpid(pid_, &status, WNOHANG) == pid_;
    return isDone_;
  }

 private:
  pid_t pid_;
  bool isDone_ = false;
};

}  // namespace

Result<GuestEnd> runGuest(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer) {
  const Emulation emulation = emulationOf(image.isa);
  const Result<std::string> qemu = findQemu(emulation.qemu);
  if (!qemu) return qemu.diagnostics();
  if (Status s = checkLoader(image, options); !s) return s.diagnostics();
  const Result<std::string> plugin = findLibrary("libpimento_qemu.so"), clock = findLibrary("libpimento_clock.so");
  if (!plugin) return plugin.diagnostics();
  if (!clock) return clock.diagnostics();
  const Result<std::unique_ptr<RunFolder>> folder = RunFolder::make();
  if (!folder) return folder.diagnostics();

  Child child;
  child.stdoutFile = options.stdoutFile;
  child.environment = {"LD_PRELOAD=" + *clock};
  child.arguments = {*qemu, "-cpu", emulation.processor, "-seed", "1", "-U", "LD_PRELOAD"};
  const auto add = [&](std::initializer_list<std::string> more) {
    child.arguments.insert(child.arguments.end(), more);
  };
  if (emulation.tunables != nullptr) add({"-E", emulation.tunables});
  if (!options.sysroot.empty()) add({"-L", options.sysroot});
  add({"-plugin", fmt::format("{},folder={}{}", *plugin, (*folder)->path, options.recordsValues ? ",values=on" : ""),
       options.program});
  child.arguments.insert(child.arguments.end(), options.arguments.begin(), options.arguments.end());
  const Result<pid_t> pid = start(child);
  if (!pid) return pid.diagnostics();

  Reaper reaper(*pid);
  Recording recording((*folder)->path, *pid, image.isa);
  int status = 0;
  for (bool hasEnded = false; !hasEnded;) {
    const Result<bool> more = recording.drain(consumer);
    if (!more) return more.diagnostics();
    if (*more) continue;
    hasEnded = reaper.poll(status);
    constexpr std::chrono::microseconds kNap{100};
    if (!hasEnded) std::this_thread::sleep_for(kNap);
  }
  if (Status s = recording.finish(consumer); !s) return s.diagnostics();

  GuestEnd end;
  end.exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.instructions = recording.instructions();
  end.undecodable = recording.undecodable();
  const Recording::Others others = recording.others();
  end.otherThreads = others.threads;
  end.otherProcesses = others.processes;
  end.otherInstructions = others.instructions;
  if (end.instructions == 0)
    return error(
        "guest-failed", {image.file},
        fmt::format("{} ran no instruction of '{}' (exit status {})", emulation.qemu, image.file, end.exitStatus),
        image.loader.empty() ? "check that it runs: " + shellLine({*qemu, options.program})
                             : "check loader and libraries below --sysroot");
  return end;
}

}  // namespace pimento::guest
