#include "pimento/machine/machine.h"

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

int Dram::commandNamed(std::string_view name) const {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace pimento::machine
