// The verbs of the command line as functions. Each reads its options, does one thing and returns what to print.
//
// No verb prints, exits or throws. Files are read where the options name them and written only where a verb says so.
#pragma once

#include "pimento/driver/options.h"

namespace pimento::driver {

/// `targets [NAME]`: the machines, or one with the source of every number. `input` holds the name.
Outcome targets(const Options &options);
/// `kernels [NAME]`: the zoo, or one entry with its graph.
Outcome kernels(const Options &options);
/// `compile`: prints the stage that `emit` names.
Outcome compile(const Options &options);
/// `estimate`: time and energy by exact fast-forward.
Outcome estimate(const Options &options);
/// `simulate`: every command, with data unless `--data none`; `trace` writes a timeline.
Outcome simulate(const Options &options);
/// `compare`: one kernel on several targets; a target that cannot run it has `error` in its row.
Outcome compare(const Options &options);
/// `explore`: all mappings of a kernel, or with `sweeps` the points of sweeps; writes `output` by its ending.
Outcome explore(const Options &options);
/// `explain INPUT|RESULT.json`: numbers of a result back to formulas, counts and constants; `number` names one.
Outcome explain(const Options &options);
/// `validate SUITE`: replays reference points. `input` holds the suite.
Outcome validate(const Options &options);
/// `calibrate TARGET`: times of DPUs from micro-benchmark tables, with residuals; `output` gets the machine file.
Outcome calibrate(const Options &options);
/// `report FILE...`: results in `inputs` as one HTML page; with an output that ends in `.svg`, the chart of one figure.
Outcome report(const Options &options);

}  // namespace pimento::driver
