#include "pimento/targets/l3_sram/region_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pimento/kernel/lanes.h"
#include "pimento/tdfg/cells.h"
#include "pimento/tdfg/execute.h"

namespace pimento::targets::l3_sram {

using kernel::Scalar;
using lower::l3_sram::Layout;
using lower::l3_sram::RegionCode;
using lower::l3_sram::StreamWork;
using tdfg::BoundBox;
using tdfg::BoundNode;
using tdfg::Cell;
using tdfg::NodeKind;

namespace {

class RegionRunner {
 public:
  RegionRunner(const RegionPlan &plan, const RegionCode &code, const std::vector<int> &names, Residency &residency)
      : plan_(plan),
        instance_(*plan.instance),
        layout_(*plan.layout),
        code_(code),
        names_(names),
        residency_(residency) {}

  Status run() {
    residency_.begin(layout_, *plan_.schedule, names_);
    place();
    for (const program::SramCommand &c : code_.commands.list) {
      if (c.kind == program::SramCommandKind::kStream)
        stream(code_.streams[static_cast<std::size_t>(c.stream)]);
      else if (Status s = residency_.executor().run(c); !s)
        return s;
      if (!found_.empty()) return found_;
    }
    for (const tdfg::BoundOutput &o : instance_.outputs)
      if (isInPlace(o)) residency_.wrote(o.output->array, o.box, spoilsOthers(o));
    write();
    return okStatus();
  }

 private:
  struct Write {
    int data;
    std::int64_t element;
    kernel::Combine combine;
    Scalar value;
  };

  int dataOf(int array) const { return names_[static_cast<std::size_t>(array)]; }
  /// What an array holds, seen from memory.
  const kernel::TensorData &seen(int array) {
    residency_.takeOut(dataOf(array));
    return residency_.data(dataOf(array));
  }
  const BoundNode &bound(int node) const { return instance_.nodes[static_cast<std::size_t>(node)]; }

  static bool isInPlace(const tdfg::BoundOutput &o) { return !o.output->isStream && !tdfg::isEmpty(o.box); }
  /// Whether cells beside the output's box were written in its array's wordlines.
  bool spoilsOthers(const tdfg::BoundOutput &o) const {
    const int row = plan_.schedule->residents[static_cast<std::size_t>(o.output->array)];
    return std::ranges::any_of(plan_.schedule->steps, [&](const tdfg::Step &step) {
      return step.isInPlace && step.wordline == row && !tdfg::covers(o.box, bound(step.node).box);
    });
  }

  /// Tensors into the wordlines of their arrays.
  void place() {
    std::map<int, BoundBox> needed;
    for (const BoundNode &b : instance_.nodes) {
      if (b.node->kind != NodeKind::kTensor || tdfg::isEmpty(b.box)) continue;
      BoundBox &hull = needed.try_emplace(b.node->array, b.box).first->second;
      for (std::size_t d = 0; d < hull.size(); ++d) {
        if (hull[d] == b.box[d]) continue;
        hull[d] = {std::min(hull[d].low, b.box[d].low), std::max(hull[d].high, b.box[d].high), 1};
      }
    }
    for (const auto &[array, box] : needed) residency_.bringIn(array, box);
    for (const tdfg::BoundOutput &o : instance_.outputs)
      if (isInPlace(o) && spoilsOthers(o)) residency_.takeOut(dataOf(o.output->array));
  }

  /// What streams store, after all have seen arrays as they were.
  void write() {
    for (const tdfg::BoundOutput &o : instance_.outputs)
      if (o.output->isStream) residency_.forget(dataOf(o.output->array));
    for (const Write &w : writes_) {
      kernel::TensorData &to = residency_.data(w.data);
      Scalar value = w.value;
      if (w.combine != kernel::Combine::kAssign)
        value = kernel::merge(w.combine, to.type, kernel::load(to.type, to.bytes.data(), w.element), value);
      kernel::store(to.type, to.bytes.data(), w.element, value);
    }
  }

  // --- streams

  void stream(const StreamWork &work) {
    switch (work.kind) {
      case StreamWork::Kind::kLoad:
        return loadStream(work);
      case StreamWork::Kind::kStore:
        return storeStream(work);
      case StreamWork::Kind::kReduce:
        return reduce(work);
      case StreamWork::Kind::kSpill:
        spilled_[work.node] = residency_.load(work.wordline, bound(work.node).node->type, bound(work.node).box);
        return;
      case StreamWork::Kind::kRefill:
        return residency_.store(work.wordline, bound(work.node).node->type, bound(work.node).box,
                                spilled_.at(work.node));
    }
  }

  /// Integers that a pattern's index takes from a node, by cell of `box`.
  std::vector<std::uint64_t> indirectOf(const StreamWork &work, const tdfg::Pattern &pattern, const BoundBox &box) {
    if (pattern.indirectAt < 0) return {};
    return residency_.load(work.indirect, bound(pattern.indirect).node->type, box);
  }

  std::int64_t indexAt(const tdfg::Pattern &pattern, std::size_t i, const Cell &x, std::int64_t indirect) const {
    if (static_cast<int>(i) == pattern.indirectAt) return indirect;
    return tdfg::indexAt(pattern.index[i], instance_.values, x).value_or(-1);
  }
  std::int64_t elementOf(const tdfg::Pattern &pattern, const kernel::TensorData &array, const Cell &x,
                         std::int64_t indirect) {
    std::int64_t element = 0;
    for (std::size_t i = 0; i < array.shape.size(); ++i) {
      const std::int64_t index = indexAt(pattern, i, x, indirect);
      if (index < 0 || index >= array.shape[i]) {
        if (found_.empty())
          found_.push_back(error(
              DiagnosticKind::kDataDependent, "index-out-of-range", instance_.region->where,
              fmt::format("region '{}': index {} of array '{}' is {}, not below {}", instance_.region->name, i,
                          plan_.program->arrays[static_cast<std::size_t>(pattern.array)].name, index, array.shape[i])));
        return -1;
      }
      element = element * array.shape[i] + index;
    }
    return element;
  }
  std::int64_t indirectAt(const tdfg::Pattern &pattern, const std::vector<std::uint64_t> &values, std::size_t i) const {
    return pattern.indirectAt < 0 ? 0 : elementOfBits(bound(pattern.indirect).node->type, values[i]).i;
  }

  void loadStream(const StreamWork &work) {
    const BoundNode &b = bound(work.node);
    const tdfg::Pattern &pattern = b.node->pattern;
    const std::vector<std::uint64_t> indirect = indirectOf(work, pattern, b.box);
    std::vector<std::uint64_t> elements;
    elements.reserve(static_cast<std::size_t>(tdfg::elementsOf(b.box)));
    const kernel::TensorData *array = pattern.array < 0 ? nullptr : &seen(pattern.array);
    tdfg::forEachCell(b.box, [&](const Cell &x) {
      const std::int64_t from = indirectAt(pattern, indirect, elements.size());
      Scalar value{};
      value.i = 0;
      if (array == nullptr)
        value.i = wrapInteger(b.node->type, indexAt(pattern, 0, x, from));
      else if (const std::int64_t element = elementOf(pattern, *array, x, from); element >= 0)
        value = kernel::load(array->type, array->bytes.data(), element);
      elements.push_back(bitsOfElement(b.node->type, value));
    });
    residency_.store(work.wordline, b.node->type, b.box, elements);
  }

  void storeStream(const StreamWork &work) {
    const tdfg::BoundOutput &o = instance_.outputs[static_cast<std::size_t>(work.output)];
    const tdfg::Pattern &pattern = o.output->pattern;
    const DType type = bound(o.output->node).node->type;
    const std::vector<std::uint64_t> indirect = indirectOf(work, pattern, o.box);
    const std::vector<std::uint64_t> values = residency_.load(work.wordline, type, o.box);
    const kernel::TensorData &array = seen(pattern.array);
    std::size_t i = 0;
    tdfg::forEachCell(o.box, [&](const Cell &x) {
      const std::int64_t element = elementOf(pattern, array, x, indirectAt(pattern, indirect, i));
      if (element >= 0)
        writes_.push_back({dataOf(o.output->array), element, o.output->combine, elementOfBits(type, values[i])});
      ++i;
    });
  }

  /// What the tiles left, in their order, onto what was there before.
  void reduce(const StreamWork &work) {
    const BoundNode &b = bound(work.node);
    const tdfg::Node &node = *b.node;
    const auto d = static_cast<std::size_t>(node.dim);
    const std::int64_t tile = layout_.tile[d];
    BoundBox partials = b.box;
    partials[d] = bound(node.args[0]).box[d];
    if (tile > 1) partials[d] = {partials[d].low / tile * tile, partials[d].high, tile};
    const std::vector<std::uint64_t> lines = residency_.load(work.partials, node.type, partials);
    std::vector<std::uint64_t> sums;
    if (work.before >= 0)
      sums = residency_.load(work.before, node.type, b.box);
    else
      sums.assign(static_cast<std::size_t>(tdfg::elementsOf(b.box)),
                  bitsOfElement(node.type, kernel::identity(node.combine, node.type)));
    // Lines of partial results: `inner` elements of other dims stand between two of one.
    std::size_t inner = 1;
    for (std::size_t k = 0; k < d; ++k) inner *= static_cast<std::size_t>(b.box[k].count());
    const auto length = static_cast<std::size_t>(partials[d].count());
    for (std::size_t s = 0; s < sums.size(); ++s) {
      Scalar sum = elementOfBits(node.type, sums[s]);
      const std::size_t first = s / inner * inner * length + s % inner;
      for (std::size_t i = 0; i < length; ++i)
        sum = kernel::merge(node.combine, node.type, sum, elementOfBits(node.type, lines[first + i * inner]));
      sums[s] = bitsOfElement(node.type, sum);
    }
    residency_.store(work.wordline, node.type, b.box, sums);
  }

  const RegionPlan &plan_;
  const tdfg::Instance &instance_;
  const Layout &layout_;
  const RegionCode &code_;
  const std::vector<int> &names_;
  Residency &residency_;
  std::map<int, std::vector<std::uint64_t>> spilled_;
  std::vector<Write> writes_;
  Diagnostics found_;
};

}  // namespace

std::vector<std::uint64_t> constantsOf(const tdfg::Instance &instance, const std::vector<int> &names,
                                       Residency *residency) {
  std::vector<std::uint64_t> bits(instance.nodes.size());
  for (std::size_t n = 0; n < bits.size(); ++n) {
    const BoundNode &b = instance.nodes[n];
    if (b.node->kind != NodeKind::kConst) continue;
    if (b.node->source == tdfg::ConstantKind::kElement) {
      if (residency == nullptr) continue;  // timing only
      const int array = names[static_cast<std::size_t>(b.node->array)];
      residency->takeOut(array);
      const kernel::TensorData &from = residency->data(array);
      bits[n] = bitsOfElement(b.node->type, kernel::load(from.type, from.bytes.data(), b.integer));
      continue;
    }
    kernel::Value value;
    value.type = b.node->type;
    value.constant = b.node->constant;
    value.integer = b.node->source == tdfg::ConstantKind::kForm ? b.integer : b.node->integer;
    bits[n] = bitsOfElement(b.node->type, kernel::constantOf(value));
  }
  return bits;
}

Status runRegion(const RegionPlan &plan, const RegionCode &code, const std::vector<int> &names, Residency &residency) {
  return RegionRunner(plan, code, names, residency).run();
}

Status runStreams(const tdfg::Program &program, int region, const tdfg::Values &values, const std::vector<int> &names,
                  Residency &residency) {
  residency.takeOutAll();
  for (const tdfg::StreamAccess &target : program.regions[static_cast<std::size_t>(region)].streams.targets)
    residency.forget(names[static_cast<std::size_t>(target.array)]);
  return tdfg::executeStreams(program, region, values, names, residency.all());
}

}  // namespace pimento::targets::l3_sram
