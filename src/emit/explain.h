// Explanations as text for a terminal and as JSON: a number, its formula, the numbers put in, and so on down.
//
// Views only (evaluate/derivation.h holds the tree). Text shows the widest parts first, leaves out parts that are 0,
// and shows a node that stands in several places once in full.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pimento::evaluate {
struct Derivation;
class Explanation;
struct Report;
}  // namespace pimento::evaluate

namespace pimento::emit {

/// The tree of one number, `depth` levels below it.
std::string toText(const evaluate::Derivation &number, int depth);

/// The same as JSON: the "tree" of explainJson.
nlohmann::ordered_json treeJson(const evaluate::Derivation &number, int depth);

/// What was run, and the trees of time and energy.
std::string overviewText(const evaluate::Report &report, const evaluate::Explanation &explanation, int depth);

/// {"explain", "kernel", "sizes", "target", "mapping", "tree": {"name", "value", "unit", "formula", "numbers",
///  "parts": [...], "beside": [...], "source", "confidence", "note"}}; "more": true where the depth ends.
std::string explainJson(const evaluate::Report &report, const evaluate::Derivation &number, int depth);

/// The same with {"time": tree, "energy": tree}.
std::string overviewJson(const evaluate::Report &report, const evaluate::Explanation &explanation, int depth);

}  // namespace pimento::emit
