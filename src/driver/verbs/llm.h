// `llm MODEL`: a language model on GPUs and PIM devices: time, energy, where each layer runs, what memories hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/emit/run.h"
#include "pimento/llm/inference.h"
#include "pimento/llm/published.h"

namespace pimento::evaluate {
struct Derivation;
}

namespace pimento::driver {

struct LlmAnswer {
  llm::Model model;
  llm::Workload workload;
  std::string host, target, dtype, schedule;  ///< `target` empty: GPUs alone
  std::string gpuModel;                       ///< "roofline", "table", with what it says of itself
  std::string hostCovers, targetCovers;       ///< of energies
  std::int64_t gpus = 1, devices = 0;
  std::optional<llm::Inference> inference;             ///< --schedule sound
  std::optional<llm::PublishedRun> published;          ///< else
  std::shared_ptr<const evaluate::Derivation> number;  ///< --number: where it comes from
  std::int64_t pimRuns = 0, pimKnown = 0;              ///< layers that were run on PIM devices, and that a store had
  std::int64_t wallUs = 0;
  std::vector<std::string> warnings;
  emit::RunText run;
};

/// Diagnostics: those of loadLlm, llm::infer and llm::published; unknown-schedule, unsound-number, those of
/// llm::explainToken.
Result<LlmAnswer> runLlm(const Options &options);
Outcome show(const LlmAnswer &answer, const Options &options);

}  // namespace pimento::driver
