#include "pimento/targets/near_bank/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/targets/near_bank/division.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Kernel;
using kernel::Op;
using kernel::Value;
using sim::pim::Half;
using sim::pim::kLanes;

/// Reads the body as one of the two forms.
class Recogniser {
 public:
  Recogniser(const kernel::Graph &graph, int index, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(index)]),
        machine_(machine),
        unit_(*machine.nearBank) {}

  Result<Elements> run() const {
    if (machine_.dram->organization.burst.value != kLanes * static_cast<std::int64_t>(sizeof(Half)))
      return unsupported("unsupported-machine", {"--target"},
                         fmt::format("machine '{}' has units of {} lanes; programs are made for bursts of 32 bytes",
                                     machine_.name, unit_.lanes),
                         "channels, ranks, rows, buffers, timing and energy can be changed, but not the lanes");
    for (const kernel::Access *a : accesses()) {
      const kernel::Tensor &t = graph_.tensors[static_cast<std::size_t>(a->tensor)];
      if (t.type != unit_.type)
        return refuse(
            "type",
            fmt::format("tensor '{}' holds {}, but the units compute in {}", t.name, name(t.type), name(unit_.type)),
            fmt::format("use --dtype {}", name(unit_.type)));
    }
    const Value *v = &value(kernel_.stores[0].value);
    Elements e;
    if (v->op == Op::kRelu) {
      e.hasFunction = true;
      v = &value(v->args[0]);
    }
    if (!body(*v, e)) return lacks(v->op);
    return missing(e);
  }

 private:
  std::vector<const kernel::Access *> accesses() const {
    std::vector<const kernel::Access *> all = {&kernel_.stores[0].target};
    for (const kernel::Access &a : kernel_.loads) all.push_back(&a);
    return all;
  }
  const Value &value(int i) const { return kernel_.body[static_cast<std::size_t>(i)]; }
  Diagnostic refuse(const std::string &code, const std::string &message, std::string hint) const {
    return unsupported("unsupported-" + code, kernel_.where,
                       fmt::format("kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
                       std::move(hint));
  }
  Diagnostic lacks(Op op) const {
    return refuse("op", fmt::format("its units have no command for '{}' of elements", kernel::name(op)),
                  "element by element units may have x * y, x + c * y, and relu; keep this stage on the host");
  }
  /// Which operation of a form the units do not have.
  Result<Elements> missing(const Elements &e) const {
    const auto without = [&](const char *what, const char *role) {
      return refuse("op", fmt::format("its units have no {} ({})", what, role),
                    "keep this stage on the host, or use a machine whose units have it");
    };
    if (e.isProduct && unit_.multiplyElements < 0)
      return without("multiplier for two operands element by element", "near_bank.multiply_elements");
    if (!e.isProduct && e.hasTerm && unit_.preload < 0)
      return without("adder for two operands element by element", "near_bank.preload");
    if (e.hasFunction && (unit_.function < 0 || unit_.preload < 0))
      return without("activation function", "near_bank.function");
    return e;
  }

  bool operand(int i, ElementOperand &o) const {
    const Value &v = value(i);
    if (v.type != unit_.type) return false;
    if (v.op == Op::kLoad) o.load = v.access;
    if (v.op == Op::kConstant) o.value = v.constant;
    return v.op == Op::kLoad || v.op == Op::kConstant;
  }
  /// c * y, either way around, or y.
  bool scaled(int i, ElementOperand &o, double &scale) const {
    scale = 1;
    if (operand(i, o)) return true;
    const Value &v = value(i);
    if (v.op != Op::kMul || v.type != unit_.type) return false;
    ElementOperand a, b;
    if (!operand(v.args[0], a) || !operand(v.args[1], b) || (a.load >= 0) == (b.load >= 0)) return false;
    scale = a.load >= 0 ? b.value : a.value;
    o = a.load >= 0 ? a : b;
    return true;
  }
  bool body(const Value &v, Elements &e) const {
    if (v.type != unit_.type) return false;
    if (v.op == Op::kMul && !e.hasFunction) {
      e.isProduct = true;
      return operand(v.args[0], e.first) && operand(v.args[1], e.second);
    }
    if (v.op == Op::kLoad && e.hasFunction) {
      e.first.load = v.access;
      return true;
    }
    if (v.op != Op::kAdd && v.op != Op::kSub) return false;
    e.hasTerm = true;
    const bool isDifference = v.op == Op::kSub;
    if (operand(v.args[0], e.first) && scaled(v.args[1], e.second, e.scale)) {
      if (isDifference) e.scale = -e.scale;
      return true;
    }
    e.first.isNegated = isDifference;
    return operand(v.args[1], e.first) && scaled(v.args[0], e.second, e.scale);
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  const machine::Machine &machine_;
  const machine::NearBankUnit &unit_;
};

}  // namespace

bool isElementwise(const Kernel &k) {
  return k.form == kernel::Form::kAffine && k.bounds.empty() && k.guards.empty() && !k.hasIndirectLoads() &&
         k.stores.size() == 1 && k.stores[0].combine == kernel::Combine::kAssign && k.stores[0].follows < 0 &&
         !k.stores[0].target.isIndirect() && !k.dims.empty() &&
         std::all_of(
             k.dims.begin(), k.dims.end(), [](const kernel::Dim &d) { return d.kind == kernel::DimKind::kParallel; });
}

Result<Elements> recogniseElements(const kernel::Graph &graph, int kernel, const machine::Machine &machine) {
  return Recogniser(graph, kernel, machine).run();
}

Result<mapping::Mapping> elementsReference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec) {
  const Result<Elements> elements = recogniseElements(graph, kernel, machine);
  if (!elements) return elements.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  const machine::Organization &o = machine.dram->organization;
  Division division(k, spec);
  std::vector<int> dims(k.dims.size());
  std::iota(dims.begin(), dims.end(), 0);
  division.split(Division::kChannels, dims, o.channels);
  division.split(Division::kBanks, dims, elements->isProduct ? o.ranks * o.bankGroups : o.ranks * o.banks());
  return division.take("reference");
}

}  // namespace pimento::targets::near_bank
