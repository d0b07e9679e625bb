// `validate SUITE`: replays reference points and compares cycles. What a suite's rows mean is the target's
// (evaluate/suite.h); the contract's table says it in words (docs/cli.md, "validate").
#pragma once

#include <variant>

#include "pimento/driver/options.h"
#include "pimento/emit/mapping_suite.h"
#include "pimento/emit/suite.h"

namespace pimento::driver {

using ValidateAnswer = std::variant<emit::SuiteResult, emit::MappingSuite>;

/// `options.input` holds the suite.
Result<ValidateAnswer> validate(const Options &options);
Outcome show(const ValidateAnswer &answer, const Options &options);

}  // namespace pimento::driver
