// Estimates a matrix-vector product on every machine that comes with Pimento and prints the device's cycles, or why
// that machine cannot run it.
#include <cstdio>

#include "pimento/driver/machine_option.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/targets.h"

int main() {
  using namespace pimento;
  const auto graph = kernel::makeZooKernel("gemv", {{"m", 4096}, {"n", 4096}}, DType::kF16);
  if (!graph) return 1;
  const std::vector<std::string> folders = driver::machineFolders({});
  for (const std::string &name : machine::listMachines(folders)) {
    const auto machine = machine::loadMachine(name, folders);
    if (!machine) {
      std::fprintf(stderr, "%s\n", machine.diagnostics().front().str().c_str());
      return 1;
    }
    const auto target = targets::targetOf(*machine);
    if (!target) {
      std::printf("%s: %s\n", name.c_str(), target.diagnostics().front().message.c_str());
      continue;
    }
    evaluate::Request request;
    request.graph = &*graph;
    request.machine = &*machine;
    request.target = *target;
    request.maps.emplace_back();  // the reference mapping
    const auto report = evaluate::evaluate(request);
    if (!report) {
      std::printf("%s: %s\n", name.c_str(), report.diagnostics().front().message.c_str());
      continue;
    }
    std::printf("%s %lld cycles, %.3g uJ\n", name.c_str(), static_cast<long long>(report->cycles.value),
                report->kernelEnergy.total.value * 1e-6);
  }
  return 0;
}
