#include "pimento/targets/upmem/measured/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem::measured {

namespace {

constexpr std::size_t kRank = 0, kDpu = 1, kTasklet = 2, kLevels = 3;
constexpr std::int64_t kUsualTasklets = 16, kUsualBufferBytes = 1024;
constexpr std::int64_t kMostBins = 512;
constexpr std::int64_t kLeastBufferBytes = 32;  // that searches try

/// What all mappings of one kernel on one machine share.
class Mapper {
 public:
  Mapper(const kernel::Graph &graph, int kernel, const machine::Machine &machine, Pattern pattern)
      : kernel_(graph.kernels[static_cast<std::size_t>(kernel)]), machine_(machine), pattern_(pattern) {}

  const Pattern &pattern() const { return pattern_; }
  std::int64_t elementBytes() const { return sizeOf(pattern_.type).value; }
  std::int64_t extent(int dim) const { return kernel_.dims[static_cast<std::size_t>(dim)].extent; }
  /// Rows that are one unit of a tasklet's share: two elements where halves are paired.
  std::int64_t arrays() const { return pattern_.takesPairs ? 2 : 1; }

  Diagnostic illegal(const std::string &message, const std::string &hint) const {
    return error("illegal-mapping", kernel_.where, fmt::format("kernel '{}': {}", kernel_.name, message), hint);
  }

  Status checkBuffer(std::int64_t buffer) const {
    const machine::Dpu &dpu = *machine_.dpu;
    const std::int64_t bytes = multiplySaturated(buffer, elementBytes());
    if (buffer >= 1 && bytes % dpu.transferUnit.value == 0 && bytes <= dpu.transferMax.value) return okStatus();
    return illegal(fmt::format("a buffer of {} elements is {} bytes; transfers take {} to {}, in steps of {}", buffer,
                               bytes, dpu.transferUnit.value, dpu.transferMax.value, dpu.transferUnit.value),
                   fmt::format("choose a multiple of {} elements, at most {}",
                               std::max<std::int64_t>(1, dpu.transferUnit.value / elementBytes()),
                               dpu.transferMax.value / elementBytes()));
  }

  Status checkTasklets(std::int64_t tasklets) const {
    const std::int64_t most = std::min(machine_.levels[kTasklet].count, machine_.dpu->maxTasklets);
    if (tasklets >= 1 && tasklets <= most) return okStatus();
    return illegal(fmt::format("{} tasklets requested; a DPU of {} has {}", tasklets, machine_.name, most),
                   fmt::format("choose tasklets=1 to {}", most));
  }

  std::int64_t wramBytes(const program::Code &code, std::int64_t tasklets, std::int64_t bufferBytes) const {
    return addSaturated(code.wramUsed,
                        multiplySaturated(tasklets, heapBytes(pattern_.shape, bufferBytes, pattern_.bins)));
  }

  Status checkWram(const program::Code &code, std::int64_t tasklets, std::int64_t bufferBytes) const {
    return lower::checkCapacity(kernel_, wramBytes(code, tasklets, bufferBytes),
                                fmt::format("bytes of WRAM ({} tasklets with {} each, plus {})", tasklets,
                                            heapBytes(pattern_.shape, bufferBytes, pattern_.bins), code.wramUsed),
                                machine_.dpu->wram.value, "a DPU has", "use smaller buffers or fewer tasklets");
  }

  /// The largest power of two of at most 1,024 bytes that fits WRAM and divides `all` bytes; nothing if none does.
  std::optional<std::int64_t> usualBuffer(const program::Code &code, std::int64_t tasklets, std::int64_t all) const {
    for (std::int64_t bytes = std::min(kUsualBufferBytes, machine_.dpu->transferMax.value);
         bytes >= machine_.dpu->transferUnit.value; bytes /= 2)
      if (all % bytes == 0 && wramBytes(code, tasklets, bytes) <= machine_.dpu->wram.value)
        return bytes / elementBytes();
    return std::nullopt;
  }

  /// The mapping with so many DPUs (`ranks` times `perRank`), tasklets and elements per buffer.
  mapping::Mapping make(std::int64_t ranks, std::int64_t perRank, std::int64_t tasklets, std::int64_t buffer,
                        mapping::Tail tail) const {
    const std::int64_t rows = extent(pattern_.rows), units = ranks * perRank * tasklets;
    const std::int64_t unit = arrays() * (pattern_.inner < 0 ? buffer : 1);
    const std::int64_t per = tail == mapping::Tail::kTruncate
                                 ? rows / units / unit * unit
                                 : multiplySaturated(ceilDiv(ceilDiv(rows, units), unit), unit);
    mapping::Mapping m;
    mapping::Subspace s;
    s.factors.assign(kLevels + 1, std::vector<std::int64_t>(kernel_.dims.size(), 1));
    const auto d = static_cast<std::size_t>(pattern_.rows);
    s.factors[kRank][d] = ranks;
    s.factors[kDpu][d] = perRank;
    s.factors[kTasklet][d] = tasklets;
    s.factors[kLevels][d] = per;
    for (const int inner : {pattern_.inner, pattern_.columns})
      if (inner >= 0) s.factors[kLevels][static_cast<std::size_t>(inner)] = ceilDiv(extent(inner), buffer) * buffer;
    m.subspaces = {s};
    if (pattern_.takesPairs && tasklets > 1 && per > 0) m.cyclic[machine_.levels[kTasklet].name] = per / 2;
    m.parameters["buffer"] = buffer;
    m.tail = tail;
    return m;
  }

  const kernel::Kernel &kernel() const { return kernel_; }
  const machine::Machine &machine() const { return machine_; }

 private:
  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
  Pattern pattern_;
};

Result<Mapper> makeMapper(const kernel::Graph &graph, int kernel, const machine::Machine &machine) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  const Result<Pattern> pattern = programFor(graph, kernel, machine);
  if (!pattern) return pattern.diagnostics();
  return Mapper(graph, kernel, machine, *pattern);
}

/// `dpus` as ranks times DPUs of each: as few ranks as give equal shares. Nothing if there is no such split.
std::optional<std::pair<std::int64_t, std::int64_t>> splitDpus(std::int64_t dpus, const machine::Machine &m) {
  for (std::int64_t ranks = 1; ranks <= m.levels[kRank].count; ++ranks)
    if (dpus % ranks == 0 && dpus / ranks <= m.levels[kDpu].count) return std::pair(ranks, dpus / ranks);
  return std::nullopt;
}

std::int64_t parameter(const mapping::Mapping &m, const char *name, std::int64_t fallback) {
  const auto at = m.parameters.find(name);
  return at == m.parameters.end() ? fallback : at->second;
}

/// What a placed mapping gives each tasklet, or why the programs cannot follow it.
class Reader {
 public:
  Reader(const Mapper &mapper, const mapping::Mapping &mapping)
      : mapper_(mapper), mapping_(mapping), pattern_(mapper.pattern()) {}

  Status checkShape() const {
    if (mapping_.subspaces.size() != 1)
      return mapper_.illegal(
          fmt::format("the mapping has {} subspaces; the programs run one", mapping_.subspaces.size()),
          "use one subspace: M1:{...}");
    for (const char *name : {"dpus", "tasklets"})
      if (mapping_.parameters.contains(name))
        return mapper_.illegal(fmt::format("{}= repeats what the factors specify", name),
                               fmt::format("omit {}=, or use 'reference;{}=N'", name, name));
    if (!mapping_.order.empty())
      return mapper_.illegal("order(...) is not available: the programs have fixed loops", "omit order(...)");
    if (mapping_.mergeAt == mapping::MergeAt::kDevice)
      return mapper_.illegal("merge=device is not available: the programs leave partial results to the host",
                             "omit merge=device");
    const auto &factors = mapping_.subspaces[0].factors;
    for (std::size_t l = 0; l < kLevels; ++l)
      for (std::size_t d = 0; d < factors[l].size(); ++d)
        if (factors[l][d] != 1 && static_cast<int>(d) != pattern_.rows)
          return mapper_.illegal(fmt::format("dim '{}' is split at level {}; the program splits only '{}'",
                                             mapper_.kernel().dims[d].name, mapper_.machine().levels[l].name,
                                             mapper_.kernel().dims[static_cast<std::size_t>(pattern_.rows)].name),
                                 "use factor 1 at every level but the range");
    return checkCyclic();
  }

  std::int64_t factor(std::size_t level) const {
    return mapping_.subspaces[0].factors[level][static_cast<std::size_t>(pattern_.rows)];
  }
  std::int64_t range(int dim) const { return mapping_.subspaces[0].range(dim); }

  Result<Work> work(const program::Code &code) const {
    Work w;
    const std::int64_t per = factor(kLevels);
    if (per < 1)
      return mapper_.illegal("a tasklet's share is smaller than one buffer, so nothing is left to compute",
                             "use a smaller buffer, fewer tasklets or DPUs, or omit tail=truncate");
    if (per % mapper_.arrays() != 0)
      return mapper_.illegal(fmt::format("a range of {} elements cannot be halved", per), "use an even range");
    w.perTasklet = per / mapper_.arrays();
    std::int64_t divided = pattern_.inner < 0 ? w.perTasklet : range(pattern_.inner);
    if (pattern_.columns >= 0) divided = std::gcd(divided, range(pattern_.columns));
    if (mapping_.parameters.contains("buffer")) {
      w.buffer = mapping_.parameters.at("buffer");
    } else if (const auto usual =
                   mapper_.usualBuffer(code, factor(kTasklet), multiplySaturated(divided, mapper_.elementBytes()))) {
      w.buffer = *usual;
    } else {
      return mapper_.illegal(fmt::format("no buffer of at least 8 bytes that fits WRAM divides {} elements", divided),
                             "use a range that is a multiple of 8 bytes");
    }
    if (const Status s = mapper_.checkBuffer(w.buffer); !s) return s.diagnostics();
    if (divided % w.buffer != 0)
      return mapper_.illegal(
          fmt::format("buffers of {} elements do not divide a range of {}: {} are left over", w.buffer, divided,
                      divided % w.buffer),
          fmt::format("use a range of {}, or another buffer=", ceilDiv(divided, w.buffer) * w.buffer));
    w.inner = pattern_.inner < 0 ? 0 : range(pattern_.inner);
    w.columns = pattern_.columns < 0 ? 0 : range(pattern_.columns);
    w.bins = pattern_.bins;
    return w;
  }

 private:
  /// Slices are contiguous; of paired halves a tasklet has one piece of each.
  Status checkCyclic() const {
    if (pattern_.takesPairs && factor(kTasklet) > 1) {
      const std::int64_t half = factor(kLevels) / 2;
      const std::string &tasklets = mapper_.machine().levels[kTasklet].name;
      if (mapping_.cyclic == std::map<std::string, std::int64_t>{{tasklets, half}}) return okStatus();
      return mapper_.illegal("the program sums two arrays, here the halves of one: each tasklet needs a piece of each",
                             fmt::format("add cyclic({},{})", tasklets, half));
    }
    if (mapping_.cyclic.empty()) return okStatus();
    return mapper_.illegal("cyclic(...) is not available: every tasklet of the programs has a contiguous slice",
                           "omit cyclic(...)");
  }

  const Mapper &mapper_;
  const mapping::Mapping &mapping_;
  const Pattern &pattern_;
};

}  // namespace

Result<Pattern> programFor(const kernel::Graph &graph, int kernel, const machine::Machine &machine) {
  Result<Pattern> pattern = recognise(graph, kernel, machine);
  if (!pattern) return pattern;
  if (pattern->shape == Shape::kHst && (pattern->bins % 2 != 0 || pattern->bins < 2 || pattern->bins > kMostBins))
    return unsupported("unsupported-pattern", graph.kernels[static_cast<std::size_t>(kernel)].where,
                       fmt::format("kernel '{}' cannot run on {}: a histogram of {} bins",
                                   graph.kernels[static_cast<std::size_t>(kernel)].name, machine.name, pattern->bins),
                       fmt::format("the program supports an even number of bins, 2 to {}", kMostBins));
  return pattern;
}

Result<mapping::Mapping> referenceMapping(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec, Cache &cache) {
  const Result<Mapper> mapper = makeMapper(graph, kernel, machine);
  if (!mapper) return mapper.diagnostics();
  const mapping::Mapping &asked = spec.mapping;
  const std::int64_t tasklets = parameter(asked, "tasklets", std::min(kUsualTasklets, machine.levels[kTasklet].count));
  if (const Status s = mapper->checkTasklets(tasklets); !s) return s.diagnostics();
  const std::int64_t dpus = parameter(asked, "dpus", 1);
  const auto split = splitDpus(dpus, machine);
  if (!split)
    return mapper->illegal(
        fmt::format("{} DPUs cannot be divided evenly over ranks; {} has {} ranks of {}", dpus, machine.name,
                    machine.levels[kRank].count, machine.levels[kDpu].count),
        fmt::format("use up to {} DPUs, or a whole number of ranks times the DPUs in each, at most {}",
                    machine.levels[kDpu].count, machine.levels[kRank].count * machine.levels[kDpu].count));
  if (!asked.order.empty() || !asked.cyclic.empty())
    return mapper->illegal("order(...) and cyclic(...) cannot be combined with reference, whose programs fix both",
                           "omit them; dpus=, tasklets=, buffer= and tail= are allowed");
  if (asked.mergeAt == mapping::MergeAt::kDevice && spec.kind == mapping::MapSpec::Kind::kReference)
    return mapper->illegal(
        "merge=device cannot be combined with reference, whose programs leave partial results to the host",
        "omit merge=device, or use 'auto;merge=device'");
  const auto code = build(mapper->pattern().shape, mapper->pattern().type, tasklets, cache);
  if (!code) return code.diagnostics();
  std::int64_t buffer = parameter(asked, "buffer", 0);
  if (!asked.parameters.contains("buffer")) {
    const auto usual = mapper->usualBuffer(**code, tasklets, kUsualBufferBytes);
    if (!usual) return mapper->checkWram(**code, tasklets, machine.dpu->transferUnit.value).diagnostics();
    buffer = *usual;
  }
  if (const Status s = mapper->checkBuffer(buffer); !s) return s.diagnostics();
  mapping::Mapping m = mapper->make(split->first, split->second, tasklets, buffer, asked.tail);
  if (asked.mergeAt == mapping::MergeAt::kHost) m.mergeAt = asked.mergeAt;
  m.program = mapping::ProgramKind::kReference;
  m.where = asked.where;
  m.text = mapping::print(mapping::MapSpec{mapping::MapSpec::Kind::kReference, asked});
  return m;
}

std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec) {
  std::vector<mapping::Mapping> out;
  const Result<Mapper> mapper = makeMapper(graph, kernel, machine);
  if (!mapper || spec.mapping.mergeAt == mapping::MergeAt::kDevice) return out;
  const std::int64_t all = machine.levels[kRank].count * machine.levels[kDpu].count;
  std::vector<std::int64_t> dpus = {all};
  for (std::int64_t n = std::int64_t{1} << 40; n >= 1; n /= 2)
    if (n < all) dpus.push_back(n);
  const auto isMeant = [&](const char *name, std::int64_t value) {
    const auto named = spec.mapping.parameters.find(name);
    return named == spec.mapping.parameters.end() || named->second == value;
  };
  if (const auto named = spec.mapping.parameters.find("dpus"); named != spec.mapping.parameters.end())
    dpus = {named->second};
  const std::int64_t rows = mapper->extent(mapper->pattern().rows);
  for (const std::int64_t n : dpus) {
    const auto split = splitDpus(n, machine);
    if (!split || n > rows) continue;
    for (const std::int64_t t : {24, 22, 20, 18, 16, 14, 12, 11, 10, 8, 4, 2, 1}) {
      if (t > std::min(machine.levels[kTasklet].count, machine.dpu->maxTasklets) || !isMeant("tasklets", t)) continue;
      for (std::int64_t bytes = machine.dpu->transferMax.value; bytes >= kLeastBufferBytes; bytes /= 2) {
        if (!isMeant("buffer", bytes / mapper->elementBytes())) continue;
        mapping::Mapping m =
            mapper->make(split->first, split->second, t, bytes / mapper->elementBytes(), mapping::Tail::kPad);
        // Padding of a whole share is another mapping with fewer DPUs or tasklets.
        const std::int64_t share = m.subspaces[0].factors[kLevels][static_cast<std::size_t>(mapper->pattern().rows)];
        if (multiplySaturated(share, n * t) - rows >= multiplySaturated(share, t) && n > 1) continue;
        m.mergeAt = spec.mapping.mergeAt;
        m.program = spec.mapping.program;
        m.text = mapping::print(m);
        out.push_back(std::move(m));
      }
    }
  }
  return out;
}

Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, Cache &cache) {
  const Result<Mapper> mapper = makeMapper(graph, kernel, machine);
  if (!mapper) return mapper.diagnostics();
  const Reader reader(*mapper, mapping);
  if (mapping.subspaces.size() == 1 && mapping.subspaces[0].factors.size() == kLevels + 1 &&
      mapping.subspaces[0].factors[kLevels].size() == mapper->kernel().dims.size() && reader.factor(kLevels) < 1)
    return reader.work({}).diagnostics();
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, mapper->kernel(), machine);
  if (!placed) return placed.diagnostics();
  if (const Status s = reader.checkShape(); !s) return s.diagnostics();
  const std::int64_t tasklets = reader.factor(kTasklet);
  if (const Status s = mapper->checkTasklets(tasklets); !s) return s.diagnostics();

  const Pattern &pattern = mapper->pattern();
  const auto code = build(pattern.shape, pattern.type, tasklets, cache);
  if (!code) return code.diagnostics();
  const Result<Work> work = reader.work(**code);
  if (!work) return work.diagnostics();
  if (const Status s = mapper->checkWram(**code, tasklets, work->buffer * mapper->elementBytes()); !s)
    return s.diagnostics();

  std::vector<std::int64_t> extents;
  for (const kernel::Dim &d : mapper->kernel().dims) extents.push_back(d.extent);
  const std::int64_t dpus = reader.factor(kRank) * reader.factor(kDpu);
  auto layout =
      std::make_shared<const Layout>(graph, kernel, pattern, *work, dpus, tasklets, extents, firstMramByte(**code));
  if (const Status s =
          lower::checkCapacity(mapper->kernel(), layout->end(), fmt::format("bytes of MRAM in each of {} DPUs", dpus),
                               machine.dpu->mram.value, "a DPU has", "spread it over more DPUs: 'reference;dpus=N'");
      !s)
    return s.diagnostics();

  Lowered out;
  out.program.target = machine.name;
  out.program.processes.push_back({std::string(name(pattern.shape)), dpus,
                                   program::MachineCode{*code, {arguments(**code, pattern.shape, tasklets, *work)}}});
  if (const Status s = program::verify(out.program, machine); !s) return s.diagnostics();
  out.placed = std::move(*placed);
  out.host = layout->hostWork();
  out.host.ranks = reader.factor(kRank);
  out.plan = std::move(layout);
  auto image = sim::dpu::Image::make(**code);
  if (!image) return image.diagnostics();
  out.image = std::move(*image);
  return out;
}

}  // namespace pimento::targets::upmem::measured
