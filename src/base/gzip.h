// Files compressed with gzip, as tables of points are shipped.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento {

/// The contents of a .gz file, of several members one after the other. Diagnostics: "unreadable-file" (also of what is
/// no gzip file, or cut).
Result<std::string> readGzipFile(const std::string &path);

}  // namespace pimento
