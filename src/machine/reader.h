// From a merged tree to checked values: every key known, every number with unit, source and confidence, in bounds.
//
// Driven by rows alone: those of schema(), or of another kind of file. Formulas are evaluated here, after all plain
// numbers are known, so an override of a timing parameter reaches every latency that uses it. Not here: what values
// mean together (build.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/machine/document.h"
#include "pimento/machine/machine.h"
#include "pimento/machine/places.h"
#include "pimento/machine/schema.h"

namespace pimento::machine {

/// What stands at one path. Which members count depends on the row's kind.
struct Value {
  Location where;
  std::string text;                   ///< text, choice, element type; formulas: as written
  std::vector<std::string> list;      ///< text lists
  std::vector<std::int64_t> numbers;  ///< number lists
  bool flag = false;
  double number = 0;                ///< in canonical units
  std::optional<double> low, high;  ///< likewise
};

struct Values {
  std::map<std::string, Value> byPath;
  std::map<std::string, Number> numbers;
  std::map<std::string, std::string> words;  ///< by path: flags, element types and other choices
};

/// Reads `root` (the whole file, extensions merged). `start` says what to start from instead where several keys are
/// missing. All that is missing is one diagnostic, the first where it names several keys. Collects all diagnostics it
/// can: "unknown-key", "missing-key",
/// "wrong-type", "bad-name", "unknown-choice", "bare-number", "bad-number", "wrong-unit", "missing-source",
/// "missing-confidence", "bad-confidence", "bad-range", "impossible-value", "bad-formula", "unknown-name".
Result<Values> readValues(const Node &root, const std::string &start = {});

/// Reads a file of another kind, whose rows `places` is the tree of; `help` says where its keys are explained.
Result<Values> readValues(const Node &root, const Place &places, const std::string &help);

}  // namespace pimento::machine
