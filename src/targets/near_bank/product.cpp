#include "pimento/targets/near_bank/product.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/accumulation.h"
#include "pimento/targets/near_bank/division.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::DimKind;
using kernel::Kernel;
using kernel::Op;

constexpr const char *kCanDo =
    "the units sum products of two operands, or one operand, of their own type; keep this stage on the host";

class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int index, const machine::Machine &machine)
      : graph_(graph), index_(index), kernel_(graph.kernels[static_cast<std::size_t>(index)]), machine_(machine) {}

  Result<Product> run() {
    if (machine_.dram->organization.burst.value != sim::pim::kLanes * static_cast<std::int64_t>(sizeof(sim::pim::Half)))
      return unsupported("unsupported-machine", {"--target"},
                         fmt::format("machine '{}' has units of {} lanes; programs are made for bursts of 32 bytes",
                                     machine_.name, machine_.nearBank->lanes),
                         "channels, ranks, rows, buffers, timing and energy can be changed, but not the lanes");
    if (kernel_.form != kernel::Form::kAffine || !kernel_.bounds.empty() || !kernel_.guards.empty() ||
        kernel_.hasIndirectLoads())
      return refuse("form", "data or conditions decide which of its points run, or where they read and write");
    const bool sums = kernel_.stores.size() == 1 && kernel_.stores[0].combine == kernel::Combine::kAdd &&
                      kernel_.stores[0].follows < 0 &&
                      std::any_of(
                          kernel_.dims.begin(), kernel_.dims.end(),
                          [](const kernel::Dim &d) { return d.kind == DimKind::kReduction; });
    if (!sums) return refuse("op", "it is no sum");
    for (const kernel::Dim &d : kernel_.dims)
      if (d.kind == DimKind::kSequential) return refuse("form", fmt::format("dim '{}' is sequential", d.name));
    Product p;
    const kernel::Value &v = kernel_.body[static_cast<std::size_t>(kernel_.stores[0].value)];
    if (v.op == Op::kLoad) {
      p.weights = v.access;
    } else if (v.op == Op::kMul && !loadsOf(v).empty()) {
      const std::vector<int> two = loadsOf(v);
      const bool isSecond = ownOutputs(two[1], two[0]) > ownOutputs(two[0], two[1]);
      p.weights = two[isSecond ? 1 : 0];
      p.input = two[isSecond ? 0 : 1];
    } else {
      return refuse("op",
                    fmt::format("what it sums is made by '{}', not a product of two operands", kernel::name(v.op)));
    }
    for (const int load : {p.weights, p.input})
      if (load >= 0 && typeOf(access(load)) != machine_.nearBank->type) return wrongType(access(load));
    if (typeOf(kernel_.stores[0].target) != machine_.nearBank->type) return wrongType(kernel_.stores[0].target);
    assign(p);
    p.isUpdate = lower::hasInitial(graph_, index_, kernel_.stores[0]);
    return p;
  }

 private:
  Diagnostic refuse(const std::string &code, const std::string &message, std::string hint = kCanDo) const {
    return unsupported("unsupported-" + code, kernel_.where,
                       fmt::format("kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
                       std::move(hint));
  }
  Diagnostic wrongType(const kernel::Access &a) const {
    const kernel::Tensor &t = graph_.tensors[static_cast<std::size_t>(a.tensor)];
    return refuse("type",
                  fmt::format("tensor '{}' holds {}, but the units compute in {}", t.name, name(t.type),
                              name(machine_.nearBank->type)),
                  fmt::format("use --dtype {}", name(machine_.nearBank->type)));
  }
  const kernel::Access &access(int load) const { return kernel_.loads[static_cast<std::size_t>(load)]; }
  DType typeOf(const kernel::Access &a) const { return graph_.tensors[static_cast<std::size_t>(a.tensor)].type; }
  bool dependsOn(int load, std::size_t dim) const {
    return load >= 0 && std::any_of(access(load).index.begin(), access(load).index.end(),
                                    [&](const kernel::Affine &e) { return e.coefficients[dim] != 0; });
  }
  std::vector<int> loadsOf(const kernel::Value &v) const {
    std::vector<int> loads;
    for (const int arg : {v.args[0], v.args[1]}) {
      const kernel::Value &a = kernel_.body[static_cast<std::size_t>(arg)];
      if (a.op != Op::kLoad) return {};
      loads.push_back(a.access);
    }
    return loads;
  }
  /// Outputs for which one element of `other` serves as often.
  double ownOutputs(int load, int other) const {
    double n = 1;
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      if (kernel_.dims[d].kind == DimKind::kParallel && dependsOn(load, d) && !dependsOn(other, d))
        n *= static_cast<double>(kernel_.dims[d].extent);
    return n;
  }
  void assign(Product &p) const {
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      const bool inInput = dependsOn(p.input, d), inWeights = dependsOn(p.weights, d);
      auto &dims = kernel_.dims[d].kind == DimKind::kReduction ? p.reductionDims
                   : inInput && inWeights                      ? p.groupDims
                   : inInput                                   ? p.batchDims
                                                               : p.outputDims;
      dims.push_back(static_cast<int>(d));
    }
  }

  const kernel::Graph &graph_;
  int index_;
  const Kernel &kernel_;
  const machine::Machine &machine_;
};

}  // namespace

Result<Product> recogniseProduct(const kernel::Graph &graph, int kernel, const machine::Machine &machine) {
  return Recogniser(graph, kernel, machine).run();
}

Result<mapping::Mapping> productReference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec) {
  const Result<Product> product = recogniseProduct(graph, kernel, machine);
  if (!product) return product.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  Division division(k, spec);
  std::int64_t used[] = {1, 1};
  const auto split = [&](std::size_t level, const std::vector<int> &dims) {
    used[level] *= division.split(level, dims, machine.levels[level].count / used[level]);
  };
  split(Division::kChannels, product->groupDims);
  split(Division::kBanks, product->outputDims);
  split(Division::kChannels, product->outputDims);
  split(Division::kChannels, product->batchDims);
  // A bank's share of a sum fills whole columns.
  const bool hasOwnInputs = machine.nearBank->load >= 0;
  for (std::size_t level = 0; level < (hasOwnInputs ? 2U : 1U); ++level)
    for (const int d : product->reductionDims)
      if (division.left(d) >= 2 * machine.nearBank->lanes * machine.levels[level].count) split(level, {d});
  if (hasOwnInputs) split(Division::kBanks, product->groupDims);
  return division.take("reference");
}

}  // namespace pimento::targets::near_bank
