// `tune`: the best mapping of a kernel, or of each kernel of a graph, found exactly, run on data and kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pimento/driver/options.h"
#include "pimento/driver/shared_part.h"

namespace pimento::emit {
struct Tuning;
}

namespace pimento::driver {

struct Evaluated;

struct TuneAnswer {
  std::shared_ptr<const emit::Tuning> found;
  std::shared_ptr<const Evaluated> best;  ///< of `found.map`, as `estimate` has it
  std::optional<SharedPart> part = {};    ///< with --share: then there is nothing else
};

/// Diagnostics: those of the input and of tune::explore, wrong-answer and wrong-cycles (bugs of ours), what the store
/// says.
Result<TuneAnswer> tuneMappings(const Options &options);
/// Only the mappings found, for `--map`: one that the store has, checked, costs no run. Diagnostics: the same.
Result<std::string> tunedMap(const Options &options);
/// What the store has, checked; nothing where it lacks any of them. Diagnostics: the same.
Result<std::optional<std::string>> keptMap(const Options &options);
Outcome show(const TuneAnswer &answer, const Options &options);

}  // namespace pimento::driver
