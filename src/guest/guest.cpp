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
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "pimento/base/module.h"
#include "pimento/base/temporary_folder.h"
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

/// Versions whose plugin interface is the one that the plugin declares (version 1, with start_code).
Status checkVersion(const std::string &qemu) {
  constexpr int kFirst = 7, kLast = 8;
  const std::unique_ptr<FILE, int (*)(FILE *)> out(
      popen((shellLine({qemu, "--version"}) + " 2>/dev/null").c_str(), "r"), pclose);
  std::array<char, 256> line{};
  const bool isRead = out && std::fgets(line.data(), line.size(), out.get()) != nullptr;
  const std::string_view said = isRead ? line.data() : "";
  const std::string_view text = said.substr(0, said.find('\n'));
  constexpr std::string_view kWord = "version ";
  const std::size_t at = text.find(kWord);
  int major = 0;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + kWord.size(), text.data() + text.size(), major);
  if (major >= kFirst && major <= kLast) return okStatus();
  return unsupported("wrong-qemu", {qemu},
                     text.empty() ? fmt::format("{} does not say its version", qemu)
                                  : fmt::format("{} is '{}', whose plugins are others", qemu, text),
                     fmt::format("QEMU {} or {} is needed: {}", kFirst, kLast, kPackage));
}

/// A file that the build puts beside the module.
Result<std::string> findLibrary(const std::string &name) {
  const std::string file = libraryFile(name);
  if (access(file.c_str(), R_OK) == 0) return file;
  return error("missing-plugin", {}, fmt::format("{} is not there", file), "build and install pimento again");
}

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

/// Where the loader looks for a library; empty: it is nowhere.
std::string findGuestLibrary(const std::string &name, trace::Isa isa, const std::string &sysroot) {
  const std::string triple = isa == trace::Isa::kA64    ? "aarch64-linux-gnu"
                             : isa == trace::Isa::kRv64 ? "riscv64-linux-gnu"
                                                        : "arm-linux-gnueabihf";
  // QEMU looks below the folder first, then where the program says.
  for (const std::string &root : {sysroot, std::string()})
    for (const std::string &folder : {"/lib/" + triple, "/usr/lib/" + triple, std::string("/lib"),
                                      std::string("/usr/lib"), std::string("/usr/local/lib")}) {
      const std::string file = root + folder + "/" + name;
      std::error_code ignored;
      if (fs::exists(fs::symlink_status(file, ignored))) return file;
    }
  return "";
}

/// Libraries of the program, and of these.
Status checkLibraries(const ElfImage &image, const GuestOptions &options) {
  if (image.loader.empty()) return okStatus();
  std::set<std::string> known;
  std::vector<std::pair<std::string, std::string>> open;  // libraries, and who needs them
  for (const std::string &l : image.libraries) open.emplace_back(l, image.file);
  while (!open.empty()) {
    const auto [name, user] = open.back();
    open.pop_back();
    if (!known.insert(name).second) continue;
    const std::string file = findGuestLibrary(name, image.isa, options.sysroot);
    if (file.empty())
      return error(
          "missing-library", {image.file}, fmt::format("'{}' needs {}, which is not there", user, name),
          options.sysroot.empty()
              ? "name a folder that has it with --sysroot; scripts/guest-root.sh makes one for Debian's programs"
              : fmt::format("put it below {}, or name another folder with --sysroot", options.sysroot));
    const Result<ElfImage> library = readElfImage(file);
    if (!library) continue;  // the loader says more
    for (const std::string &l : library->libraries) open.emplace_back(l, file);
  }
  return okStatus();
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
    kill();
    waitpid(pid_, nullptr, 0);
  }
  void kill() const { ::kill(pid_, SIGKILL); }
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

bool isQemuInstalled(trace::Isa isa) {
  return findQemu(emulationOf(isa).qemu).ok();
}

Result<GuestEnd> runGuest(const ElfImage &image, const GuestOptions &options, trace::Consumer &consumer) {
  const Emulation emulation = emulationOf(image.isa);
  const Result<std::string> qemu = findQemu(emulation.qemu);
  if (!qemu) return qemu.diagnostics();
  if (Status s = checkLoader(image, options); !s) return s.diagnostics();
  if (Status s = checkLibraries(image, options); !s) return s.diagnostics();
  if (Status s = checkVersion(*qemu); !s) return s.diagnostics();
  const Result<std::string> plugin = findLibrary("libpimento_qemu.so"), clock = findLibrary("libpimento_clock.so");
  if (!plugin) return plugin.diagnostics();
  if (!clock) return clock.diagnostics();
  const Result<std::unique_ptr<TemporaryFolder>> folder =
      TemporaryFolder::make(fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string(), "pimento-guest-");
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
  add({"-plugin", fmt::format("{},folder={}{}", *plugin, (*folder)->path(), options.recordsValues ? ",values=on" : ""),
       options.program});
  child.arguments.insert(child.arguments.end(), options.arguments.begin(), options.arguments.end());
  const Result<pid_t> pid = start(child);
  if (!pid) return pid.diagnostics();

  Reaper reaper(*pid);
  Recording recording((*folder)->path(), *pid, image.isa);
  int status = 0;
  trace::Program program{fs::path(options.program).filename().string(),
                         image.isa,
                         static_cast<std::int64_t>(options.arguments.size()),
                         image.functions,
                         0,
                         image.codeEnd,
                         {}};
  bool isKnown = false;
  const auto drain = [&]() -> Result<bool> {
    if (!isKnown && !recording.hasBegun()) return false;
    if (!isKnown && image.isPositionIndependent) program.loadedAt = recording.codeAddress() - image.codeAddress;
    if (!isKnown) consumer.onStart(program, options.recordsValues);
    isKnown = true;
    return recording.drain(consumer);
  };
  for (bool hasEnded = false; !hasEnded;) {
    const Result<bool> more = drain();
    if (!more) return more.diagnostics();
    if (options.isStopped != nullptr && *options.isStopped) reaper.kill();
    if (*more) continue;
    hasEnded = reaper.poll(status);
    constexpr std::chrono::microseconds kNap{100};
    if (!hasEnded) std::this_thread::sleep_for(kNap);
  }
  if (const Result<bool> rest = drain(); !rest) return rest.diagnostics();
  if (Status s = recording.finish(consumer); !s) return s.diagnostics();

  GuestEnd end;
  end.exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.wasReplaced = end.signal == 0 && !recording.hasEnded();
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
