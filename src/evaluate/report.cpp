#include "pimento/evaluate/report.h"

namespace pimento::evaluate {

std::vector<Phase> Report::phases() const {
  std::vector<Phase> out;
  for (const Stage &stage : stages)
    for (const Phase &phase : stage.phases) {
      out.push_back(phase);
      if (stages.size() > 1) out.back().name = stage.kernel + ": " + phase.name;
    }
  return out;
}

std::string checkedAgainst(const Report &report) {
  if (!report.isChecked) return {};
  if (!report.checkedText) return "interpreter";
  return report.checkedText->language +
         (report.checkedText->isBitForBit ? ", bit for bit" : ", within the error bound");
}

}  // namespace pimento::evaluate
