#include "pimento/frontend/python/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pimento/base/own_file.h"
#include "pimento/base/text.h"

namespace pimento::frontend {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string pythonProgram() {
  if (const char *named = std::getenv("PIMENTO_PYTHON"); named != nullptr && *named != '\0') return named;
  constexpr const char *kSystems = "/usr/bin/python3";
  return access(kSystems, X_OK) == 0 ? kSystems : "python3";
}

/// The folder of the package that came with this library, in the source tree or installed, or that uses it; empty:
/// there is none.
std::string packageFolder() {
  if (const char *named = std::getenv("PIMENTO_PACKAGE"); named != nullptr) return named;
  for (fs::path folder = ownFile().parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    for (const char *where : {"python", "lib/python3/dist-packages"}) {
      std::error_code ignored;
      if (fs::exists(folder / where / "pimento" / "files.py", ignored)) return (folder / where).string();
    }
  return {};
}

std::vector<std::string> environmentWith(const std::string &folder) {
  std::vector<std::string> out;
  std::string path = folder;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    constexpr std::string_view kPath = "PYTHONPATH=";
    if (text.starts_with(kPath))
      path += (path.empty() ? "" : ":") + std::string(text.substr(kPath.size()));
    else
      out.emplace_back(text);
  }
  if (!path.empty()) out.push_back("PYTHONPATH=" + path);
  return out;
}

std::vector<char *> addressesOf(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

struct Ended {
  int status = 0;
  std::string out, messages;
};

std::string restOf(std::FILE *file) {
  std::string out;
  std::array<char, 1 << 16> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), file)) > 0;) out.append(part.data(), got);
  return out;
}

/// Runs a program to its end; a positive status in `Ended` of no process is errno.
Result<Ended> runToEnd(std::vector<std::string> arguments, std::vector<std::string> environment) {
  const auto failed = [&](int why) {
    return error("python-start", {}, fmt::format("cannot start {}: {}", arguments[0], std::strerror(why)),
                 "install python3, or name a Python 3.11 or newer in PIMENTO_PYTHON");
  };
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;
  const File messages(std::tmpfile(), std::fclose);
  int ends[2];
  if (!messages || pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(messages.get()), STDERR_FILENO);
  const std::vector<char *> argv = addressesOf(arguments), envp = addressesOf(environment);
  pid_t child = 0;
  const int why = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const File answers(fdopen(ends[0], "rb"), std::fclose);
  if (why != 0) return failed(why);
  Ended ended;
  if (answers) ended.out = restOf(answers.get());
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  std::rewind(messages.get());
  ended.messages = restOf(messages.get());
  return ended;
}

/// Diagnostics as the package writes them.
Diagnostics diagnosticsOf(const Json &list) {
  Diagnostics out;
  const auto textOf = [](const Json &j, const char *key) { return j.value(key, std::string()); };
  for (const Json &j : list) {
    Diagnostic d = error(textOf(j, "code"), {textOf(j, "file"), j.value("line", 0), j.value("column", 0)},
                         textOf(j, "message"), textOf(j, "hint"));
    for (int kind = 0; kind <= static_cast<int>(DiagnosticKind::kOurs); ++kind)
      if (name(static_cast<DiagnosticKind>(kind)) == textOf(j, "kind")) d.kind = static_cast<DiagnosticKind>(kind);
    out.push_back(std::move(d));
  }
  return out;
}

std::string lastLine(std::string_view text) {
  text = trim(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace

Result<PythonText> readByPython(const PythonRequest &request) {
  std::vector<std::string> arguments = {pythonProgram(), "-m", "pimento.files", request.file};
  if (!request.function.empty()) arguments.push_back("--function=" + request.function);
  if (!request.type.empty()) arguments.push_back("--dtype=" + request.type);
  for (const auto &[name, size] : request.sizes) arguments.push_back(fmt::format("--size={}={}", name, size));
  const std::string program = arguments[0];
  const Result<Ended> ended = runToEnd(std::move(arguments), environmentWith(packageFolder()));
  if (!ended) return ended.diagnostics();
  const std::size_t end = ended->out.find('\n');
  const Json header = Json::parse(ended->out.substr(0, end), nullptr, false);
  if (header.is_object() && header.contains("diagnostics") && !header["diagnostics"].empty())
    return diagnosticsOf(header["diagnostics"]);
  const std::string kind = header.is_object() ? header.value("kind", "") : "";
  if (end != std::string::npos && (kind == "nest" || kind == "model"))
    return PythonText{kind == "nest" ? PythonText::Kind::kNest : PythonText::Kind::kModel, ended->out.substr(end + 1)};
  if (ended->messages.find("No module named") != std::string::npos &&
      ended->messages.find("pimento") != std::string::npos)
    return error("python-package", {request.file},
                 fmt::format("{} reads this file, and lacks the package pimento", program),
                 "install it: docs/how-to/python.md; PIMENTO_PYTHON names another Python");
  return error("python-reader", {request.file},
               fmt::format("{} ended without an answer: {}", program, lastLine(ended->messages)),
               "run it yourself: python3 -m pimento.files FILE");
}

}  // namespace pimento::frontend
