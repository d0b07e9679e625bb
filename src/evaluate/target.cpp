#include "pimento/evaluate/target.h"

#include <fmt/format.h>

#include <set>

#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/suite.h"
#include "pimento/program/text.h"

namespace pimento::evaluate {

Result<std::unique_ptr<Slices>> Runnable::slices(const RunMode & /*mode*/) const {
  return noSlices("this program", program().target);
}

Result<std::string> Runnable::emit(std::string_view stage, const std::string & /*kernel*/, bool /*isFirst*/) const {
  PIMENTO_CHECK(stage == "llvcnm" && "targets print the stages that they name");
  return program::print(program());
}

std::vector<Residence> residencesOf(const GraphPart &part, const mapping::Mapping &mapping) {
  std::set<int> tensors;
  for (int k = part.first; k < part.first + part.count; ++k) {
    const kernel::Kernel &kernel = part.graph->kernels[static_cast<std::size_t>(k)];
    for (const kernel::Access &a : kernel.loads) tensors.insert(a.tensor);
    for (const kernel::Store &s : kernel.stores) tensors.insert(s.target.tensor);
  }
  std::vector<Residence> out;
  for (const int t : tensors) out.push_back({t, mapping});
  return out;
}

Result<TimelineMaker> Target::timeline(const std::vector<const Runnable *> & /*runs*/,
                                       const machine::Machine & /*machine*/) const {
  return usageError("trace-virtual", "--trace", fmt::format("{} have no timeline", stages().what),
                    "choose a target that runs device commands or machine code");
}

std::vector<Suite> Target::suites() const {
  return {};
}

}  // namespace pimento::evaluate
