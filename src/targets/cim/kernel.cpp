#include "pimento/targets/cim/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "pimento/base/cache.h"
#include "pimento/base/integer.h"
#include "pimento/evaluate/explainer.h"
#include "pimento/machine/memory_size.h"
#include "pimento/program/dpu_compiler.h"
#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/profiler.h"
#include "pimento/targets/cim/sample.h"

namespace pimento::targets::cim {

using evaluate::DeviceRun;
using evaluate::GraphPart;
using evaluate::RunMode;

namespace {

std::span<const std::byte> bytesOf(const std::array<std::int64_t, 2> &range) {
  return std::as_bytes(std::span(range));
}

class CimKernel final : public evaluate::CompiledPart {
 public:
  CimKernel(const GraphPart &part, const machine::Machine &machine, mapping::PlacedMapping placed, Source source,
            std::string elf, trace::HostTools &tools)
      : part_(part),
        machine_(machine),
        placed_(std::move(placed)),
        source_(std::move(source)),
        elf_(std::move(elf)),
        tools_(tools) {
    program_.target = machine.name;
  }

  const program::Program &program() const override { return program_; }
  const mapping::PlacedMapping &placed() const override { return placed_; }
  /// Points of one element in the kernel's order, whatever the nest (writeSource).
  kernel::Order order() const override { return {}; }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, placed_.mapping);
  }
  evaluate::HostWork hostWork() const override {
    evaluate::HostWork work;
    work.ranks = 1;
    return work;
  }
  Bytes footprint() const override { return Bytes(source_.bytes); }
  /// Nothing is proved: caches may compute what the program would have loaded and stored.
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    DeviceRun run;
    evaluate::setCounts(run, countTable(), Totals{}, machine_, 1);
    run.counts.clear();
    return run;
  }

  Result<DeviceRun> run(const RunMode &mode) const override {
    if (mode.contents != nullptr && isComplete(*mode.contents)) {
      kernel::DataSet data = *mode.contents;
      kernel::makeMissing(*part_.graph, data);
      return simulate(&data, mode);
    }
    if (!dataDecide(part_.kernel())) return simulate(nullptr, mode);
    if (mode.values == nullptr || !(mode.hasAllValues || readsInputsAlone())) return dataDecideTime();
    kernel::DataSet data = kernel::makeData(*part_.graph, *mode.values);
    for (const Source::Array &a : source_.arrays)
      if (kernel::TensorData &d = data[static_cast<std::size_t>(a.tensor)]; d.bytes.empty() && mode.hasAllValues)
        d = kernel::makeTensor(*part_.graph, a.tensor, *mode.values);
    kernel::makeMissing(*part_.graph, data);
    Result<DeviceRun> run = simulate(&data, mode);
    if (run) run->isOnMadeValues = true;
    return run;
  }

  Result<DeviceRun> runOn(kernel::DataSet &data, const RunMode & /*mode*/) const override {
    const Result<Measured> all = measure(&data, 0, source_.outermost, &data);
    if (!all) return all.diagnostics();
    return runOf(*all);
  }

  evaluate::DerivationPtr explainCycles(const std::string &name, const DeviceRun &run,
                                        evaluate::MachineNumbers & /*numbers*/,
                                        std::int64_t /*mostCommands*/) const override {
    const std::int64_t instructions = run.counts.at("instructions");
    std::string note = fmt::format("one core, {} instructions", instructions);
    if (machine_.cim) note += ", with what its caches compute taken out and simulated again";
    if (run.interval)
      note = fmt::format(
          "sampled: {} cycles of pieces of the outermost loop were simulated; {} to {} with {} % confidence",
          run.cyclesSimulated.value, run.interval->low.value, run.interval->high.value, 100 * run.interval->level);
    return evaluate::leaf(name, run.cycles.value, "cycle", note);
  }

  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override {
    if (stage == "c") return source_.text;
    if (stage == "asm") return tools_.assembly(source_.text);
    return Runnable::emit(stage, kernel, isFirst);
  }

 private:
  bool isComplete(const kernel::DataSet &data) const {
    return std::ranges::all_of(source_.arrays, [&](const Source::Array &a) {
      return !isGiven(a.tensor) || !data[static_cast<std::size_t>(a.tensor)].bytes.empty();
    });
  }
  /// Has it values before the kernel runs?
  bool isGiven(int tensor) const {
    using kernel::Role;
    const Role role = part_.graph->tensors[static_cast<std::size_t>(tensor)].role;
    return role == Role::kInput || role == Role::kInOut || (role == Role::kTemporary && isLoaded(tensor));
  }
  bool isLoaded(int tensor) const {
    return std::ranges::any_of(part_.kernel().loads, [&](const kernel::Access &a) { return a.tensor == tensor; });
  }
  bool readsInputsAlone() const {
    return std::ranges::all_of(source_.arrays, [&](const Source::Array &a) {
      const kernel::Role role = part_.graph->tensors[static_cast<std::size_t>(a.tensor)].role;
      return !isLoaded(a.tensor) || role == kernel::Role::kInput || role == kernel::Role::kInOut;
    });
  }
  Diagnostic dataDecideTime() const {
    const kernel::Kernel &k = part_.kernel();
    return error(DiagnosticKind::kDataDependent, "data-decide-time", k.where,
                 fmt::format("the time of kernel '{}' on {} depends on the values of its operands, which are unknown",
                             k.name, machine_.name),
                 "describe them with --data (random, uniform:A,B, const:V, FILE.npy), or use simulate");
  }

  /// The program with its data and a part of the outermost loop. `data` null: zeros.
  Result<std::unique_ptr<trace::HostProcess>> start(const kernel::DataSet *data, std::int64_t first,
                                                    std::int64_t end) const {
    Result<std::unique_ptr<trace::HostProcess>> process = tools_.load(elf_);
    if (!process) return process;
    PIMENTO_CHECK((*process)->write(kVariablesAt, bytesOf({first, end})));
    for (const Source::Array &a : source_.arrays)
      if (data != nullptr)
        PIMENTO_CHECK((*process)->write(a.address, (*data)[static_cast<std::size_t>(a.tensor)].bytes));
    return process;
  }

  /// What a part of the outermost loop takes, from empty caches. `results`: takes what is in memory then; null:
  /// nothing.
  Result<Measured> measure(const kernel::DataSet *data, std::int64_t first, std::int64_t end,
                           kernel::DataSet *results = nullptr) const {
    const Result<std::unique_ptr<trace::HostProcess>> process = start(data, first, end);
    if (!process) return process.diagnostics();
    Profiler profiler(machine_);
    if (Status s = (*process)->run(kFunction, &profiler); !s) return s.diagnostics();
    if (results != nullptr)
      for (const Source::Array &a : source_.arrays)
        PIMENTO_CHECK((*process)->read(a.address, (*results)[static_cast<std::size_t>(a.tensor)].bytes));
    return measured(profiler.profile());
  }

  static Measured measured(const evaluate::Profile &p) {
    Measured m{};
    m.cycles = p.resimulated ? p.resimulated->cycles : static_cast<double>(p.cycles);
    const std::map<std::string, std::int64_t> &counts = p.resimulated ? p.resimulated->counts : p.counts;
    for (std::size_t i = 0; i < m.counts.size(); ++i)
      if (const auto found = counts.find(std::string(countTable().rows[i].name)); found != counts.end())
        m.counts[i] = static_cast<double>(found->second);
    return m;
  }

  DeviceRun runOf(const Measured &m) const {
    DeviceRun run;
    run.cycles = run.cyclesSimulated = Cycles(std::llround(m.cycles));
    Totals totals{};
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = std::max<std::int64_t>(0, std::llround(m.counts[i]));
    evaluate::setCounts(run, countTable(), totals, machine_, 1);
    return run;
  }

  Result<DeviceRun> simulate(const kernel::DataSet *data, const RunMode &mode) const {
    const std::int64_t points = part_.kernel().points();
    if (mode.isFastForward && source_.isSliceable) {
      const Sampled plan = planOf(source_.outermost, points);
      if (plan.pieces > 0) return sampled(plan, data, mode);
    }
    const Result<Measured> all = measure(data, 0, source_.outermost);
    if (!all) return all.diagnostics();
    return runOf(*all);
  }

  Result<DeviceRun> sampled(const Sampled &plan, const kernel::DataSet *data, const RunMode &mode) const {
    const Result<Estimate> e =
        estimate(plan, source_.outermost, mode.values != nullptr ? mode.values->seed : 1,
                 [&](std::int64_t first, std::int64_t end) { return measure(data, first, end); });
    if (!e) return e.diagnostics();
    DeviceRun run = runOf(e->mean);
    run.cyclesSimulated = Cycles(std::llround(e->simulated));
    run.interval = evaluate::Interval{kLevel, Cycles(static_cast<std::int64_t>(std::floor(e->low))),
                                      Cycles(static_cast<std::int64_t>(std::ceil(e->high)))};
    return run;
  }

  GraphPart part_;
  const machine::Machine &machine_;
  mapping::PlacedMapping placed_;
  Source source_;
  std::string elf_;
  trace::HostTools &tools_;
  program::Program program_;
};

mapping::Mapping wholeOn(const kernel::Kernel &kernel, const machine::Machine &machine, const mapping::MapSpec &spec) {
  mapping::Mapping m = spec.mapping;
  mapping::Subspace all;
  std::vector<std::int64_t> extents;
  for (const kernel::Dim &d : kernel.dims) extents.push_back(d.extent);
  all.factors.assign(machine.levels.size(), std::vector<std::int64_t>(kernel.dims.size(), 1));
  all.factors.push_back(extents);
  m.subspaces = {all};
  return m;
}

/// Dims in memory order, outermost first: the ones that touch most lines outside (McKinley, Carr and Tseng, Improving
/// Data Locality with Loop Transformations, TOPLAS 18, 1996).
std::vector<int> memoryOrder(const kernel::Graph &graph, const kernel::Kernel &kernel, double line) {
  std::vector<double> lines(kernel.dims.size());
  const auto add = [&](const kernel::Access &a) {
    const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(a.tensor)];
    for (std::size_t d = 0; d < lines.size(); ++d) {
      double stride = 0, pitch = static_cast<double>(sizeOf(t.type).value);
      for (std::size_t i = a.index.size(); i-- > 0;) {
        stride += pitch * static_cast<double>(a.index[i].coefficients[d]);
        pitch *= static_cast<double>(t.shape[i]);
      }
      lines[d] += std::min(1.0, std::abs(stride) / line);
    }
  };
  for (const kernel::Access &a : kernel.loads) add(a);
  for (const kernel::Store &s : kernel.stores) add(s.target);
  std::vector<int> nest = nestOf(kernel, {});
  std::ranges::stable_sort(
      nest, [&](int a, int b) { return lines[static_cast<std::size_t>(a)] > lines[static_cast<std::size_t>(b)]; });
  return nest;
}

}  // namespace

std::vector<mapping::Mapping> mappingsOf(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec) {
  const kernel::Kernel &kernel = part.kernel();
  const mapping::Mapping plain = wholeOn(kernel, machine, spec);
  std::vector<mapping::Mapping> out = {plain};
  if (!plain.order.empty() || !mayReorder(kernel)) return out;
  const auto add = [&](const std::vector<int> &nest) {
    if (!keepsResults(kernel, nest)) return;
    mapping::Mapping m = plain;
    for (const int d : nest) m.order.push_back(kernel.dims[static_cast<std::size_t>(d)].name);
    out.push_back(std::move(m));
  };
  constexpr std::int64_t kQuick = 32 << 10;  // points that a second or less simulates
  constexpr std::size_t kMost = 24;
  std::vector<int> nest = nestOf(kernel, plain);
  if (kernel.points() > kQuick) {
    const machine::CacheLevel &first = machine.caches[static_cast<std::size_t>(dataWay(machine).front())];
    const auto line = static_cast<double>(first.line.value);
    if (const std::vector<int> guess = memoryOrder(*part.graph, kernel, line); guess != nest) add(guess);
    return out;
  }
  while (out.size() < kMost && std::ranges::next_permutation(nest).found) add(nest);
  return out;
}

Result<std::unique_ptr<evaluate::CompiledPart>> compileKernel(const GraphPart &part, const mapping::Mapping &mapping,
                                                              const machine::Machine &machine,
                                                              const evaluate::Tools &tools) {
  if (Status s = checkCimEnergy(machine); !s) return s.diagnostics();
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, part.kernel(), machine);
  if (!placed) return placed.diagnostics();
  Result<Source> source = writeSource(part, mapping);
  if (!source) return source.diagnostics();
  const std::int64_t room = machine::memoryOf(machine).value - static_cast<std::int64_t>(kVariablesAt);
  if (source->bytes > room)
    return capacityError("too-large", part.kernel().where,
                         fmt::format("kernel '{}': its tensors take {} B, {} more than the memory of {} has for them",
                                     part.kernel().name, source->bytes, source->bytes - room, machine.name),
                         "divide the kernel, or give the machine more rows with --set organization.rows=N");
  trace::HostTools *host = tools.hostTools;
  if (host == nullptr)
    return unsupported("no-host-compiler", {}, "no compiler for the core's programs: Pimento was built without LLVM",
                       "install LLVM and Clang 19 (Debian: llvm-19-dev, libclang-19-dev) and build again");
  const auto build = [&] { return host->build(source->text, kVariablesAt); };
  Result<std::string> elf = tools.cache == nullptr ? build()
                                                   : *tools.cache->get<Result<std::string>>(
                                                         "rv64 " + source->text, std::size_t{16} << 10, build);
  if (!elf) return elf.diagnostics();
  return std::unique_ptr<evaluate::CompiledPart>(
      std::make_unique<CimKernel>(part, machine, std::move(*placed), std::move(*source), std::move(*elf), *host));
}

}  // namespace pimento::targets::cim
