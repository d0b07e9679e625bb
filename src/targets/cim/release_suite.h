// Points of the analyzer that Eva-CiM's authors released: trees and counters of traces.
#pragma once

#include "pimento/evaluate/suite.h"

namespace pimento::targets::cim {

/// "eva-cim-release": a folder with NAME.*trace.csv.gz, NAME.expected_trees.txt.gz, NAME.confN.expected_counters.csv. A
/// row is a tree ("NAME:trees") or a counter ("NAME:confN").
evaluate::Suite releaseSuite();

}  // namespace pimento::targets::cim
