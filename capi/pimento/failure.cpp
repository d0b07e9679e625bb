#include "failure.h"

#include <exception>
#include <string>

namespace pimento::capi {

namespace {

// C has errno for this: the caller gets a number, and asks for the words behind it in the same thread.
thread_local std::string problemOfThread;
thread_local const char *words = "";  // of problemOfThread, or where there is no memory for that
constexpr const char *kNoMemory = "out of memory";

}  // namespace

const char *lastProblem() noexcept {
  return words;
}

int fail(int status, const Diagnostic &why) noexcept {
  try {
    problemOfThread = why.str();
    words = problemOfThread.c_str();
  } catch (...) {
    words = kNoMemory;
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
    words = kNoMemory;
    return PIMENTO_NO_MEMORY;
  } catch (const std::exception &e) {
    try {
      return fail(PIMENTO_INTERNAL, error(DiagnosticKind::kOurs, "api-internal", {}, e.what(),
                                          "this is a bug in Pimento; please report it with the query"));
    } catch (...) {
      words = kNoMemory;
      return PIMENTO_NO_MEMORY;
    }
  } catch (...) {
    words = "an exception without a message was thrown";
    return PIMENTO_INTERNAL;
  }
}

}  // namespace pimento::capi
