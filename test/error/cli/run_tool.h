// Runs the built tool on inputs that are wrong, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace pimento::test {

inline const std::string kTool = PIMENTO_BINARY_DIR "/bin/pimento";
inline const std::string kInputs = PIMENTO_SOURCE_DIR "/test/error/cli/inputs";

using Arguments = std::vector<std::string>;

struct Answer {
  int status = -1;
  std::string output, messages;
};

inline std::string quoted(const std::string &text) {
  std::string s = "'";
  for (const char c : text) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return s + "'";
}

inline std::string contents(const std::string &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs the tool in the folder of the inputs, so that messages name them as written.
inline Answer run(const Arguments &arguments) {
  const std::string base = ::testing::TempDir() + "/pimento_cli_" + std::to_string(::getpid());
  std::string command =
      "cd " + quoted(kInputs) + " && PIMENTO_MACHINES=" + quoted(PIMENTO_SOURCE_DIR "/machines") + " " + quoted(kTool);
  for (const std::string &a : arguments) command += " " + quoted(a);
  command += " >" + quoted(base + ".out") + " 2>" + quoted(base + ".err") + " </dev/null";
  const int status = std::system(command.c_str());
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(base + ".out"), contents(base + ".err")};
  std::remove((base + ".out").c_str());
  std::remove((base + ".err").c_str());
  return answer;
}

inline std::string listed(const Arguments &arguments) {
  std::string s = "pimento";
  for (const std::string &a : arguments) s += " " + a;
  return s;
}

/// An input that is wrong: where the first message points, and its code.
struct Broken {
  Arguments arguments;
  std::string place;
  std::string code;
};

#ifdef PIMENTO_TEST_WITH_LLVM
inline constexpr bool kReadsMlir = true;
#else
inline constexpr bool kReadsMlir = false;
#endif

/// Skips what a build without LLVM cannot read, and says so once.
inline bool isRunHere(const Broken &broken) {
  const std::string &input = broken.arguments[1];
  if (kReadsMlir || !(input.ends_with(".mlir") || input.ends_with(".c"))) return true;
  static bool hasSaid = false;
  if (!hasSaid) std::printf("MLIR and C inputs: not run here (built without LLVM)\n");
  hasSaid = true;
  return false;
}

/// Status 1, nothing on standard output, a first message at the place with the code, and a hint after each message.
inline void expectRefused(const Broken &b) {
  static const std::regex located(R"(^[^\n]+: error: [^\n]+ \[[a-z-]+\]\n  hint: [^\n]+$)");
  SCOPED_TRACE(listed(b.arguments));
  const Answer a = run(b.arguments);
  EXPECT_EQ(a.status, 1) << a.messages;
  EXPECT_EQ(a.output, "");
  EXPECT_EQ(a.messages.rfind(b.place + ": error: ", 0), 0u) << "expected at " << b.place << ":\n" << a.messages;
  const std::string first = a.messages.substr(0, a.messages.find('\n'));
  EXPECT_TRUE(first.ends_with(" [" + b.code + "]")) << "expected " << b.code << ":\n" << a.messages;
  // Every message is two lines: what is wrong, and a hint.
  std::istringstream lines(a.messages);
  std::string line, hint;
  while (std::getline(lines, line) && std::getline(lines, hint))
    EXPECT_TRUE(std::regex_match(line + "\n" + hint, located)) << line << "\n" << hint;
}

}  // namespace pimento::test
