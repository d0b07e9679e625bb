// The account of a process as JSON.
#pragma once

#include <string>

#include "account.h"
#include "outcome.h"

namespace pimento::upmem {

/// One object, indented, ended by a line feed.
std::string toJson(const Totals &totals);

/// Writes the account of the process. DPU_ERR_SYSTEM.
Outcome writeReport(const std::string &file);

/// ... to the file that PIMENTO_REPORT names, if it does.
Outcome writeEnvironmentReport();

}  // namespace pimento::upmem
