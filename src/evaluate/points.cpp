#include "pimento/evaluate/points.h"

#include "pimento/base/text.h"

namespace pimento::evaluate {

std::int64_t Point::number(const std::string &column) const {
  return parseInteger(columns.at(column)).value_or(0);
}

double Point::real(const std::string &column) const {
  return parseNumber(columns.at(column)).value_or(0);
}

}  // namespace pimento::evaluate
