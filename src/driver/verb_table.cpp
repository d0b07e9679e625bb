#include <algorithm>

#include "pimento/cluster/ranks.h"
#include "pimento/driver/verbs.h"
#include "pimento/driver/verbs/calibrate.h"
#include "pimento/driver/verbs/compare.h"
#include "pimento/driver/verbs/compile.h"
#include "pimento/driver/verbs/estimate.h"
#include "pimento/driver/verbs/explain.h"
#include "pimento/driver/verbs/explore.h"
#include "pimento/driver/verbs/kernels.h"
#include "pimento/driver/verbs/list_options.h"
#include "pimento/driver/verbs/llm.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/driver/verbs/report.h"
#include "pimento/driver/verbs/serve.h"
#include "pimento/driver/verbs/simulate.h"
#include "pimento/driver/verbs/store.h"
#include "pimento/driver/verbs/targets.h"
#include "pimento/driver/verbs/tune.h"
#include "pimento/driver/verbs/validate.h"

namespace pimento::driver {

namespace {

using V = VerbId;

/// `table`, where it is given: the same answer as text for people.
template <auto ask>
Outcome answered(const Options &options, std::string *table) {
  auto answer = ask(options);
  if (!answer) return failure(std::move(answer.diagnostics()));
  if (options.ranks != nullptr && !options.ranks->isFirst()) return {};
  if (table != nullptr) {
    Options plain = options;
    plain.isJson = false;
    *table = show(*answer, plain).text;
  }
  return show(*answer, options);
}

constexpr Verb kVerbs[] = {
    {V::kTargets, "targets", "List the machines, or show one with the source of every number", "NAME", false, false,
     answered<targets>},
    {V::kKernels, "kernels", "List the kernels of the zoo, or show one", "NAME", false, false, answered<kernels>},
    {V::kCompile, "compile", "Print a stage of the compilation", "INPUT", true, false, answered<compile>, true},
    {V::kEstimate, "estimate", "Estimate time and energy by exact fast-forward", "INPUT", true, false,
     answered<estimate>},
    {V::kSimulate, "simulate", "Run every command on data and check the results", "INPUT", true, false,
     answered<simulate>},
    {V::kCompare, "compare", "Compare one kernel on several targets", "INPUT", true, false, answered<compare>},
    {V::kExplore, "explore", "Try all mappings of a kernel, or sweep machine numbers and sizes", "INPUT", true, false,
     answered<explore>},
    {V::kTune, "tune", "Find the best mapping, proved by exact bounds, and keep it", "INPUT", true, false,
     answered<tuneMappings>},
    {V::kStore, "store", "Bring result stores together, or show what one holds", "ACTION", true, true, answered<store>,
     false, "merge ALL.db A.db B.db ..., or show FILE.db"},
    {V::kExplain, "explain", "Trace any number of a result back to formulas, counts and sources", "INPUT", true, false,
     answered<explain>},
    {V::kProfile, "profile", "Run a program for Arm, AArch64 or RISC-V, and show what of it caches could compute",
     "PROG", true, false, answered<profile>, true},
    {V::kLlm, "llm", "Time and energy of a language model on GPUs and PIM devices", "MODEL", true, false,
     answered<runLlm>},
    {V::kServe, "serve", "Serve requests to a language model by continuous batching", "MODEL", true, false,
     answered<runServe>},
    {V::kReport, "report", "Turn saved results into one HTML page", "FILE", true, true, answered<report>, false,
     "files written by --json or simulate --trace; several make one page"},
    {V::kCalibrate, "calibrate", "Fit a machine to micro-benchmark tables, with residuals", "TARGET", true, false,
     answered<calibrate>},
    {V::kValidate, "validate", "Replay reference points and print the error", "SUITE", true, false, answered<validate>},
    {V::kOptions, "options", "List the options, or those of one verb", "VERB", false, false, answered<options>},
};

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}

const Verb &verbOf(VerbId id) {
  return *std::ranges::find(kVerbs, id, &Verb::id);
}

const Verb *verbNamed(std::string_view name) {
  const auto at = std::ranges::find(kVerbs, name, &Verb::name);
  return at == std::end(kVerbs) ? nullptr : &*at;
}

Outcome run(VerbId verb, const Options &options, std::string *table) {
  return verbOf(verb).run(options, table);
}

}  // namespace pimento::driver
