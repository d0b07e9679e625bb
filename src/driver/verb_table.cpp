#include <algorithm>

#include "pimento/driver/verbs.h"
#include "pimento/driver/verbs/calibrate.h"
#include "pimento/driver/verbs/compare.h"
#include "pimento/driver/verbs/compile.h"
#include "pimento/driver/verbs/estimate.h"
#include "pimento/driver/verbs/explain.h"
#include "pimento/driver/verbs/explore.h"
#include "pimento/driver/verbs/kernels.h"
#include "pimento/driver/verbs/list_options.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/driver/verbs/report.h"
#include "pimento/driver/verbs/simulate.h"
#include "pimento/driver/verbs/targets.h"
#include "pimento/driver/verbs/tune.h"
#include "pimento/driver/verbs/validate.h"

namespace pimento::driver {

namespace {

using V = VerbId;

template <auto ask>
Outcome answered(const Options &options) {
  auto answer = ask(options);
  return answer ? show(*answer, options) : failure(std::move(answer.diagnostics()));
}

template <auto ask>
ShownTwice answeredTwice(const Options &options) {
  Options json = options, table = options;
  json.isJson = true;
  table.isJson = false;
  auto answer = ask(json);
  if (!answer) return {failure(std::move(answer.diagnostics())), {}};
  return {show(*answer, json), show(*answer, table).text};
}

constexpr Verb kVerbs[] = {
    {V::kTargets, "targets", "List the machines, or show one with the source of every number", "NAME", false, false,
     answered<targets>, answeredTwice<targets>},
    {V::kKernels, "kernels", "List the kernels of the zoo, or show one", "NAME", false, false, answered<kernels>, answeredTwice<kernels>},
    {V::kCompile, "compile", "Print a stage of the compilation", "INPUT", true, false, answered<compile>, answeredTwice<compile>, true},
    {V::kEstimate, "estimate", "Estimate time and energy by exact fast-forward", "INPUT", true, false,
     answered<estimate>, answeredTwice<estimate>},
    {V::kSimulate, "simulate", "Run every command on data and check the results", "INPUT", true, false,
     answered<simulate>, answeredTwice<simulate>},
    {V::kCompare, "compare", "Compare one kernel on several targets", "INPUT", true, false, answered<compare>, answeredTwice<compare>},
    {V::kExplore, "explore", "Try all mappings of a kernel, or sweep machine numbers and sizes", "INPUT", true, false,
     answered<explore>, answeredTwice<explore>},
    {V::kTune, "tune", "Find the best mapping, proved by exact bounds, and keep it", "INPUT", true, false,
     answered<tuneMappings>, answeredTwice<tuneMappings>},
    {V::kExplain, "explain", "Trace any number of a result back to formulas, counts and sources", "INPUT", true, false,
     answered<explain>, answeredTwice<explain>},
    {V::kProfile, "profile", "Run a program for Arm, AArch64 or RISC-V, and show what of it caches could compute",
     "PROG", true, false, answered<profile>, answeredTwice<profile>, true},
    {V::kReport, "report", "Turn saved results into one HTML page", "FILE", true, true, answered<report>, answeredTwice<report>},
    {V::kCalibrate, "calibrate", "Fit a machine to micro-benchmark tables, with residuals", "TARGET", true, false,
     answered<calibrate>, answeredTwice<calibrate>},
    {V::kValidate, "validate", "Replay reference points and print the error", "SUITE", true, false, answered<validate>, answeredTwice<validate>},
    {V::kOptions, "options", "List the options, or those of one verb", "VERB", false, false, answered<options>, answeredTwice<options>},
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

Outcome run(VerbId verb, const Options &options) {
  return verbOf(verb).run(options);
}

ShownTwice runForBoth(VerbId verb, const Options &options) {
  return verbOf(verb).runForBoth(options);
}

}  // namespace pimento::driver
