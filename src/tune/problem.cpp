#include "pimento/tune/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/identity.h"

namespace pimento::tune {

namespace {

/// Do both mappings compile, to one program with one host's work?
bool isTheSame(const Problem &problem, const mapping::Mapping &a, const mapping::Mapping &b) {
  const auto x = compile(problem, a), y = compile(problem, b);
  if (!x || !y) return !x && !y;
  return (*x)->program().processes == (*y)->program().processes && (*x)->hostWork() == (*y)->hostWork();
}

/// The reference mapping with the program that candidates have; where that cannot follow it, the first candidate.
mapping::Mapping usualCandidate(const Problem &problem) {
  mapping::Mapping usual = problem.reference;
  usual.program = problem.part.mapping.program;
  if (compile(problem, usual)) return usual;
  for (mapping::Mapping &m : problem.target->mappings(problem.all(), *problem.machine, problem.part, problem.tools))
    if (compile(problem, m)) return std::move(m);
  return usual;
}

Choices choicesThatMatter(const Problem &problem, const mapping::Mapping &usual) {
  Choices out;
  mapping::Mapping contiguous = usual;
  contiguous.cyclic.clear();
  if (!isTheSame(problem, usual, contiguous))
    for (const auto &[level, chunk] : usual.cyclic) out.chunks[level] = {chunk};
  for (const std::vector<std::string> &order : allOrders(problem.kernel())) {
    mapping::Mapping ordered = usual;
    ordered.order = order;
    if (compile(problem, ordered) && !isTheSame(problem, usual, ordered)) out.orders.push_back(order);
  }
  return out;
}

}  // namespace

Result<Problem> makeProblem(const kernel::Graph &graph, const machine::Machine &machine, const evaluate::Target &target,
                            const std::string &variant, const evaluate::Tools &tools, const mapping::MapSpec &part) {
  const evaluate::GraphPart all{&graph, 0, static_cast<int>(graph.kernels.size())};
  PIMENTO_CHECK(all.count == 1 || target.runLength(graph, 0, machine) == all.count);
  Result<mapping::Mapping> reference = target.reference(all, machine, part, tools);
  if (!reference) reference = target.reference(all, machine, {}, tools);  // it cannot have what all must have
  if (!reference) {  // nor may it have room for the kernel: then the first mapping stands for it
    std::vector<mapping::Mapping> others = target.mappings(all, machine, part, tools);
    if (others.empty()) return reference.diagnostics();
    reference = std::move(others.front());
  }
  reference->text = mapping::print(*reference);
  Problem problem{&graph, &machine, &target, variant, {}, std::move(*reference)};
  problem.tools = tools;
  problem.part = part;
  const mapping::Mapping usual = usualCandidate(problem);
  if (!compile(problem, problem.reference)) problem.reference = usual;
  problem.choices = choicesThatMatter(problem, usual);
  return problem;
}

evaluate::RunMode Problem::mode() const {
  return {true, nullptr, values ? &*values : nullptr, nullptr};
}

evaluate::GraphPart Problem::all() const {
  return {graph, 0, static_cast<int>(graph->kernels.size())};
}

Result<mapping::MappingSpace::Chunks> parseChunks(std::string_view text, const machine::Machine &machine) {
  mapping::MappingSpace::Chunks out;
  if (trim(text) == "none") return out;
  std::vector<std::string> levels;
  for (const machine::Level &l : machine.levels) levels.push_back(l.name);
  const auto bad = [&](const std::string &message, const std::string &hint) {
    return usageError("bad-chunks", "--chunks", message, hint);
  };
  for (const std::string_view part : split(text, ';')) {
    const std::size_t eq = part.find('=');
    if (eq == std::string_view::npos)
      return bad(fmt::format("'{}' is not of the form LEVEL=CHUNK", part), "write LEVEL=CHUNK,...;... or none");
    const std::string level(trim(part.substr(0, eq)));
    if (std::find(levels.begin(), levels.end(), level) == levels.end())
      return bad(fmt::format("the machine has no level '{}'", level), suggest(level, levels));
    for (const std::string_view item : split(part.substr(eq + 1), ',')) {
      const auto chunk = parseInteger(trim(item));
      if (!chunk || *chunk < 1 || *chunk > mapping::kMaxExtent)
        return bad(fmt::format("'{}' is not a chunk", item), "chunks are whole numbers of elements, 1 or more");
      std::vector<std::int64_t> &chunks = out[level];
      if (std::find(chunks.begin(), chunks.end(), *chunk) == chunks.end()) chunks.push_back(*chunk);
    }
  }
  return out;
}

std::vector<std::vector<std::string>> allOrders(const kernel::Kernel &kernel) {
  constexpr std::size_t kMostDims = 6;
  std::vector<std::vector<std::string>> out;
  if (kernel.dims.size() > kMostDims) return out;
  std::vector<std::size_t> order(kernel.dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<std::string> names;
    for (const std::size_t d : order) names.push_back(kernel.dims[d].name);
    out.push_back(std::move(names));
  }
  return out;
}

mapping::Mapping mappingOf(const std::string &text) {
  const Result<mapping::MapSpec> spec = mapping::parseMapSpec(text);
  PIMENTO_CHECK(spec.ok() && "printed mappings parse");
  mapping::Mapping m = spec->mapping;
  m.text = text;
  return m;
}

Result<std::unique_ptr<evaluate::CompiledPart>> compile(const Problem &problem, const mapping::Mapping &mapping) {
  return problem.target->compile(problem.all(), mapping, *problem.machine, problem.variant, problem.tools);
}

std::string toolIdentity() {
  constexpr int kFormat = 6;  // of what stores hold
  return fmt::format("pimento {} format {}", PIMENTO_VERSION, kFormat);
}

std::string identity(const Problem &problem) {
  std::string out = fmt::format("{}\nvariant {}\n", toolIdentity(), problem.variant);
  out += kernel::print(*problem.graph);
  for (const auto &[level, chunks] : problem.choices.chunks) out += fmt::format("chunks {} {}\n", level, chunks);
  for (const auto &order : problem.choices.orders) out += fmt::format("order {}\n", order);
  if (problem.isPart()) out += fmt::format("part {}\n", mapping::print(problem.part));
  if (problem.hasAllFactors) out += "all factors\n";
  if (const auto &r = problem.rules)
    out += fmt::format("rules {:d}{:d}{:d}{:d}\n", r->equivalent, r->lanes, r->largestTile, r->roundsTiles);
  if (problem.values)
    out += fmt::format("data {} {} {} {}\n", static_cast<int>(problem.values->kind), problem.values->low,
                       problem.values->high, problem.values->seed);
  return out + machine::identity(*problem.machine);
}

}  // namespace pimento::tune
