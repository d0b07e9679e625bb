// What a machine-code program left beside its time: profile, printed text, values, fault. For the table and the JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pimento/evaluate/report.h"

namespace pimento::emit {

/// The elements as texts: whole numbers in decimal, others so that they read back exactly.
std::vector<std::string> valuesOf(const evaluate::Readout &readout);

/// Values that were asked for and the log, for terminals; empty if there are none.
std::string readoutsText(const evaluate::Report &report);

/// Functions, then the `most` lines that took most, for terminals.
std::string profileTable(const evaluate::Attribution &profile, std::size_t most = 20);

}  // namespace pimento::emit
