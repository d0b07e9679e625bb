#include "pimento/tune/check.h"

#include <fmt/format.h>

#include "pimento/base/integer.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/data_bounds.h"

namespace pimento::tune {

namespace {

/// Were the cycles sampled, with `cycles` in their interval?
bool isSampled(const Problem &problem, const std::string &mapping, Cycles cycles) {
  const auto compiled = compile(problem, mappingOf(mapping));
  if (!compiled) return false;
  const auto run = (*compiled)->run(problem.mode());
  return run && run->interval && run->interval->low <= cycles && cycles <= run->interval->high;
}

}  // namespace

Diagnostic wrongCycles(const std::string &mapping, Cycles estimated, Cycles simulated) {
  return error(DiagnosticKind::kOurs, "wrong-cycles", {},
               fmt::format("{} takes {} cycles command by command, but {} by fast-forward", mapping, simulated.value,
                           estimated.value),
               "this is a bug in Pimento: please report it with the command you ran");
}

Status check(const Problem &problem, const std::string &mapping, Cycles estimated, const kernel::DataSpec &data) {
  kernel::DataSet contents = kernel::makeData(*problem.graph, problem.values.value_or(data));
  evaluate::Request request;
  request.graph = problem.graph;
  request.machine = problem.machine;
  request.target = problem.target;
  request.variant = problem.variant;
  request.tools = problem.tools;
  mapping::MapSpec spec;
  spec.kind = mapping::MapSpec::Kind::kExplicit;
  spec.mapping = mappingOf(mapping);
  request.maps = {spec};
  request.isSimulation = true;
  request.data = &contents;
  const Result<evaluate::Report> report = evaluate::evaluate(request);
  if (!report) return report.diagnostics();
  if (report->cycles != estimated && !isSampled(problem, mapping, report->cycles))
    return wrongCycles(mapping, estimated, report->cycles);
  return okStatus();
}

CheckSize checkSize(const Problem &problem) {
  CheckSize size;
  for (const kernel::Kernel &k : problem.graph->kernels)
    size.points = addSaturated(size.points, kernel::pointsOfRows(k));
  for (const kernel::Tensor &t : problem.graph->tensors)
    size.bytes = Bytes(addSaturated(size.bytes.value, multiplySaturated(t.elements(), sizeOf(t.type).value)));
  return size;
}

}  // namespace pimento::tune
