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

}  // namespace pimento::evaluate
