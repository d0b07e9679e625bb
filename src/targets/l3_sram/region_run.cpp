#include "pimento/targets/l3_sram/region_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "pimento/kernel/lanes.h"
#include "pimento/sim/sram/executor.h"

namespace pimento::targets::l3_sram {

using kernel::Scalar;
using lower::l3_sram::Extents;
using lower::l3_sram::kMostDims;
using lower::l3_sram::Layout;
using lower::l3_sram::RegionCode;
using lower::l3_sram::StreamWork;
using tdfg::BoundBox;
using tdfg::BoundNode;
using tdfg::NodeKind;

namespace {

int bitsOf(DType type) {
  return static_cast<int>(8 * sizeOf(type).value);
}

std::uint64_t bitsOf(DType type, Scalar x) {
  std::uint64_t bits = 0;
  kernel::store(type, reinterpret_cast<std::byte *>(&bits), 0, x);
  return bits;
}
Scalar scalarOf(DType type, std::uint64_t bits) {
  return kernel::load(type, reinterpret_cast<const std::byte *>(&bits), 0);
}

/// Every cell of a box, dim 0 fastest.
template <typename See>
void forEachCell(const BoundBox &box, const See &see) {
  if (tdfg::isEmpty(box)) return;
  Extents x{0, 0, 0};
  const auto low = [&](std::size_t d) { return d < box.size() ? box[d].low : 0; };
  const auto high = [&](std::size_t d) { return d < box.size() ? box[d].high : 1; };
  const auto step = [&](std::size_t d) { return d < box.size() ? box[d].stride : 1; };
  for (x[2] = low(2); x[2] < high(2); x[2] += step(2))
    for (x[1] = low(1); x[1] < high(1); x[1] += step(1))
      for (x[0] = low(0); x[0] < high(0); x[0] += step(0)) see(x);
}

class RegionRunner {
 public:
  RegionRunner(const RegionPlan &plan, const RegionCode &code, const std::vector<int> &names, machine::Sram::Mode mode,
               kernel::DataSet &data)
      : plan_(plan), instance_(*plan.instance), layout_(*plan.layout), code_(code), names_(names), data_(data) {
    executor_ = sim::sram::makeExecutor(mode, {plan.schedule->size.wordlines + lower::l3_sram::kOperandRows,
                                               layout_.tileCount(), layout_.cellsPerTile});
  }

  Status run() {
    place();
    for (const program::SramCommand &c : code_.commands.list) {
      if (c.kind == program::SramCommandKind::kStream)
        stream(code_.streams[static_cast<std::size_t>(c.stream)]);
      else if (Status s = executor_->run(c); !s)
        return s;
      if (!found_.empty()) return found_;
    }
    readBack();
    for (const Write &w : writes_) {
      kernel::TensorData &to = *w.to;
      Scalar value = w.value;
      if (w.combine != kernel::Combine::kAssign)
        value = kernel::merge(w.combine, to.type, kernel::load(to.type, to.bytes.data(), w.element), value);
      kernel::store(to.type, to.bytes.data(), w.element, value);
    }
    return okStatus();
  }

 private:
  struct Write {
    kernel::TensorData *to;
    std::int64_t element;
    kernel::Combine combine;
    Scalar value;
  };

  kernel::TensorData &arrayData(int array) {
    return data_[static_cast<std::size_t>(names_[static_cast<std::size_t>(array)])];
  }
  const BoundNode &bound(int node) const { return instance_.nodes[static_cast<std::size_t>(node)]; }

  /// Calls see(first cell, first element, count) for runs along dim 0 inside tiles; elements count over the box.
  template <typename See>
  void forEachRun(const BoundBox &box, const See &see) const {
    BoundBox rows = box;
    rows[0] = {box[0].low, box[0].low + 1, 1};
    std::int64_t element = 0;
    forEachCell(rows, [&](const Extents &x) {
      Extents at = x;
      while (at[0] < box[0].high) {
        const std::int64_t end = std::min(box[0].high, (at[0] / layout_.tile[0] + 1) * layout_.tile[0]);
        const std::int64_t n = box[0].stride == 1 ? end - at[0] : 1;
        see(layout_.at(at), element, n);
        element += n;
        at[0] += box[0].stride == 1 ? n : box[0].stride;
      }
    });
  }
  std::vector<std::uint64_t> load(int row, DType type, const BoundBox &box) const {
    std::vector<std::uint64_t> elements(static_cast<std::size_t>(tdfg::elementsOf(box)));
    forEachRun(box, [&](std::int64_t cell, std::int64_t first, std::int64_t count) {
      executor_->load(row, bitsOf(type), cell,
                      std::span(elements).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    });
    return elements;
  }
  void store(int row, DType type, const BoundBox &box, std::span<const std::uint64_t> elements) {
    forEachRun(box, [&](std::int64_t cell, std::int64_t first, std::int64_t count) {
      executor_->store(row, bitsOf(type), cell,
                       elements.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    });
  }

  static BoundBox boxOf(const kernel::TensorData &array, std::size_t rank) {
    BoundBox box(rank, {0, 1, 1});
    for (std::size_t i = 0; i < array.shape.size(); ++i) box[array.shape.size() - 1 - i].high = array.shape[i];
    return box;
  }
  static std::int64_t elementAt(const kernel::TensorData &array, const Extents &x) {
    std::int64_t element = 0;
    for (std::size_t i = 0; i < array.shape.size(); ++i)
      element = element * array.shape[i] + x[array.shape.size() - 1 - i];
    return element;
  }

  void place() {
    const auto rank = static_cast<std::size_t>(layout_.dims);
    for (std::size_t a = 0; a < plan_.schedule->residents.size(); ++a) {
      const int row = plan_.schedule->residents[a];
      if (row < 0) continue;
      const kernel::TensorData &array = arrayData(static_cast<int>(a));
      std::vector<std::uint64_t> elements(static_cast<std::size_t>(array.elements()));
      const auto bytes = static_cast<std::size_t>(sizeOf(array.type).value);
      for (std::size_t e = 0; e < elements.size(); ++e)
        std::memcpy(&elements[e], array.bytes.data() + e * bytes, bytes);
      store(row, array.type, boxOf(array, rank), elements);
    }
  }

  void readBack() {
    for (const tdfg::BoundOutput &o : instance_.outputs) {
      if (o.output->isStream || tdfg::isEmpty(o.box)) continue;
      kernel::TensorData &to = arrayData(o.output->array);
      const int row = plan_.schedule->residents[static_cast<std::size_t>(o.output->array)];
      const std::vector<std::uint64_t> elements = load(row, to.type, o.box);
      const auto bytes = static_cast<std::size_t>(sizeOf(to.type).value);
      std::size_t i = 0;
      forEachCell(o.box, [&](const Extents &x) {
        std::memcpy(to.bytes.data() + static_cast<std::size_t>(elementAt(to, x)) * bytes, &elements[i++], bytes);
      });
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
        spilled_[work.node] = load(work.wordline, bound(work.node).node->type, bound(work.node).box);
        return;
      case StreamWork::Kind::kRefill:
        return store(work.wordline, bound(work.node).node->type, bound(work.node).box, spilled_.at(work.node));
    }
  }

  /// Integers that a pattern's index takes from a node, by cell of `box`.
  std::vector<std::uint64_t> indirectOf(const StreamWork &work, const tdfg::Pattern &pattern,
                                        const BoundBox &box) const {
    if (pattern.indirectAt < 0) return {};
    return load(work.indirect, bound(pattern.indirect).node->type, box);
  }

  std::int64_t indexAt(const tdfg::Pattern &pattern, std::size_t i, const Extents &x, std::int64_t indirect) const {
    if (static_cast<int>(i) == pattern.indirectAt) return indirect;
    std::int64_t index = tdfg::valueOf(pattern.index[i].form, instance_.values).value_or(-1);
    for (std::size_t d = 0; d < pattern.index[i].factors.size(); ++d) index += pattern.index[i].factors[d] * x[d];
    return index;
  }
  std::int64_t elementOf(const tdfg::Pattern &pattern, const Extents &x, std::int64_t indirect) {
    const kernel::TensorData &array = arrayData(pattern.array);
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
    return pattern.indirectAt < 0 ? 0 : scalarOf(bound(pattern.indirect).node->type, values[i]).i;
  }

  void loadStream(const StreamWork &work) {
    const BoundNode &b = bound(work.node);
    const tdfg::Pattern &pattern = b.node->pattern;
    const std::vector<std::uint64_t> indirect = indirectOf(work, pattern, b.box);
    std::vector<std::uint64_t> elements;
    elements.reserve(static_cast<std::size_t>(tdfg::elementsOf(b.box)));
    forEachCell(b.box, [&](const Extents &x) {
      const std::int64_t from = indirectAt(pattern, indirect, elements.size());
      Scalar value{};
      value.i = 0;
      if (pattern.array < 0) {
        value.i = wrapInteger(b.node->type, indexAt(pattern, 0, x, from));
      } else if (const std::int64_t element = elementOf(pattern, x, from); element >= 0) {
        const kernel::TensorData &array = arrayData(pattern.array);
        value = kernel::load(array.type, array.bytes.data(), element);
      }
      elements.push_back(bitsOf(b.node->type, value));
    });
    store(work.wordline, b.node->type, b.box, elements);
  }

  void storeStream(const StreamWork &work) {
    const tdfg::BoundOutput &o = instance_.outputs[static_cast<std::size_t>(work.output)];
    const tdfg::Pattern &pattern = o.output->pattern;
    const DType type = bound(o.output->node).node->type;
    const std::vector<std::uint64_t> indirect = indirectOf(work, pattern, o.box);
    const std::vector<std::uint64_t> values = load(work.wordline, type, o.box);
    std::size_t i = 0;
    forEachCell(o.box, [&](const Extents &x) {
      const std::int64_t element = elementOf(pattern, x, indirectAt(pattern, indirect, i));
      if (element >= 0)
        writes_.push_back({&arrayData(o.output->array), element, o.output->combine, scalarOf(type, values[i])});
      ++i;
    });
  }

  /// What the tiles left, in their order, onto what was there before.
  void reduce(const StreamWork &work) {
    const BoundNode &b = bound(work.node);
    const tdfg::Node &node = *b.node;
    const auto d = static_cast<std::size_t>(node.dim);
    const tdfg::BoundRange line = bound(node.args[0]).box[d];
    const std::int64_t tile = layout_.tile[d];
    std::vector<std::uint64_t> elements;
    forEachCell(b.box, [&](const Extents &first) {
      Scalar sum = kernel::identity(node.combine, node.type);
      if (work.before >= 0) sum = one(work.before, node.type, first);
      Extents x = first;
      for (x[d] = tile == 1 ? line.low : line.low / tile * tile; x[d] < line.high; x[d] += tile)
        if (tile > 1 || line.contains(x[d]))
          sum = kernel::merge(node.combine, node.type, sum, one(work.partials, node.type, x));
      elements.push_back(bitsOf(node.type, sum));
    });
    store(work.wordline, node.type, b.box, elements);
  }
  Scalar one(int row, DType type, const Extents &x) const {
    std::uint64_t bits = 0;
    executor_->load(row, bitsOf(type), layout_.at(x), std::span(&bits, 1));
    return scalarOf(type, bits);
  }

  const RegionPlan &plan_;
  const tdfg::Instance &instance_;
  const Layout &layout_;
  const RegionCode &code_;
  const std::vector<int> &names_;
  kernel::DataSet &data_;
  std::unique_ptr<sim::sram::Executor> executor_;
  std::map<int, std::vector<std::uint64_t>> spilled_;
  std::vector<Write> writes_;
  Diagnostics found_;
};

}  // namespace

std::vector<std::uint64_t> constantsOf(const tdfg::Instance &instance, const std::vector<int> &names,
                                       const kernel::DataSet &data) {
  std::vector<std::uint64_t> bits(instance.nodes.size());
  for (std::size_t n = 0; n < bits.size(); ++n) {
    const BoundNode &b = instance.nodes[n];
    if (b.node->kind != NodeKind::kConst) continue;
    if (b.node->source == tdfg::ConstantKind::kElement) {
      const auto array = static_cast<std::size_t>(names[static_cast<std::size_t>(b.node->array)]);
      if (array >= data.size() || data[array].bytes.empty()) continue;  // timing only
      bits[n] = bitsOf(b.node->type, kernel::load(data[array].type, data[array].bytes.data(), b.integer));
      continue;
    }
    kernel::Value value;
    value.type = b.node->type;
    value.constant = b.node->constant;
    value.integer = b.node->source == tdfg::ConstantKind::kForm ? b.integer : b.node->integer;
    bits[n] = bitsOf(b.node->type, kernel::constantOf(value));
  }
  return bits;
}

Status runRegion(const RegionPlan &plan, const RegionCode &code, const std::vector<int> &names,
                 machine::Sram::Mode mode, kernel::DataSet &data) {
  return RegionRunner(plan, code, names, mode, data).run();
}

}  // namespace pimento::targets::l3_sram
