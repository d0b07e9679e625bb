#include "pimento/frontend/model/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pimento/base/rng.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/model/importer.h"
#include "pimento/frontend/model/simplify.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::frontend::model {

using kernel::Affine;
using kernel::KernelBuilder;
using kernel::TensorData;

namespace {

/// What is computed while importing is small: shapes, scales, tables of positions.
constexpr std::int64_t kMostFolded = 1 << 16;

}  // namespace

std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (isWord)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "v");
  return out;
}

const Handlers &handlers() {
  static const Handlers all = [] {
    Handlers h;
    addElementwise(h);
    addLayout(h);
    addConstants(h);
    addSums(h);
    addNormalising(h);
    return h;
  }();
  return all;
}

std::vector<std::string> knownOperators() {
  std::vector<std::string> names;
  for (const auto &[kind, handler] : handlers().byKind) names.emplace_back(kind);
  return names;
}

Importer::Importer(const Model &model, const kernel::Sizes &sizes)
    : model_(model), sizes_(sizes), graph_(identifier(model.name.empty() ? "model" : model.name), model.where) {}

// --- what operators ask

Diagnostic Importer::wrong(const Operator &op, const char *code, std::string message, std::string hint) {
  Diagnostic d = error(
      code, op.where,
      fmt::format("{} '{}': {}", op.kind, op.name.empty() && !op.outputs.empty() ? op.outputs[0] : op.name, message),
      std::move(hint));
  return d;
}

Result<Value> Importer::input(const Operator &op, std::size_t i) {
  if (!has(op, i))
    return wrong(op, "model-value", fmt::format("input {} is missing", i + 1), "the model is not one that checks");
  const auto found = values_.find(op.inputs[i]);
  if (found == values_.end())
    return wrong(op, "model-value", fmt::format("nothing before it makes '{}'", op.inputs[i]),
                 "operators stand behind those whose outputs they take");
  return found->second;
}

Result<std::vector<std::int64_t>> Importer::integers(const Operator &op, std::size_t i) {
  const Result<Value> v = input(op, i);
  if (!v) return v.diagnostics();
  if (!v->isConstant())
    return wrong(op, "model-value", fmt::format("'{}' is not known before the model runs", op.inputs[i]),
                 "export the model with fixed shapes");
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < v->constant->elements(); ++n) out.push_back(v->constant->asInteger(n));
  return out;
}

Result<std::optional<std::vector<std::int64_t>>> Importer::integersOrAttribute(const Operator &op, std::size_t i,
                                                                               const char *attribute) {
  if (auto given = attributes(op, attribute)) return given;
  if (!has(op, i)) return std::optional<std::vector<std::int64_t>>();
  auto given = integers(op, i);
  if (!given) return given.diagnostics();
  return std::optional(std::move(*given));
}

std::int64_t Importer::attribute(const Operator &op, const char *name, std::int64_t usual) const {
  const auto a = op.attributes.find(name);
  const auto *n = a == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&a->second);
  return n != nullptr ? *n : usual;
}
double Importer::attribute(const Operator &op, const char *name, double usual) const {
  const auto a = op.attributes.find(name);
  const auto *x = a == op.attributes.end() ? nullptr : std::get_if<double>(&a->second);
  return x != nullptr ? *x : usual;
}
std::string Importer::attribute(const Operator &op, const char *name, const char *usual) const {
  const auto a = op.attributes.find(name);
  const auto *s = a == op.attributes.end() ? nullptr : std::get_if<std::string>(&a->second);
  return s != nullptr ? *s : usual;
}
std::optional<std::vector<std::int64_t>> Importer::attributes(const Operator &op, const char *name) const {
  const auto a = op.attributes.find(name);
  const auto *n = a == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&a->second);
  return n != nullptr ? std::optional(*n) : std::nullopt;
}

Result<std::size_t> Importer::axisOf(const Operator &op, std::int64_t axis, std::size_t rank) const {
  const auto dims = static_cast<std::int64_t>(rank);
  if (axis < -dims || axis >= dims)
    return wrong(op, "model-attribute", fmt::format("axis {} of a value of {} dimensions", axis, rank),
                 "axes count from 0, or from the end with -1");
  return static_cast<std::size_t>(axis < 0 ? axis + dims : axis);
}

void Importer::give(const Operator &op, std::size_t i, Value value) {
  if (i >= op.outputs.size() || op.outputs[i].empty()) return;
  value.name = op.outputs[i];
  values_.insert_or_assign(op.outputs[i], std::move(value));
}

// --- what they make

KernelBuilder Importer::kernel(const Operator &op, std::string_view part, std::vector<kernel::Dim> dims) const {
  std::string name = identifier(op.outputs.empty() ? op.kind : op.outputs.front());
  if (!part.empty()) name += fmt::format("_{}", part);
  return {std::move(name), std::move(dims), op.where};
}

std::vector<kernel::Dim> Importer::parallel(const Shape &shape) {
  std::vector<kernel::Dim> dims;
  for (std::size_t d = 0; d < shape.size(); ++d)
    dims.push_back({fmt::format("d{}", d), shape[d], kernel::DimKind::kParallel});
  return dims;
}

Value Importer::fresh(const std::string &name, DType type, Shape shape) {
  Value v;
  v.name = name;
  v.type = type;
  v.shape = std::move(shape);
  v.view = wholeView(v.rank());
  Buffer b;
  b.name = identifier(name);
  b.type = type;
  b.shape = v.shape;
  v.buffer = graph_.addBuffer(std::move(b));
  graph_.overwrite(v.buffer);
  return v;
}

Value Importer::fresh(const Operator &op, DType type, Shape shape) {
  return fresh(op.outputs.empty() ? op.kind : op.outputs.front(), type, std::move(shape));
}

/// Constants of equal contents are one tensor.
int Importer::bufferOf(const Value &constant) {
  const TensorData &data = *constant.constant;
  const std::string_view bytes(reinterpret_cast<const char *>(data.bytes.data()), data.bytes.size());
  const std::string key =
      fmt::format("{} {} {:x} {}", name(data.type), text(constant.shape), hashText(bytes), bytes.size());
  const auto [found, isNew] = constants_.emplace(key, -1);
  if (!isNew) return found->second;
  Buffer b;
  b.name = identifier(constant.name);
  b.type = data.type;
  b.shape = constant.shape;
  b.isConstant = true;
  found->second = graph_.addArgument(std::move(b));
  given_.emplace_back(found->second, data);
  return found->second;
}

int Importer::load(KernelBuilder &k, const Value &value, std::vector<Affine> index) {
  if (value.isConstant() && value.constant->elements() == 1)
    return isFloat(value.type) ? k.constant(value.type, value.constant->asDouble(0))
                               : k.integer(value.type, value.constant->asInteger(0));
  if (value.isConstant()) return k.load(graph_.buffer(bufferOf(value)).tensor, value.type, std::move(index));
  std::vector<Affine> at;
  for (const Walk &axis : value.view) {
    Affine a = k.at(axis.constant);
    for (std::size_t d = 0; d < axis.coefficients.size(); ++d) {
      a.constant += axis.coefficients[d] * index[d].constant;
      for (std::size_t n = 0; n < a.coefficients.size(); ++n)
        a.coefficients[n] += axis.coefficients[d] * index[d].coefficients[n];
    }
    at.push_back(std::move(a));
  }
  return k.load(graph_.buffer(value.buffer).tensor, value.type, std::move(at));
}

int Importer::loadBroadcast(KernelBuilder &k, const Value &value, const std::vector<Affine> &of) {
  std::vector<Affine> index;
  for (std::size_t d = 0; d < value.rank(); ++d)
    index.push_back(value.shape[d] == 1 ? k.at(0) : of[of.size() - value.rank() + d]);
  return load(k, value, std::move(index));
}

kernel::Access Importer::accessOf(const Value &value, std::vector<Affine> index) {
  return {graph_.buffer(value.isConstant() ? bufferOf(value) : value.buffer).tensor, std::move(index)};
}

void Importer::store(KernelBuilder &k, const Value &to, std::vector<Affine> index, int value, kernel::Combine combine) {
  k.store(graph_.buffer(to.buffer).tensor, std::move(index), value, combine);
}

std::vector<Affine> Importer::indices(const KernelBuilder &k, std::size_t first, std::size_t count) {
  std::vector<Affine> out;
  for (std::size_t d = first; d < first + count; ++d) out.push_back(k.index(static_cast<int>(d)));
  return out;
}

Value Importer::stored(const Operator &op, const Value &value) {
  if (value.isConstant() || value.isWhole(graph_.buffer(value.buffer).shape)) return value;
  return copied(op, value);
}

Value Importer::copied(const Operator &op, const Value &value) {
  Value out = fresh(op, value.type, value.shape);
  KernelBuilder k = kernel(op, "copy", parallel(value.shape));
  const int element = load(k, value, indices(k, 0, value.rank()));
  store(k, out, indices(k, 0, value.rank()), element);
  add(k);
  return out;
}

// --- the model

/// A tensor whose contents come from outside.
Result<Value> Importer::argument(const Port &port, const Location &where) {
  Value v;
  v.name = port.name;
  v.type = port.type;
  for (const Dimension &d : port.shape) {
    const auto size = d.extent < 0 ? sizes_.find(d.name) : sizes_.end();
    const std::int64_t extent = size != sizes_.end() ? size->second : d.extent;
    if (extent < 0) {
      std::set<std::string> names;
      for (const Port &p : model_.inputs)
        for (const Dimension &dim : p.shape)
          if (dim.extent < 0 && !sizes_.contains(dim.name)) names.insert(dim.name + "=...");
      if (names.empty()) names.insert(d.name + "=...");
      return error("model-size", where,
                   fmt::format("input '{}' has a dimension '{}' without a size", port.name, d.name),
                   fmt::format("add --size {}", fmt::join(names, ",")));
    }
    v.shape.push_back(extent);
  }
  v.view = wholeView(v.rank());
  Buffer b;
  b.name = identifier(port.name);
  b.type = port.type;
  b.shape = v.shape;
  v.buffer = graph_.addArgument(std::move(b));
  return v;
}

Status Importer::readInputs() {
  std::set<std::string> used;
  for (const Port &port : model_.inputs) {
    if (model_.constants.contains(port.name)) continue;  // a default, which older files list among the inputs
    Result<Value> v = argument(port, model_.where);
    if (!v) return v.diagnostics();
    for (const Dimension &d : port.shape)
      if (sizes_.contains(d.name)) used.insert(d.name);
    values_.insert_or_assign(port.name, std::move(*v));
  }
  for (const auto &[name, size] : sizes_) {
    if (used.contains(name)) continue;
    std::vector<std::string> names;
    for (const Port &p : model_.inputs)
      for (const Dimension &d : p.shape)
        if (!d.name.empty()) names.push_back(d.name);
    return error("model-size", Location{"--size", 0, 0}, fmt::format("the model has no size '{}'", name),
                 names.empty() ? "all its extents are numbers: omit --size" : suggest(name, names));
  }
  for (const auto &[name, data] : model_.constants) {
    Value v;
    v.name = name;
    v.type = data.type;
    v.shape = data.shape;
    v.constant = data;
    values_.insert_or_assign(name, std::move(v));
  }
  return okStatus();
}

bool Importer::canFold(const Operator &op) const {
  if (isFolding_ || op.inputs.empty()) return false;
  return std::ranges::all_of(op.inputs, [&](const std::string &name) {
    if (name.empty()) return true;
    const auto v = values_.find(name);
    return v != values_.end() && v->second.isConstant() && v->second.constant->elements() <= kMostFolded;
  });
}

/// The operator alone, run by the interpreter.
Status Importer::fold(const Operator &op) {
  Model alone;
  alone.name = "constant";
  alone.operatorSet = model_.operatorSet;
  alone.where = model_.where;
  static const kernel::Sizes kNone;
  Importer importer(alone, kNone);
  importer.isFolding_ = true;
  for (const std::string &name : op.inputs)
    if (!name.empty()) importer.values_.emplace(name, values_.at(name));
  if (Status s = importer.apply(op); !s) return s;
  for (const std::string &name : op.outputs) {
    if (name.empty() || !importer.values_.contains(name)) continue;
    Value v = importer.values_.at(name);
    if (!v.isConstant()) {
      importer.graph_.returned(importer.stored(op, v).buffer, op.where);
      continue;
    }
    values_.insert_or_assign(name, std::move(v));
  }
  if (importer.graph_.results().empty()) return okStatus();
  Result<kernel::Graph> graph = importer.graph_.finish();
  if (!graph) return graph.diagnostics();
  kernel::DataSet data(graph->tensors.size());
  for (const auto &[buffer, contents] : importer.given_)
    if (const int t = importer.graph_.tensorOfArgument(buffer); t >= 0) data[static_cast<std::size_t>(t)] = contents;
  if (Status s = kernel::interpret(*graph, data); !s) return s;
  std::size_t result = 0;
  for (const std::string &name : op.outputs) {
    if (name.empty() || !importer.values_.contains(name) || importer.values_.at(name).isConstant()) continue;
    Value v = importer.values_.at(name);
    v.constant = data[static_cast<std::size_t>(importer.graph_.results()[result++])];
    v.buffer = -1;
    v.view.clear();
    values_.insert_or_assign(name, std::move(v));
  }
  return okStatus();
}

Status Importer::apply(const Operator &op) {
  const auto handler = handlers().byKind.find(op.kind);
  if (op.isOnHost || handler == handlers().byKind.end()) return leaveOnHost(op);
  return canFold(op) ? fold(op) : handler->second(*this, op);
}

/// What no kernel computes: the host takes its inputs from the device, and gives what it makes back.
Status Importer::leaveOnHost(const Operator &op) {
  std::set<std::string> takes, gives;
  for (const std::string &name : op.inputs) {
    const auto v = values_.find(name);
    if (name.empty() || v == values_.end() || v->second.isConstant()) continue;
    takes.insert(name);
    const Value whole = stored(op, v->second);
    if (graph_.buffer(whole.buffer).argument >= 0 || !onHost_.insert(name).second) continue;
    graph_.returned(whole.buffer, op.where);
  }
  for (const std::string &name : op.outputs) {
    if (name.empty()) continue;
    const auto known = model_.known.find(name);
    if (known == model_.known.end())
      return wrong(op, "model-operator", "this operator is not known, and neither is the shape of what it makes",
                   fmt::format("{}; the host can compute it where the file says that shape (onnx.shape_inference)",
                               suggest(op.kind, knownOperators())));
    Result<Value> v = argument(known->second, op.where);
    if (!v) return v.diagnostics();
    onHost_.insert(name);
    gives.insert(name);
    values_.insert_or_assign(name, std::move(*v));
  }
  Diagnostic note = unsupported(
      "model-host", op.where,
      fmt::format("{} '{}' stays on the host, untimed: it takes {} and makes {}", op.kind,
                  op.name.empty() && !op.outputs.empty() ? op.outputs.front() : op.name,
                  takes.empty() ? "constants" : fmt::format("{}", fmt::join(takes, ", ")), fmt::join(gives, ", ")),
      "docs/how-to/onnx.md lists the operators that kernels compute");
  note.severity = Severity::kWarning;
  warnings_.push_back(std::move(note));
  return okStatus();
}

Result<ImportedModel> Importer::run() {
  simplify(model_);
  if (Status s = readInputs(); !s) return s.diagnostics();
  for (const Operator &op : model_.operators)
    if (Status s = apply(op); !s) return s.diagnostics();
  for (const std::string &name : model_.outputs) {
    if (onHost_.contains(name)) continue;  // the host has it
    const auto found = values_.find(name);
    if (found == values_.end())
      return error("model-value", model_.where, fmt::format("nothing makes the output '{}'", name),
                   "name an output of an operator");
    Operator result{"Output", name, {}, {name}, {}, model_.where};
    // What the user gives, or a constant, is no result by itself.
    const Value whole = stored(result, found->second);
    const bool isGiven = whole.isConstant() || graph_.buffer(whole.buffer).argument >= 0;
    graph_.returned((isGiven ? copied(result, whole) : whole).buffer, model_.where);
  }
  Result<kernel::Graph> graph = graph_.finish("a model needs an operator whose result is an output");
  if (!graph) return graph.diagnostics();
  ImportedModel out;
  out.graph = std::move(*graph);
  out.warnings = std::move(warnings_);
  for (auto &[buffer, data] : given_)
    if (const int t = graph_.tensorOfArgument(buffer); t >= 0) out.contents[t] = std::move(data.bytes);
  return out;
}

Result<ImportedModel> importModel(const Model &model, const kernel::Sizes &sizes) {
  return Importer(model, sizes).run();
}

}  // namespace pimento::frontend::model
