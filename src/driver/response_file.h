// Response files: `@FILE` on a command line stands for the arguments in FILE, quoted as GCC reads them.
//
// White space separates arguments; single or double quotes hold it together; a backslash takes the next character as
// it is, inside of quotes too. Files may name others. An `@FILE` that cannot be read stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::driver {

/// Diagnostic: response-file (a quote without its end).
Result<std::vector<std::string>> splitArguments(std::string_view text, const std::string &file);

/// The arguments with those of response files in place of their names. Diagnostic: response-file (also files that name
/// each other).
Result<std::vector<std::string>> expandResponseFiles(const std::vector<std::string> &arguments);

}  // namespace pimento::driver
