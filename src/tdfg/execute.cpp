#include "pimento/tdfg/execute.h"

#include <algorithm>
#include <numeric>

#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/rounds.h"
#include "pimento/tdfg/cells.h"

namespace pimento::tdfg {

namespace {

using kernel::Scalar;
using Coordinates = Cell;

/// Elements of a box, dim 0 fastest.
struct Tensor {
  BoundBox box;
  std::vector<Scalar> elements;

  std::size_t numberOf(const Coordinates &x) const {
    std::int64_t n = 0;
    for (std::size_t d = box.size(); d-- > 0;) n = n * box[d].count() + (x[d] - box[d].low) / box[d].stride;
    return static_cast<std::size_t>(n);
  }
};

class RegionExecutor {
 public:
  RegionExecutor(const Program &program, const Instance &instance, const std::vector<int> &names, kernel::DataSet &data,
                 const ExecuteOptions &options)
      : program_(program), instance_(instance), names_(names), data_(data), options_(options) {}

  Status run() {
    for (std::size_t n = 0; n < instance_.nodes.size() && found_.empty(); ++n) compute(n);
    // Outputs see each other's arrays as they were: every node has its elements by now.
    for (const BoundOutput &output : instance_.outputs)
      if (found_.empty()) store(output);
    if (!found_.empty()) return found_;
    return okStatus();
  }

 private:
  kernel::TensorData &arrayData(int array) {
    return data_[static_cast<std::size_t>(names_[static_cast<std::size_t>(array)])];
  }
  const BoundNode &bound(int node) const { return instance_.nodes[static_cast<std::size_t>(node)]; }

  /// The element that a node has in a cell of its domain.
  Scalar at(int node, const Coordinates &x) const {
    const Tensor &tensor = tensors_[static_cast<std::size_t>(node)];
    return bound(node).node->kind == NodeKind::kConst ? tensor.elements[0] : tensor.elements[tensor.numberOf(x)];
  }

  void compute(std::size_t n) {
    const BoundNode &b = instance_.nodes[n];
    const Node &node = *b.node;
    Tensor result{b.box, {}};
    if (node.kind == NodeKind::kConst) {
      result.elements = {constant(b)};
    } else if (node.kind == NodeKind::kReduce) {
      reduce(node, result);
    } else {
      result.elements.reserve(static_cast<std::size_t>(elementsOf(b.box)));
      if (node.kind == NodeKind::kCmp) {
        computeCells(node, result);
      } else {
        forEachCell(b.box, [&](const Coordinates &x) { result.elements.push_back(cell(b, x)); });
      }
    }
    tensors_.push_back(std::move(result));
  }

  Scalar constant(const BoundNode &b) {
    const Node &node = *b.node;
    if (node.source == ConstantKind::kElement) {
      const kernel::TensorData &from = arrayData(node.array);
      return kernel::load(from.type, from.bytes.data(), b.integer);
    }
    kernel::Value value;
    value.type = node.type;
    value.constant = node.constant;
    value.integer = node.source == ConstantKind::kForm ? b.integer : node.integer;
    return kernel::constantOf(value);
  }

  Scalar cell(const BoundNode &b, Coordinates x) {
    const Node &node = *b.node;
    const auto d = static_cast<std::size_t>(std::max(node.dim, 0));
    switch (node.kind) {
      case NodeKind::kTensor: {
        const kernel::TensorData &from = arrayData(node.array);
        return kernel::load(from.type, from.bytes.data(), elementAt(from.shape, x));
      }
      case NodeKind::kMv:
        x[d] -= b.distance;
        return at(node.args[0], x);
      case NodeKind::kBc:
        x[d] = bound(node.args[0]).box[d].low;
        return at(node.args[0], x);
      case NodeKind::kShrink:
        return at(node.args[0], x);
      default:
        return streamed(node, x);
    }
  }

  std::int64_t indexAt(const Pattern &pattern, std::size_t i, const Coordinates &x) {
    if (static_cast<int>(i) == pattern.indirectAt) return at(pattern.indirect, x).i;
    return tdfg::indexAt(pattern.index[i], instance_.values, x).value_or(-1);
  }

  /// The element that a pattern names for a cell; -1 where it is outside the array, which is reported.
  std::int64_t elementOf(const Pattern &pattern, const Coordinates &x) {
    const kernel::TensorData &array = arrayData(pattern.array);
    std::int64_t element = 0;
    for (std::size_t i = 0; i < array.shape.size(); ++i) {
      const std::int64_t index = indexAt(pattern, i, x);
      if (index < 0 || index >= array.shape[i]) {
        if (found_.empty()) {
          found_.push_back(error(DiagnosticKind::kDataDependent, "index-out-of-range", instance_.region->where,
                                 "region '" + instance_.region->name + "': index " + std::to_string(i) + " of array '" +
                                     program_.arrays[static_cast<std::size_t>(pattern.array)].name + "' is " +
                                     std::to_string(index) + ", not below " + std::to_string(array.shape[i])));
        }
        return -1;
      }
      element = element * array.shape[i] + index;
    }
    return element;
  }

  Scalar streamed(const Node &node, const Coordinates &x) {
    Scalar value{};
    value.i = 0;
    if (node.pattern.array < 0) {
      value.i = wrapInteger(node.type, indexAt(node.pattern, 0, x));
      return value;
    }
    const std::int64_t element = elementOf(node.pattern, x);
    const kernel::TensorData &from = arrayData(node.pattern.array);
    return element < 0 ? value : kernel::load(from.type, from.bytes.data(), element);
  }

  void computeCells(const Node &node, Tensor &result) {
    kernel::Value value;
    value.op = node.op;
    value.type = node.type;
    const DType argument = bound(node.args.back()).node->type;
    std::array<kernel::Lanes, 3> lanes;
    kernel::Lanes out;
    int used = 0;
    const auto flush = [&] {
      kernel::evaluate(value, argument, out, lanes[0], lanes[1], lanes[2], used);
      for (int l = 0; l < used; ++l) result.elements.push_back(kernel::laneOf(node.type, out, l));
      used = 0;
    };
    forEachCell(result.box, [&](const Coordinates &x) {
      for (std::size_t a = 0; a < node.args.size(); ++a) {
        const DType type = bound(node.args[a]).node->type;
        kernel::setLanes(type, lanes[a], used, used + 1, at(node.args[a], x));
      }
      if (++used == kernel::kBlock) flush();
    });
    if (used > 0) flush();
  }

  /// Lines along the node's dim: within tiles the upper half onto the lower one, then tile after tile.
  void reduce(const Node &node, Tensor &result) {
    const auto d = static_cast<std::size_t>(node.dim);
    const BoundRange line = bound(node.args[0]).box[d];
    const std::int64_t tile = options_.tile[d];
    forEachCell(result.box, [&](const Coordinates &first) {
      const Scalar identity = kernel::identity(node.combine, node.type);
      Scalar sum = node.args.size() > 1 ? at(node.args[1], first) : identity;
      std::vector<Scalar> cells(static_cast<std::size_t>(tile));
      for (std::int64_t start = line.low / tile * tile; start < line.high; start += tile) {
        for (std::int64_t i = 0; i < tile; ++i) {
          Coordinates x = first;
          x[d] = start + i;
          cells[static_cast<std::size_t>(i)] = line.contains(x[d]) ? at(node.args[0], x) : identity;
        }
        if (tile == 1 && !line.contains(start)) continue;
        for (std::size_t half = static_cast<std::size_t>(tile) / 2; half > 0; half /= 2)
          for (std::size_t i = 0; i < half; ++i)
            cells[i] = kernel::merge(node.combine, node.type, cells[i], cells[i + half]);
        sum = kernel::merge(node.combine, node.type, sum, cells[0]);
      }
      result.elements.push_back(sum);
    });
  }

  void store(const BoundOutput &b) {
    const Output &output = *b.output;
    kernel::TensorData &to = arrayData(output.array);
    forEachCell(b.box, [&](const Coordinates &x) {
      const std::int64_t element = output.isStream ? elementOf(output.pattern, x) : elementAt(to.shape, x);
      if (element < 0) return;
      Scalar value = at(output.node, x);
      if (output.combine != kernel::Combine::kAssign)
        value = kernel::merge(output.combine, to.type, kernel::load(to.type, to.bytes.data(), element), value);
      kernel::store(to.type, to.bytes.data(), element, value);
    });
  }

  const Program &program_;
  const Instance &instance_;
  const std::vector<int> &names_;
  kernel::DataSet &data_;
  const ExecuteOptions &options_;
  std::vector<Tensor> tensors_;
  Diagnostics found_;
};

// ---- Loops ----

class Visit {
 public:
  Visit(const Program &program, const Values &values, const RegionVisitor &see, std::int64_t most, bool hasStreamsAlone)
      : program_(program),
        see_(see),
        most_(most),
        hasStreamsAlone_(hasStreamsAlone),
        values_(values),
        names_(program.arrays.size()) {
    std::iota(names_.begin(), names_.end(), 0);
  }

  Status run() { return regions(0, static_cast<int>(program_.regions.size()), 0); }

 private:
  /// Regions [first, end), loops from number `loop` on being those inside.
  Status regions(int first, int end, std::size_t loop) {
    for (int r = first; r < end;) {
      while (loop < program_.loops.size() && program_.loops[loop].first < r) ++loop;
      if (loop < program_.loops.size() && program_.loops[loop].first == r && program_.loops[loop].end <= end) {
        const Status status = turns(loop);
        if (!status) return status;
        r = program_.loops[loop].end;
        continue;
      }
      const Status status = rounds(r, 0);
      if (!status) return status;
      ++r;
    }
    return okStatus();
  }

  Status turns(std::size_t loop) {
    const Loop &l = program_.loops[loop];
    const std::int64_t extent = std::min(valueOf(l.extent, values_).value_or(0), most_);
    for (std::int64_t x = 0; x < extent; ++x) {
      set(l.name, x);
      const Status status = regions(l.first, l.end, loop + 1);
      if (!status) return status;
      for (const auto &[a, b] : l.swaps)
        std::swap(names_[static_cast<std::size_t>(a)], names_[static_cast<std::size_t>(b)]);
    }
    set(l.name, 0);
    return okStatus();
  }

  Status rounds(int region, std::size_t round) {
    const Region &r = program_.regions[static_cast<std::size_t>(region)];
    if (hasStreamsAlone_ || round == r.rounds.size()) return see_(region, values_, names_);
    const auto range = bindRange(r.rounds[round].range, values_);
    if (!range) {
      return error("tdfg-range", r.where,
                   "region '" + r.name + "': a loop's bound is a number beyond what a lattice holds");
    }
    std::int64_t left = most_;
    for (std::int64_t x = range->low; x < range->high && left > 0; x += range->stride, --left) {
      set(r.rounds[round].name, x);
      const Status status = rounds(region, round + 1);
      if (!status) return status;
    }
    set(r.rounds[round].name, 0);
    return okStatus();
  }

  void set(int name, std::int64_t x) {
    values_[static_cast<std::size_t>(name)] = x;
    updateQuotients(program_, values_);
  }

  const Program &program_;
  const RegionVisitor &see_;
  std::int64_t most_;
  bool hasStreamsAlone_;
  Values values_;
  std::vector<int> names_;
};

}  // namespace

Status visitRegions(const Program &program, const Values &values, const RegionVisitor &see, std::int64_t most,
                    bool hasStreamsAlone) {
  return Visit(program, values, see, most, hasStreamsAlone).run();
}

Result<kernel::DataSet> prepare(const Program &program, const Values &values, kernel::DataSet given) {
  const auto shapes = shapesOf(program, values);
  if (!shapes) return shapes.diagnostics();
  given.resize(program.arrays.size());
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    const Array &array = program.arrays[a];
    kernel::TensorData &data = given[a];
    if (array.role == kernel::Role::kInput || array.role == kernel::Role::kInOut) {
      if (data.type != array.type || data.shape != (*shapes)[a] || data.bytes.empty())
        return error("array-shape", {}, "array '" + array.name + "' has another type or shape than the program's");
      continue;
    }
    data = kernel::TensorData(array.type, (*shapes)[a]);
    if (array.start == kernel::Combine::kAssign) continue;
    const Scalar start = kernel::identity(array.start, array.type);
    for (std::int64_t e = 0; e < data.elements(); ++e) kernel::store(array.type, data.bytes.data(), e, start);
  }
  return given;
}

Status executeStreams(const Program &program, int region, const Values &values, const std::vector<int> &names,
                      kernel::DataSet &data) {
  const auto shapes = shapesOf(program, values);
  if (!shapes) return shapes.diagnostics();
  const Region &r = program.regions[static_cast<std::size_t>(region)];
  auto nest = bindStreams(r.streams, values);
  if (!nest) return okStatus();
  kernel::Graph graph;
  graph.name = r.name;
  // What was there before counts: every array is one that is given and changed.
  for (std::size_t a = 0; a < program.arrays.size(); ++a)
    graph.tensors.push_back(
        {program.arrays[a].name, program.arrays[a].type, (*shapes)[a], kernel::Role::kInOut, false});
  kernel::rename(*nest, names);
  graph.kernels.push_back(std::move(*nest));
  return kernel::interpretKernel(graph, 0, data);
}

Status executeRegion(const Program &program, int region, const Values &values, const std::vector<int> &names,
                     kernel::DataSet &data, const ExecuteOptions &options) {
  if (program.regions[static_cast<std::size_t>(region)].nodes.empty() || options.hasStreamsAlone)
    return executeStreams(program, region, values, names, data);
  const auto instance = bindRegion(program, region, values);
  if (!instance) return instance.diagnostics();
  return RegionExecutor(program, *instance, names, data, options).run();
}

Status execute(const Program &program, const std::map<std::string, std::int64_t> &sizes, kernel::DataSet &data,
               const ExecuteOptions &options) {
  const auto values = bindSizes(program, sizes);
  if (!values) return values.diagnostics();
  auto all = prepare(program, *values, std::move(data));
  if (!all) return all.diagnostics();
  data = std::move(*all);
  const RegionVisitor run = [&](int region, const Values &now, const std::vector<int> &names) {
    return executeRegion(program, region, now, names, data, options);
  };
  return visitRegions(program, *values, run, INT64_MAX, options.hasStreamsAlone);
}

}  // namespace pimento::tdfg
