// `explore`: all mappings of a kernel, or with `--sweep` the points of sweeps over machine numbers and sizes.
#pragma once

#include <memory>
#include <variant>

#include "pimento/driver/options.h"
#include "pimento/emit/explore.h"

namespace pimento::driver {

struct SharedPart;

/// The last: with --share.
using ExploreAnswer = std::variant<emit::MappingExploration, emit::SweepExploration, std::shared_ptr<const SharedPart>>;

Result<ExploreAnswer> explore(const Options &options);
/// Writes `options.output`, by its ending as CSV, JSON or a page.
Outcome show(const ExploreAnswer &answer, const Options &options);

}  // namespace pimento::driver
