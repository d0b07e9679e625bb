// What a call of the C interface came to: a code for the caller, and the words behind it.
//
// Nothing that happens in this library may reach a C program as an exception; `answer` is the border.
#pragma once

#include <dpu_error.h>

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::upmem {

struct [[nodiscard]] Outcome {
  dpu_error_t code = DPU_OK;
  std::string reason{};

  explicit operator bool() const { return code == DPU_OK; }
};

inline Outcome failure(dpu_error_t code, std::string reason) {
  return {code, std::move(reason)};
}
/// One per line, the first ones where there are many.
Outcome failure(dpu_error_t code, const Diagnostics &diagnostics);

/// The reason of this thread's last failure.
const std::string &lastReason();
/// Keeps the reason where `outcome` is a failure.
dpu_error_t remember(Outcome outcome) noexcept;

/// `f`, exceptions included.
template <typename F>
Outcome attempt(F &&f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc &) {
    return {DPU_ERR_SYSTEM};  // words would need memory
  } catch (const std::system_error &) {
    return {DPU_ERR_SYSTEM};
  } catch (...) {
    return {DPU_ERR_INTERNAL};
  }
}

/// What a function of the interface returns: the code of what `f` came to.
template <typename F>
dpu_error_t answer(F &&f) noexcept {
  return remember(attempt(std::forward<F>(f)));
}

}  // namespace pimento::upmem
