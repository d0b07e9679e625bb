// Where C begins: what a call came to, and the words behind it. No exception passes.
#pragma once

#include <pimento.h>

#include <new>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::capi {

/// The words of this thread's last failure.
const char *lastProblem() noexcept;
/// All that it found; empty where there was no memory for it.
const Diagnostics &lastDiagnostics() noexcept;
/// Keeps the words; returns `status`.
int fail(int status, const Diagnostic &why) noexcept;
/// The words of the first.
int fail(int status, const Diagnostics &why) noexcept;
/// Likewise for the exception that is being handled.
int failByException() noexcept;

/// A usage that the header rules out. Codes: api-null, api-key, api-value.
int wrongUsage(const char *code, std::string message, std::string hint);

/// What `f` returns, or the status of the exception that it ends with.
template <typename F>
int guarded(F &&f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    return failByException();
  }
}

/// What `f` returns, or `otherwise` if it ends with an exception.
template <typename T, typename F>
T guardedOr(T otherwise, F &&f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    failByException();
    return otherwise;
  }
}

}  // namespace pimento::capi
