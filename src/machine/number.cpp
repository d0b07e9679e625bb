#include "pimento/machine/number.h"

namespace pimento::machine {

std::string_view name(Confidence c) {
  switch (c) {
    case Confidence::kMeasured:
      return "measured";
    case Confidence::kDatasheet:
      return "datasheet";
    case Confidence::kPaper:
      return "paper";
    case Confidence::kAssumed:
      return "assumed";
  }
  return {};
}

}  // namespace pimento::machine
