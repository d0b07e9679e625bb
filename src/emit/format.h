// Numbers and states as a reader wants them: grouped digits, a unit that keeps the number short, percents, names.
//
// Numbers for terminals only; JSON and CSV carry full ones. Locale plays no part, so output is the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/base/units.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit {

/// "1,234,567"; "-1,234".
std::string grouped(std::int64_t n);

/// Four significant digits and a unit between ps and s: "13.17 us". Zero is "0 s".
std::string timeText(double ns);

/// Four significant digits and a unit between pJ and J: "1.25 uJ". Zero is "0 J".
std::string energyText(Picojoules energy);

/// "12.3 %"; "-" where `whole` is 0.
std::string percentText(double part, double whole);

/// "simulated", "fast-forwarded", "sampled", "extrapolated": the contract's spelling.
std::string_view name(evaluate::Exactness e);

/// Why the results of a run were not checked; empty: they were.
std::string whyUnchecked(const evaluate::Report &r);

}  // namespace pimento::emit
