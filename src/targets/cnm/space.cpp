// Which mappings of a kernel are worth a look: each level spread over one dim, what it leaves free over the next ones.
#include <algorithm>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/targets/cnm/lower.h"
#include "pimento/targets/cnm/operands.h"

namespace pimento::targets::cnm {

namespace {

class Space {
 public:
  Space(const kernel::Graph &graph, int kernel, const machine::Machine &machine, const mapping::MapSpec &spec)
      : kernel_(graph.kernels[static_cast<std::size_t>(kernel)]), machine_(machine), spec_(spec) {
    for (const auto kind : {kernel::DimKind::kParallel, kernel::DimKind::kReduction})
      for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
        if (kernel_.dims[d].kind == kind && kernel_.dims[d].extent > 1 && canSplit(graph, kernel, d))
          dims_.push_back(d);
    for (std::size_t l = 0; l < machine.levels.size(); ++l) levels_.push_back(l);
    // An idle lane costs as much as one that works; an idle thread or unit does not.
    if (machine.compute && machine.compute->mode == machine::Compute::Mode::kVector)
      std::rotate(levels_.begin(), levels_.end() - 1, levels_.end());
  }

  std::vector<mapping::Mapping> run() {
    mapping::Subspace s;
    s.factors.assign(machine_.levels.size() + 1, ones());
    std::vector<std::int64_t> left;
    for (const kernel::Dim &d : kernel_.dims) left.push_back(d.extent);
    // All instances of all levels first, then fewer threads, then fewer units.
    for (std::int64_t units = 1; units <= kMostDivided; units *= 2)
      for (std::int64_t threads = 1; threads <= kMostDivided; threads *= 2) level(0, units, threads, s, left);
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t kMostDivided = 64;
  static constexpr std::size_t kMostMappings = 4096;

  std::vector<std::int64_t> ones() const { return std::vector<std::int64_t>(kernel_.dims.size(), 1); }
  bool isReduction(std::size_t d) const { return kernel_.dims[d].kind == kernel::DimKind::kReduction; }

  /// The levels from the n-th on, in the order in which they are filled: `units` and `threads` say by how much fewer
  /// instances are used than there are.
  void level(std::size_t n, std::int64_t units, std::int64_t threads, mapping::Subspace &s,
             const std::vector<std::int64_t> &left) {
    if (out_.size() >= kMostMappings) return;
    if (n == levels_.size()) return add(s, left);
    const std::size_t l = levels_[n];
    const machine::Level &here = machine_.levels[l];
    std::int64_t count = here.count;
    if (!here.mustFill) {
      const bool isThread = l + 1 == machine_.levels.size();
      const std::int64_t divided = std::min(count, isThread ? threads : units);
      count /= divided;
      if (!isThread) units /= divided;
    }
    if (dims_.empty()) return level(n + 1, units, threads, s, left);
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      if (isReduction(dims_[i]) && !here.splitsReduction) continue;
      std::vector<std::int64_t> rest = left;
      s.factors[l] = ones();
      std::int64_t free = count;
      for (std::size_t j = i; j < dims_.size() && free > 1; ++j) {
        const std::size_t d = dims_[j];
        if (j > i && (isReduction(d) || here.mustFill)) continue;
        const std::int64_t factor = here.mustFill ? free : std::min(free, rest[d]);
        s.factors[l][d] = factor;
        rest[d] = ceilDiv(rest[d], factor);
        free /= factor;
      }
      level(n + 1, units, threads, s, rest);
    }
    s.factors[l] = ones();
  }

  void add(mapping::Subspace s, const std::vector<std::int64_t> &range) {
    s.factors.back() = range;
    mapping::dropIdleInstances(s, kernel_, machine_.levels);  // shares were rounded up
    mapping::Mapping m;
    m.subspaces = {std::move(s)};
    m.order = spec_.mapping.order;
    m.parameters = spec_.mapping.parameters;
    m.tail = spec_.mapping.tail;
    m.mergeAt = spec_.mapping.mergeAt;
    m.program = spec_.mapping.program;
    m.text = mapping::print(m);
    if (seen_.insert(m.text).second) out_.push_back(std::move(m));
  }

  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
  const mapping::MapSpec &spec_;
  std::vector<std::size_t> dims_, levels_;
  std::set<std::string> seen_;
  std::vector<mapping::Mapping> out_;
};

}  // namespace

std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec) {
  return Space(graph, kernel, machine, spec).run();
}

}  // namespace pimento::targets::cnm
