// Runs something that may crash in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

namespace pimento::test {

/// What `work` returns, or how it died. Not for programs with threads.
inline std::string inChild(const std::function<std::string()> &work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string result;
    try {
      result = work();
    } catch (const std::exception &e) {
      result = std::string("crashed: ") + e.what();
    }
    for (std::size_t at = 0; at < result.size();) {
      const ssize_t written = write(ends[1], result.data() + at, result.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    result.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "crashed: signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "crashed: exit " + std::to_string(WEXITSTATUS(status));
  return result;
}

}  // namespace pimento::test
