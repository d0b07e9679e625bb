#include "pimento/driver/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/machine/schema.h"

namespace pimento::driver {

namespace {

using machine::SchemaRow;
using machine::ValueKind;
using Json = nlohmann::ordered_json;

std::string kindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kSection:
      return "section";
    case ValueKind::kText:
      return "text";
    case ValueKind::kFlag:
      return "true or false";
    case ValueKind::kChoice:
      return "choice";
    case ValueKind::kDType:
      return "element type";
    case ValueKind::kTextList:
      return "list";
    case ValueKind::kNumber:
      return "number";
    case ValueKind::kFormula:
      return "formula";
    case ValueKind::kNumbers:
      return "numbers";
  }
  return {};
}

bool hasBounds(const SchemaRow &row) {
  return row.kind == ValueKind::kNumber || row.kind == ValueKind::kFormula || row.kind == ValueKind::kNumbers;
}

/// What may stand there: choices, or units with bounds in the first of them.
std::string valuesOf(const SchemaRow &row) {
  if (!row.choices.empty()) return fmt::format("{}", fmt::join(row.choices, ", "));
  if (!hasBounds(row)) return {};
  return fmt::format("{}, {} to {}", row.unit, numberText(row.low), numberText(row.high));
}

Json toJson(const SchemaRow &row) {
  Json j = {{"path", row.path}, {"kind", kindName(row.kind)}, {"required", row.isRequired}, {"meaning", row.meaning}};
  if (!row.choices.empty()) j["choices"] = row.choices;
  if (!hasBounds(row)) return j;
  j["units"] = row.unit;
  j["low"] = row.low;
  j["high"] = row.high;
  j["whole"] = row.isInteger;
  return j;
}

}  // namespace

std::string schemaTable() {
  emit::Columns table("ll");
  for (const SchemaRow &row : machine::schema()) {
    const std::string values = valuesOf(row);
    table.row({row.path, fmt::format("{}{}{}: {}", kindName(row.kind), row.isRequired ? ", required" : "",
                                     values.empty() ? "" : " (" + values + ")", row.meaning)});
  }
  return table.str();
}

Json schemaJson() {
  Json rows = Json::array();
  for (const SchemaRow &row : machine::schema()) rows.push_back(toJson(row));
  return {{"schema", rows}};
}

}  // namespace pimento::driver
