#include "failure.h"

#include <exception>
#include <string>

namespace pimento::capi {

namespace {

// C has errno for this: the caller gets a number, and asks for the words behind it in the same thread.
thread_local std::string problemOfThread;
thread_local Diagnostics diagnosticsOfThread;
thread_local const char *words = "";  // of problemOfThread, or where there is no memory for that
constexpr const char *kNoMemory = "out of memory";

int failWithoutMemory(int status) noexcept {
  words = kNoMemory;
  diagnosticsOfThread.clear();
  return status;
}

}  // namespace

const char *lastProblem() noexcept {
  return words;
}

const Diagnostics &lastDiagnostics() noexcept {
  return diagnosticsOfThread;
}

int fail(int status, const Diagnostic &why) noexcept {
  try {
    return fail(status, Diagnostics{why});
  } catch (...) {
    return failWithoutMemory(status);
  }
}

int fail(int status, const Diagnostics &why) noexcept {
  try {
    problemOfThread = why.empty() ? "no message" : why.front().str();
    words = problemOfThread.c_str();
    diagnosticsOfThread = why;
  } catch (...) {
    return failWithoutMemory(status);
  }
  return status;
}

int wrongUsage(const char *code, std::string message, std::string hint) {
  return fail(PIMENTO_WRONG_USAGE, usageError(code, "", std::move(message), std::move(hint)));
}

int failByException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return failWithoutMemory(PIMENTO_NO_MEMORY);
  } catch (const std::exception &e) {
    try {
      return fail(PIMENTO_INTERNAL, error(DiagnosticKind::kOurs, "api-internal", {}, e.what(),
                                          "this is a bug in Pimento; please report it with the query"));
    } catch (...) {
      return failWithoutMemory(PIMENTO_NO_MEMORY);
    }
  } catch (...) {
    diagnosticsOfThread.clear();
    words = "an exception without a message was thrown";
    return PIMENTO_INTERNAL;
  }
}

}  // namespace pimento::capi
