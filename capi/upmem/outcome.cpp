#include "outcome.h"

#include <algorithm>

#include "pimento/base/text.h"

namespace pimento::upmem {

namespace {

// C has errno for this: the caller gets a number, and asks for the words behind it in the same thread.
thread_local std::string reasonOfThread;

}  // namespace

Outcome failure(dpu_error_t code, const Diagnostics &diagnostics) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(kMost, diagnostics.size()); ++i) lines.push_back(diagnostics[i].str());
  if (diagnostics.size() > kMost) lines.push_back("... and " + std::to_string(diagnostics.size() - kMost) + " more");
  return {code, join(lines, "\n")};
}

const std::string &lastReason() {
  return reasonOfThread;
}

dpu_error_t remember(Outcome outcome) noexcept {
  if (outcome.code != DPU_OK) reasonOfThread = std::move(outcome.reason);
  return outcome.code;
}

}  // namespace pimento::upmem
