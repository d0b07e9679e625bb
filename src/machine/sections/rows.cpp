#include "pimento/machine/sections/rows.h"

#include <utility>

namespace pimento::machine::row {

SchemaRow section(std::string path, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kSection, {}, std::move(meaning), isRequired, 0, 0, false, {}};
}
SchemaRow word(std::string path, std::string meaning) {
  SchemaRow row = section(std::move(path), std::move(meaning));
  row.isWord = true;
  return row;
}
SchemaRow text(std::string path, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kText, {}, std::move(meaning), isRequired, 0, 0, false, {}};
}
SchemaRow list(std::string path, std::string meaning, Words choices, bool isRequired) {
  return {std::move(path), ValueKind::kTextList, {}, std::move(meaning), isRequired, 0, 0, false, std::move(choices)};
}
SchemaRow flag(std::string path, std::string meaning) {
  return {std::move(path), ValueKind::kFlag, {}, std::move(meaning), false, 0, 0, false, {}};
}
SchemaRow choice(std::string path, Words choices, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kChoice, {}, std::move(meaning), isRequired, 0, 0, false, std::move(choices)};
}
SchemaRow dtype(std::string path, std::string meaning) {
  return {std::move(path), ValueKind::kDType, {}, std::move(meaning), true, 0, 0, false, {}};
}
SchemaRow integer(std::string path, std::string unit, double low, double high, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kNumber, std::move(unit), std::move(meaning), isRequired, low, high, true, {}};
}
SchemaRow count(std::string path, std::string meaning, bool isRequired) {
  return integer(std::move(path), "count", 1, kMostCount, std::move(meaning), isRequired);
}
SchemaRow index(std::string path, std::string unit, std::string meaning) {
  return integer(std::move(path), std::move(unit), 0, kMostCount, std::move(meaning), true);
}
SchemaRow real(std::string path, std::string unit, double low, double high, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kNumber, std::move(unit), std::move(meaning), isRequired, low, high, false, {}};
}
SchemaRow formula(std::string path, std::string unit, double low, double high, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kFormula, std::move(unit), std::move(meaning), isRequired, low, high, true, {}};
}

Rows everywhere() {
  return {
      text("**.source", "source of the numbers below; inner ones take precedence"),
      choice("**.confidence", {"measured", "datasheet", "paper", "assumed"}, "confidence in the numbers below", false),
      text("**.value", "a number in mapping form: {value: 14 cycle, range: [12, 16], source: ..., confidence: ...}"),
      list("**.range", "lowest and highest value in the sources, in the unit of the value"),
      text("**.note", "remark on a number"),
  };
}

void append(Rows &rows, Rows more) {
  for (SchemaRow &r : more) rows.push_back(std::move(r));
}

}  // namespace pimento::machine::row
