// A language model as the study of DCC prices it: its layers, and its formulas for what overlaps with what.
//
// Section 5 of the paper and AttAcc's simulator. The overlap is not sound: it takes from several layers a time that one
// of them has once, and in `full` the feed-forward part runs on PIM devices without a program for it. Kept to compare
// with published figures; inference.h is our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pimento/llm/capacity.h"
#include "pimento/llm/system.h"

namespace pimento::llm {

enum class Overlap : std::uint8_t {
  kBase,  ///< attention on PIM devices; transfers hide behind it
  kFull,  ///< also queries, keys, values and projection overlap with it, and the feed-forward part is shared
};

struct PublishedOptions {
  Overlap overlap = Overlap::kBase;
  /// The study's compiler runs queries, keys, values and projection on the PIM devices as well: a product per head,
  /// whose weights every request reads anew; the same formulas then let devices overlap with themselves.
  bool hasProductsOnPim = false;
  int jobs = 1;
};

/// Times of one step, all blocks. On GPUs alone nothing overlaps.
struct PublishedStep {
  Picoseconds attention, qkv, projection, feedForward, etc, communication, softmax;

  Picoseconds total() const { return attention + qkv + projection + feedForward + etc + communication + softmax; }
  PublishedStep &operator+=(const PublishedStep &o);
  PublishedStep times(double n) const;
};

struct PublishedRun {
  Picoseconds prefill;
  PublishedStep mean;  ///< of the steps of generation
  std::int64_t steps = 0;
  Energy gpu, pim, link;  ///< of the whole generation; in `full` the feed-forward part as if the GPU did it

  Picoseconds token() const { return mean.total(); }
  Picoseconds generation() const { return Picoseconds(mean.total().value * static_cast<double>(steps)); }
};

/// GPUs alone where the system has no PIM devices. Diagnostics: heads-not-divided, not-in-table, no-study (the host
/// does not have what the formulas need), those of PimDevice.
Result<PublishedRun> published(const System &system, const Model &model, const Workload &workload,
                               const PublishedOptions &options);

}  // namespace pimento::llm
