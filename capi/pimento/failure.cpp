#include "failure.h"

#include <exception>
#include <string>

namespace pimento::capi {

namespace {

// C has errno for this: the caller gets a number, and asks for the words behind it in the same thread.
thread_local std::string problemOfThread;
thread_local bool hasWords = true;

}  // namespace

const char *lastProblem() noexcept {
  return hasWords ? problemOfThread.c_str() : "memory ran out";
}

int fail(int status, const Diagnostic &why) noexcept {
  try {
    problemOfThread = why.str();
    hasWords = true;
  } catch (...) {
    hasWords = false;
  }
  return status;
}

int wrongUsage(const char *code, std::string message, std::string hint) {
  return fail(PIMENTO_WRONG_USAGE, error(code, {}, std::move(message), std::move(hint)));
}

int failByException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    hasWords = false;  // words would need memory
    return PIMENTO_NO_MEMORY;
  } catch (const std::exception &e) {
    try {
      return fail(PIMENTO_INTERNAL,
                  error("api-internal", {}, e.what(), "this is a bug of Pimento; please report it with the query"));
    } catch (...) {
      hasWords = false;
      return PIMENTO_NO_MEMORY;
    }
  } catch (...) {
    hasWords = false;
    return PIMENTO_INTERNAL;
  }
}

}  // namespace pimento::capi
