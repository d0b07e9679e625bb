#include "pimento/targets/near_bank/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/lower/tensor_place.h"
#include "pimento/targets/near_bank/movement.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Kernel;
using kernel::Op;
using kernel::Value;
using lower::Spot;
using program::PhaseKind;
using program::Purpose;
using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;
using sim::pim::NearBankDevice;

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

/// One subspace: its shares, and where they begin. Columns count bursts.
struct Part {
  lower::Shares shares;
  std::int64_t elements = 1;  ///< of a unit
  std::int64_t firstColumn = 0;
};

class ElementsData final : public KernelData {
 public:
  ElementsData(const kernel::Graph &graph, int kernel, const Elements &elements, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        elements_(elements),
        unit_(*machine.nearBank),
        banksPerGroup_(machine.dram->organization.banksPerGroup),
        groups_(machine.dram->organization.ranks * machine.dram->organization.bankGroups) {
    dims_.resize(kernel_.dims.size());
    std::iota(dims_.begin(), dims_.end(), 0);
    if (!elements.isProduct && elements.hasTerm)
      banksPerMove_ =
          machine.dram->organization.banksPerNode(machine.dram->commands[static_cast<std::size_t>(unit_.result)].scope);
    else
      banksPerMove_ = machine.dram->organization.ranks * machine.dram->organization.banks();
  }

  std::int64_t groups() const { return groups_; }
  std::int64_t banksPerGroup() const { return banksPerGroup_; }
  std::int64_t banksPerMove() const { return banksPerMove_; }
  /// Columns that a part takes in each of its banks.
  std::int64_t columnsOf(const Part &p) const {
    return elements_.isProduct ? ceilDiv(p.shares.instances[1], groups_) * ceilDiv(p.elements, unit_.lanes)
                               : p.elements;
  }

  std::vector<ImageData> images(const kernel::DataSet &data) const override {
    std::vector<ImageData> all;
    const auto add = [&](std::int64_t bursts) -> ImageData & {
      all.emplace_back();
      all.back().isPerChannel = true;
      all.back().values.assign(static_cast<std::size_t>(bursts * channels * kLanes), 0);
      return all.back();
    };
    if (elements_.isProduct) {
      fillProduct(data, elements_.first, add(groups_ * columns));
      fillProduct(data, elements_.second, add(groups_ * columns));
      return all;
    }
    fillSums(data, elements_.first, add(columns), true);
    if (!elements_.hasTerm) return all;
    fillSums(data, elements_.second, add(banks * columns), false);
    ImageData scale;
    scale.values.assign(kLanes, 0);
    for (std::int64_t l = 0; l < unit_.lanes; ++l) put(scale.values.data(), l, l == 0 ? elements_.scale : -0.0);
    all.push_back(std::move(scale));
    if (unit_.setColumns >= 0) {
      ImageData one;
      one.values.assign(kLanes, 0);
      one.values[0] = 1;
      all.push_back(std::move(one));
    }
    return all;
  }

  void collect(NearBankDevice &device, kernel::DataSet &data) const override {
    const kernel::Access &target = kernel_.stores[0].target;
    kernel::TensorData &z = data[static_cast<std::size_t>(target.tensor)];
    const std::int64_t size = sizeOf(unit_.type).value;
    for (const Part &p : parts) {
      const kernel::Affine form = elementOf(target);
      for (const Spot &s : p.shares.spots(dims_, form)) {
        const std::uint64_t bits = elements_.isProduct ? productAt(device, p, s) : sumAt(device, p, s);
        std::memcpy(z.bytes.data() + (form.constant + s.value) * size, &bits, static_cast<std::size_t>(size));
      }
    }
  }

  std::vector<Part> parts;
  std::int64_t columns = 0, banks = 1;

 private:
  kernel::Affine elementOf(const kernel::Access &access) const {
    return kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
  }
  void put(Half *burst, std::int64_t lane, double x) const {
    const std::uint64_t bits = encodeFloat(unit_.type, x);
    putLane(burst, lane, &bits, sizeOf(unit_.type).value);
  }
  /// Of a unit's share in its group: where a unit's elements begin, and the group.
  std::int64_t groupOf(const Spot &s) const { return s.instance[1] % groups_; }
  std::int64_t columnOf(const Part &p, const Spot &s) const {
    return p.firstColumn + s.instance[1] / groups_ * ceilDiv(p.elements, unit_.lanes) + s.local / unit_.lanes;
  }

  /// `visit(spot, bits)` for every point of a part.
  template <typename Visit>
  void forEach(const Part &p, const kernel::DataSet &data, const ElementOperand &o, const Visit &visit) const {
    const std::int64_t size = sizeOf(unit_.type).value;
    const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
    kernel::Affine form{std::vector<std::int64_t>(kernel_.dims.size(), 0), 0};
    const kernel::TensorData *x = nullptr;
    if (o.load >= 0) {
      const kernel::Access &a = kernel_.loads[static_cast<std::size_t>(o.load)];
      form = elementOf(a);
      x = &data[static_cast<std::size_t>(a.tensor)];
    }
    const std::uint64_t same = encodeFloat(unit_.type, o.value);
    for (const Spot &s : p.shares.spots(dims_, form)) {
      std::uint64_t bits = same;
      if (x != nullptr) {
        bits = 0;
        std::memcpy(&bits, x->bytes.data() + (form.constant + s.value) * size, static_cast<std::size_t>(size));
      }
      visit(s, o.isNegated ? bits ^ sign : bits);
    }
  }
  void fillProduct(const kernel::DataSet &data, const ElementOperand &o, ImageData &image) const {
    for (const Part &p : parts)
      forEach(p, data, o, [&](const Spot &s, std::uint64_t bits) {
        const std::int64_t burst = groupOf(s) * columns + columnOf(p, s);
        putLane(&image.values[static_cast<std::size_t>((burst * channels + s.instance[0]) * kLanes)],
                s.local % unit_.lanes, &bits, sizeOf(unit_.type).value);
      });
  }
  /// `isPreload`: a burst has an element of each unit; else a burst of the unit has it in lane 0.
  void fillSums(const kernel::DataSet &data, const ElementOperand &o, ImageData &image, bool isPreload) const {
    for (const Part &p : parts)
      forEach(p, data, o, [&](const Spot &s, std::uint64_t bits) {
        const std::int64_t burst = (isPreload ? 0 : s.instance[1] * columns) + p.firstColumn + s.local;
        putLane(&image.values[static_cast<std::size_t>((burst * channels + s.instance[0]) * kLanes)],
                isPreload ? s.instance[1] : 0, &bits, sizeOf(unit_.type).value);
      });
  }
  std::uint64_t productAt(NearBankDevice &device, const Part &p, const Spot &s) const {
    const std::int64_t column = columnOf(p, s);
    const Half *burst = device.burst(s.instance[0], static_cast<int>(groupOf(s) * banksPerGroup_ + 2),
                                     column / device.columns(), column % device.columns());
    return laneOf(burst, s.local % unit_.lanes, sizeOf(unit_.type).value);
  }
  std::uint64_t sumAt(NearBankDevice &device, const Part &p, const Spot &s) const {
    const bool isFunction = elements_.hasFunction;
    const std::int64_t perMove = isFunction ? device.banks() : banksPerMove_, moves = ceilDiv(banks, perMove);
    const Half *burst = device.result(s.instance[0], (p.firstColumn + s.local) * moves + s.instance[1] / perMove);
    const std::int64_t lane = s.instance[1] % perMove * (isFunction ? 1 : unit_.accumulators);
    return laneOf(burst, lane, sizeOf(unit_.type).value);
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  Elements elements_;
  const machine::NearBankUnit &unit_;
  std::int64_t banksPerGroup_, groups_, banksPerMove_ = 1;
  std::vector<int> dims_;
};

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, const Elements &elements, mapping::PlacedMapping placed,
          const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        elements_(elements),
        machine_(machine),
        unit_(*machine.nearBank),
        stream_(machine),
        plan_(std::make_shared<ElementsData>(graph, kernel, elements, machine)) {
    out_.placed = std::move(placed);
  }

  Result<LoweredKernel> run() {
    std::vector<int> dims(kernel_.dims.size());
    std::iota(dims.begin(), dims.end(), 0);
    for (const int s : out_.placed.executionOrder) {
      Part p{lower::Shares(kernel_, out_.placed, s, machine_), 1, plan_->columns};
      p.elements = p.shares.rangeOf(dims);
      plan_->columns = addSaturated(plan_->columns, plan_->columnsOf(p));
      plan_->channels = std::max(plan_->channels, p.shares.instances[0]);
      plan_->banks = std::max(plan_->banks, p.shares.instances[1]);
      plan_->parts.push_back(std::move(p));
    }
    const machine::Organization &o = machine_.dram->organization;
    const std::int64_t kept = elements_.isProduct || elements_.hasTerm ? plan_->columns : 0;
    out_.bytesPerBank = multiplySaturated(kept, o.burst.value);
    Movement movement(machine_, ceilDiv(kept, o.columns));
    first_ = add(movement, elements_.first);
    if (elements_.isProduct || elements_.hasTerm) second_ = add(movement, elements_.second);
    output_ = movement.add(bytesOf(kernel_.stores[0].target));
    out_.rows = movement.rows();
    if (const Status s = lower::checkCapacity(kernel_, out_.rows, "rows of a bank, the host's data included", o.rows,
                                              "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    addImages();
    process(movement, true);
    stream_.close("channel", plan_->channels);
    if (const std::int64_t others = stream_.channels() - plan_->channels; movement.isInBanks() && others > 0) {
      process(movement, false);
      stream_.close("host data", others);
    }
    out_.program = stream_.take();
    if (!movement.isInBanks()) countHostWork();
    out_.choices.emplace_back(elements_.isProduct ? "elements are multiplied in every bank group by one command"
                                                  : "an element of every unit of a channel is computed at a time");
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  std::int64_t bytesOf(const kernel::Access &a) const {
    const kernel::Tensor &t = graph_.tensors[static_cast<std::size_t>(a.tensor)];
    std::int64_t bytes = sizeOf(t.type).value;
    for (const std::int64_t n : t.shape) bytes = multiplySaturated(bytes, n);
    return bytes;
  }
  HostBursts add(Movement &movement, const ElementOperand &o) const {
    if (o.load < 0) return {};
    return movement.add(bytesOf(kernel_.loads[static_cast<std::size_t>(o.load)]));
  }
  void addImages() {
    const std::int64_t columns = plan_->columns;
    if (elements_.isProduct) {
      firstImage_ = stream_.image("first", plan_->groups() * columns, true);
      secondImage_ = stream_.image("second", plan_->groups() * columns, true);
      return;
    }
    plan_->resultBursts = columns * ceilDiv(plan_->banks, plan_->banksPerMove());
    firstImage_ = stream_.image("first", columns, true);
    if (!elements_.hasTerm) return;
    secondImage_ = stream_.image("second", plan_->banks * columns, true);
    scaleImage_ = stream_.image("scale", 1, false);
    if (unit_.setColumns >= 0) oneImage_ = stream_.image("columns", 1, false);
  }
  /// The bank of every group that holds an operand (0, 1) or the products (2).
  std::vector<std::int64_t> groupBanks(std::int64_t which) const {
    std::vector<std::int64_t> banks;
    for (std::int64_t g = 0; g < plan_->groups(); ++g) banks.push_back(g * plan_->banksPerGroup() + which);
    return banks;
  }

  void process(const Movement &movement, bool isUsed) {
    const bool isRead = movement.isInBanks() && out_.placed.mapping.mode != mapping::StreamMode::kInference;
    const auto load = [&](const HostBursts &from, BankBursts to) {
      if (!isUsed) to = {};
      if (isRead) return movement.moveIn(stream_, from, to);
      movement.writeBanks(stream_, to, 0, to.columns);
      if (isUsed) stream_.await();
    };
    const std::int64_t columns = plan_->columns;
    stream_.phase(PhaseKind::kLoad, [&] {
      if (elements_.isProduct) load(first_, {groupBanks(0), 0, columns, firstImage_, 0, columns});
      if (!elements_.isProduct && isRead) {
        movement.read(stream_, first_);
        stream_.await();
      }
      if (elements_.isProduct) load(second_, {groupBanks(1), 0, columns, secondImage_, 0, columns});
      if (!elements_.isProduct && elements_.hasTerm)
        load(second_, {firstBanks(plan_->banks), 0, columns, secondImage_, 0, columns});
    });
    if (isUsed) stream_.phase(PhaseKind::kCompute, [&] { elements_.isProduct ? products() : sums(); });
    stream_.phase(PhaseKind::kMove, [&] {
      if (isUsed && elements_.isProduct) {
        movement.readBanks(stream_, groupBanks(2), 0, columns);
        stream_.await();
      }
      if (!movement.isInBanks()) return;
      movement.write(stream_, output_);
      stream_.await();
    });
  }

  std::int64_t burstBytes() const { return machine_.dram->organization.burst.value; }

  void products() {
    stream_.loop("column", plan_->columns,
                 [&](int k) { stream_.each(unit_.multiplyElements, 0, moved({}, k, burstBytes()), Purpose::kPimAlu); });
    stream_.await();
  }

  void sums() {
    if (elements_.hasTerm) {
      if (unit_.setColumns >= 0) stream_.each(unit_.setColumns, 0, {}, Purpose::kControl, {oneImage_, {}});
      const bool isForAll = unit_.loadAll >= 0;
      for (std::int64_t bank = 0; bank < (isForAll ? 1 : plan_->banks); ++bank)
        stream_.each(isForAll ? unit_.loadAll : unit_.load, bank, {}, Purpose::kBroadcast, {scaleImage_, {}});
      stream_.fence();
    }
    const std::int64_t moves = elements_.hasFunction ? 1 : ceilDiv(plan_->banks, plan_->banksPerMove());
    stream_.loop("element", plan_->columns, [&](int k) {
      stream_.each(unit_.preload, 0, {}, Purpose::kBroadcast, {firstImage_, moved({}, k, 1)});
      stream_.fence();
      if (elements_.hasTerm) {
        stream_.each(unit_.multiply, 0, moved({}, k, burstBytes()), Purpose::kPimMac);
        stream_.fence();
      }
      if (elements_.hasFunction) {
        stream_.each(unit_.function, 0, {}, Purpose::kPimMove);
        stream_.fence();
      }
      for (std::int64_t i = 0; i < moves; ++i)
        stream_.each(elements_.hasFunction ? unit_.functionResult : unit_.result, i * plan_->banksPerMove(), {},
                     Purpose::kPimMove, {-1, shifted(moved({}, k, moves), i)});
      stream_.fence();
    });
    stream_.await();
  }

  /// The host's data lie elsewhere: it gathers what commands write, and stores what they read.
  void countHostWork() {
    const std::int64_t burst = burstBytes() * plan_->channels * plan_->columns;
    const std::int64_t banks = elements_.isProduct ? plan_->groups() : plan_->banks;
    if (elements_.first.load >= 0) out_.host.place(0, elements_.isProduct ? burst * banks : burst);
    if (elements_.second.load >= 0) out_.host.place(0, burst * banks);
    evaluate::HostWork::add(out_.host.rearrangedOut, elements_.isProduct ? burst * banks : burst);
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  Elements elements_;
  const machine::Machine &machine_;
  const machine::NearBankUnit &unit_;
  Stream stream_;
  int firstImage_ = -1, secondImage_ = -1, scaleImage_ = -1, oneImage_ = -1;
  HostBursts first_, second_, output_;
  LoweredKernel out_;
  std::shared_ptr<ElementsData> plan_;
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

Result<LoweredKernel> lowerElements(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                    const machine::Machine &machine) {
  const Result<Elements> elements = recogniseElements(graph, kernel, machine);
  if (!elements) return elements.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  if (const auto append = mapping.parameters.find("append"); append != mapping.parameters.end()) {
    const auto at = mapping.where.find("append");
    return unsupported("unsupported-mapping", at == mapping.where.end() ? k.where : at->second,
                       fmt::format("kernel '{}' has no weights to append to", k.name), "omit append=");
  }
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, k, machine);
  if (!placed) return placed.diagnostics();
  return Builder(graph, kernel, *elements, std::move(*placed), machine).run();
}

Result<mapping::Mapping> elementsReference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec) {
  const Result<Elements> elements = recogniseElements(graph, kernel, machine);
  if (!elements) return elements.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  const machine::Organization &o = machine.dram->organization;
  mapping::Mapping m = spec.mapping;
  m.text = "reference";
  mapping::Subspace s;
  s.factors.assign(3, std::vector<std::int64_t>(k.dims.size(), 1));
  std::vector<std::int64_t> left;
  for (const kernel::Dim &d : k.dims) left.push_back(d.extent);
  const std::int64_t most[] = {o.channels, elements->isProduct ? o.ranks * o.bankGroups : o.ranks * o.banks()};
  for (std::size_t level = 0; level < 2; ++level) {
    std::int64_t used = 1;
    for (std::size_t d = 0; d < left.size(); ++d) {
      const std::int64_t units = std::min(most[level] / used, left[d]);
      if (units <= 1) continue;
      const std::int64_t share = ceilDiv(left[d], units);
      s.factors[level][d] = ceilDiv(left[d], share);
      used *= s.factors[level][d];
      left[d] = share;
    }
  }
  for (std::size_t d = 0; d < left.size(); ++d) s.factors[2][d] = left[d];
  m.subspaces = {std::move(s)};
  return m;
}

}  // namespace pimento::targets::near_bank
