// `serve MODEL --requests FILE`: a language model that serves requests by continuous batching.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/emit/run.h"
#include "pimento/llm/serving.h"

namespace pimento::driver {

struct ServeAnswer {
  llm::Model model;
  std::string host, target, dtype;  ///< `target` empty: GPUs alone
  std::int64_t gpus = 1, devices = 0, mostRequests = 1;
  std::vector<llm::Request> requests;
  std::shared_ptr<const llm::Served> served;
  std::int64_t pimRuns = 0, pimKnown = 0;  ///< layers that were run on PIM devices, and that a store had
  std::int64_t wallUs = 0;
  std::vector<std::string> warnings;
  emit::RunText run;
};

/// Writes `options.trace` and `options.tables`, where they are given. Diagnostics: those of loadLlm, llm::readRequests
/// and llm::serve; no-requests, unwritable-file.
Result<ServeAnswer> runServe(const Options &options);
Outcome show(const ServeAnswer &answer, const Options &options);

}  // namespace pimento::driver
