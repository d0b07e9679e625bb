// What a machine file may hold, as rows: it drives the reader's checks, unit conversion, hints and the docs.
//
// The rows stand in the section modules (sections/); here is what a row is. Not here: the values of a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimento::machine {

/// What may stand at a place of a machine file.
enum class ValueKind : std::uint8_t {
  kSection,  ///< a mapping of the rows below it
  kText,
  kFlag,      ///< true or false
  kChoice,    ///< one of `choices`
  kDType,     ///< an element type
  kTextList,  ///< texts, of `choices` where there are any
  kNumber,    ///< "14 cycle", or {value: 14 cycle, range: [a, b], source: ..., confidence: ...}
  kFormula,   ///< a number, or an integer formula over names of `timing` and paths of other numbers
  kNumbers,   ///< several numbers and one unit: "0 1 8 9 bank"
};

/// The schema as rows: what the loader checks and the docs print. In `path`, `*` stands for a name the file chooses;
/// rows under `**.` may stand anywhere. Required means: where the mapping around it is present.
struct SchemaRow {
  std::string path;
  ValueKind kind = ValueKind::kSection;
  std::string unit;  ///< numbers: accepted units, the canonical one first: "cycle|ns"
  std::string meaning;
  bool isRequired = false;
  double low = 0, high = 0;  ///< numbers: bounds in the canonical unit
  bool isInteger = false;
  std::vector<std::string> choices;
  bool isWord = false;  ///< a section whose name no formula has: it may have hyphens, too
};
const std::vector<SchemaRow> &schema();

}  // namespace pimento::machine
