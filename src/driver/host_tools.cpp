#include "pimento/driver/host_tools.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/base/temporary_folder.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/frontend/host_c.h"
#include "pimento/guest/rv64/process.h"

namespace pimento::driver {

namespace {

namespace fs = std::filesystem;

constexpr const char *kLinker = "ld.lld-19";

Diagnostic noLinker() {
  return error("missing-linker", {}, fmt::format("{} is not installed", kLinker),
               "it links kernels for a host's core: apt install lld-19");
}

/// What it says goes to `log`.
Status runLinker(const std::vector<std::string> &arguments, const std::string &log) {
  std::vector<char *> argv;
  for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, kLinker, &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return noLinker();
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) break;
  constexpr int kNotFound = 127;  // where posix_spawnp tells of a missing program late
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return okStatus();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) return noLinker();
  const Result<std::string> said = readFile(log);
  return error("host-link", {}, fmt::format("{} fails: {}", kLinker, said ? *said : std::string("it says nothing")),
               "compile --emit c shows the program");
}

class ClangHostTools final : public trace::HostTools {
 public:
  Result<std::string> build(const std::string &text, std::uint64_t variablesAt) override {
    const Result<std::string> object = frontend::compileHostC(text, frontend::HostOutput::kObject);
    if (!object) return object.diagnostics();
    const Result<std::unique_ptr<TemporaryFolder>> folder =
        TemporaryFolder::make(fs::temp_directory_path().string(), "pimento-link-");
    if (!folder) return folder.diagnostics();
    const std::string from = (*folder)->file("kernel.o"), to = (*folder)->file("kernel");
    if (Status s = writeFile(from, *object); !s) return s.diagnostics();
    if (Status s = runLinker({kLinker, "-m", "elf64lriscv", "-static", "-z", "separate-code",
                              fmt::format("--section-start=.bss={:#x}", variablesAt), "-o", to, from},
                             (*folder)->file("log"));
        !s)
      return s.diagnostics();
    return readFile(to);
  }
  Result<std::string> assembly(const std::string &text) override {
    return frontend::compileHostC(text, frontend::HostOutput::kAssembly);
  }
  Result<std::unique_ptr<trace::HostProcess>> load(const std::string &elf) override {
    return guest::rv64::Process::make(elf);
  }
};

}  // namespace

std::unique_ptr<trace::HostTools> makeHostTools() {
  if (!frontend::hasDpuC()) return nullptr;
  return std::make_unique<ClangHostTools>();
}

}  // namespace pimento::driver
