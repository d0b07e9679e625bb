// Whole files in and out, with a diagnostic instead of an exception.
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento {

/// The bytes of a file. Diagnostic: "unreadable-file".
Result<std::string> readFile(const std::string &path);

/// Replaces the contents of a file. Diagnostic: "unwritable-file".
Status writeFile(const std::string &path, std::string_view contents);

}  // namespace pimento
