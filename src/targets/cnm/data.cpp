#include "pimento/targets/cnm/data.h"

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"
#include "pimento/lower/host_data.h"

namespace pimento::targets::cnm {

evaluate::HostWork hostWorkOf(const Plan &plan) {
  evaluate::HostWork w;
  w.ranks = plan.instances.front();
  for (const Operand &o : plan.operands) {
    const std::int64_t elements = multiplySaturated(plan.elementsOf(o), plan.units),
                       bytes = multiplySaturated(elements, o.size());
    if (o.isShared()) {
      w.place(bytes, bytes, plan.tensorOf(o).isConstant);
      continue;
    }
    if (plan.isRead(o)) w.place(bytes, lower::hasInitial(*plan.graph, plan.number, plan.storeOf(o)) ? bytes : 0);
    w.read(bytes, o.isPartial() ? 0 : bytes);
    if (o.isPartial()) w.merges = addSaturated(w.merges, elements);
  }
  return w;
}

std::vector<std::vector<std::int64_t>> parametersOf(const Lowered &lowered, std::int64_t unit) {
  const Plan &plan = *lowered.plan;
  const PerDim base = plan.baseOf(unit);
  std::vector<std::vector<std::int64_t>> out(lowered.parameters.size());
  for (std::int64_t t = 0; t < plan.threads; ++t) {
    const PerDim first = plan.lowOf(t);
    for (std::size_t p = 0; p < out.size(); ++p) {
      const auto d = static_cast<std::size_t>(lowered.parameters[p].dim);
      out[p].push_back(first[d] + (lowered.parameters[p].isGlobal ? base[d] : 0));
    }
  }
  return out;
}

void place(const Plan &plan, std::int64_t unit, const kernel::DataSet &data, sim::cnm::UnitMemory &memory) {
  for (const Operand &o : plan.operands) {
    std::byte *const bytes = memory.array(o.array).data();
    const kernel::TensorData &tensor = data[static_cast<std::size_t>(o.tensor)];
    if (o.isShared()) {
      lower::gather(o, plan.baseOf(unit), plan.sizesPerUnit(), tensor, bytes);
      continue;
    }
    if (o.isPartial()) {
      const kernel::Scalar identity = kernel::identity(plan.storeOf(o).combine, o.type);
      for (std::int64_t e = 0; e < plan.elementsOf(o); ++e) kernel::store(o.type, bytes, e, identity);
    } else if (plan.isRead(o)) {
      for (std::int64_t t = 0; t < plan.threads; ++t)
        lower::gather(o, plan.firstOf(unit, t), plan.sizesPerThread(), tensor, bytes + t * o.home.bytes);
    }
  }
}

}  // namespace pimento::targets::cnm
