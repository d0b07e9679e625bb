// What `serve` answers, as JSON, as text for a terminal, as a timeline, and as a table of layer times.
#pragma once

#include <ostream>
#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento::driver {

struct ServeAnswer;

std::string serveJson(const ServeAnswer &answer);
std::string serveTable(const ServeAnswer &answer);

/// Steps, their layers, and a track for each request. Diagnostic: unwritable-file.
Status writeServeTrace(const ServeAnswer &answer, std::ostream &out);
/// A row per layer that was needed: layer, phase, batch, length, where, ns, pJ, exact, source.
std::string layerTimesCsv(const ServeAnswer &answer);

}  // namespace pimento::driver
