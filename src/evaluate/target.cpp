#include "pimento/evaluate/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pimento/evaluate/profile.h"
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

bool isInside(const GraphPart &part, int tensor) {
  if (part.graph->tensors[static_cast<std::size_t>(tensor)].role != kernel::Role::kTemporary) return false;
  for (int k = 0; k < static_cast<int>(part.graph->kernels.size()); ++k) {
    if (k >= part.first && k < part.first + part.count) continue;
    const kernel::Kernel &other = part.graph->kernels[static_cast<std::size_t>(k)];
    for (const kernel::Access &a : other.loads)
      if (a.tensor == tensor) return false;
    for (const kernel::Store &s : other.stores)
      if (s.target.tensor == tensor) return false;
  }
  return true;
}

std::vector<kernel::Order> ordersOf(const CompiledPart *part, int kernels) {
  std::vector<kernel::Order> orders(static_cast<std::size_t>(kernels));
  for (int k = 0; part != nullptr && k < kernels; ++k) orders[static_cast<std::size_t>(k)] = part->orderOf(k);
  return orders;
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

Result<std::unique_ptr<Profiler>> Target::profiler(const machine::Machine &machine, bool /*isBridged*/) const {
  return unsupported("unsupported-target", {machine.name},
                     fmt::format("{} has no core that runs programs of a host", machine.name),
                     "use a machine of family cim: cim-a9, cim-ooo8, cim-inorder-1mb");
}

Result<std::unique_ptr<trace::Consumer>> Target::stageWriter(std::string_view /*stage*/,
                                                             const machine::Machine &machine,
                                                             std::function<void(std::string_view)> /*write*/) const {
  return profiler(machine, false).diagnostics();
}

Result<std::unique_ptr<trace::Consumer>> Target::reshaper(const machine::Machine &machine,
                                                          trace::Consumer & /*to*/) const {
  return profiler(machine, false).diagnostics();
}

Result<std::unique_ptr<trace::Consumer>> Target::execution(const machine::Machine &machine,
                                                           trace::Executor & /*to*/) const {
  return profiler(machine, false).diagnostics();
}

std::vector<Suite> Target::suites() const {
  return {};
}

namespace {

Location placeOf(const mapping::Mapping &m, const std::string &extension) {
  const auto at = m.where.find(extension);
  return at != m.where.end() ? at->second : Location{};
}

Status checkProgram(const Target &target, const machine::Machine &machine, const mapping::Mapping &m) {
  const std::vector<mapping::ProgramKind> programs = target.programs();
  if (m.program == mapping::ProgramKind::kAny ||
      std::find(programs.begin(), programs.end(), m.program) != programs.end())
    return okStatus();
  std::vector<std::string_view> names;
  for (const mapping::ProgramKind p : programs) names.push_back(name(p));
  return unsupported("unsupported-program", placeOf(m, "program"),
                     fmt::format("{} has no {} programs", machine.name, name(m.program)),
                     fmt::format("omit program=; choices: {}", fmt::join(names, ", ")));
}

}  // namespace

Status checkExtensions(const Target &target, const machine::Machine &machine, const mapping::Mapping &mapping) {
  if (Status s = checkProgram(target, machine, mapping); !s) return s;
  std::vector<std::string> named;
  for (const auto &[parameter, value] : mapping.parameters) named.push_back(parameter);
  if (mapping.mergeAt != mapping::MergeAt::kCheapest) named.emplace_back("merge");
  if (mapping.mode != mapping::StreamMode::kAny) named.emplace_back("mode");
  if (mapping.part != mapping::StreamPart::kWhole) named.emplace_back("part");
  std::vector<std::string> taken = target.extensions();
  const auto unknown =
      std::ranges::find_if(named, [&](const std::string &n) { return std::ranges::find(taken, n) == taken.end(); });
  if (unknown == named.end()) return okStatus();
  taken.insert(taken.end(), {"cyclic(...)", "order(...)", "program", "tail"});
  for (std::string &t : taken)
    if (!t.ends_with(')')) t += '=';
  return error("unsupported-extension", placeOf(mapping, *unknown),
               fmt::format("{}= chooses nothing on {}", *unknown, machine.name),
               fmt::format("omit it; choices: {}", fmt::join(taken, ", ")));
}

}  // namespace pimento::evaluate
