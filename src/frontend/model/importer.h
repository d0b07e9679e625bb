// The import of one model: what values stand for, and how operators become kernels. Internal to the room.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/frontend/model/import.h"
#include "pimento/frontend/model/values.h"

namespace pimento::frontend::model {

class Importer {
 public:
  Importer(const Model &model, const kernel::Sizes &sizes);
  Result<ImportedModel> run();

  // --- what operators ask

  /// Input number `i`. Diagnostic: model-value.
  Result<Value> input(const Operator &op, std::size_t i);
  static bool has(const Operator &op, std::size_t i) { return i < op.inputs.size() && !op.inputs[i].empty(); }
  /// An input that must be known while importing: axes, shapes, pads. Diagnostics: model-value.
  Result<std::vector<std::int64_t>> integers(const Operator &op, std::size_t i);
  /// As an attribute or, in later operator sets, as input `i`; nothing where it is left out.
  Result<std::optional<std::vector<std::int64_t>>> integersOrAttribute(const Operator &op, std::size_t i,
                                                                       const char *attribute);
  std::int64_t attribute(const Operator &op, const char *name, std::int64_t usual) const;
  double attribute(const Operator &op, const char *name, double usual) const;
  std::string attribute(const Operator &op, const char *name, const char *usual) const;
  std::optional<std::vector<std::int64_t>> attributes(const Operator &op, const char *name) const;
  /// Counted from the end where it is negative. Diagnostic: model-attribute.
  Result<std::size_t> axisOf(const Operator &op, std::int64_t axis, std::size_t rank) const;
  std::int64_t operatorSet() const { return model_.operatorSet; }

  void give(const Operator &op, std::size_t i, Value value);
  static Diagnostic wrong(const Operator &op, const char *code, std::string message, std::string hint);

  // --- what they make

  /// A kernel named after the operator's first output.
  kernel::KernelBuilder kernel(const Operator &op, std::string_view part, std::vector<kernel::Dim> dims) const;
  static std::vector<kernel::Dim> parallel(const Shape &shape);
  /// A fresh tensor.
  Value fresh(const std::string &name, DType type, Shape shape);
  Value fresh(const Operator &op, DType type, Shape shape);
  /// Element `index` of a value: a constant of one element is a number in the body.
  int load(kernel::KernelBuilder &k, const Value &value, std::vector<kernel::Affine> index);
  /// Likewise, as broadcast to the kernel's indices `of`, the last of which are those of the value's axes.
  int loadBroadcast(kernel::KernelBuilder &k, const Value &value, const std::vector<kernel::Affine> &of);
  /// Of a whole tensor that is stored.
  kernel::Access accessOf(const Value &value, std::vector<kernel::Affine> index);
  void store(kernel::KernelBuilder &k, const Value &to, std::vector<kernel::Affine> index, int value,
             kernel::Combine combine = kernel::Combine::kAssign);
  void add(kernel::KernelBuilder &k) { graph_.add(k.take()); }
  /// The same contents as elements of a tensor of their own, in order.
  Value stored(const Operator &op, const Value &value);
  /// In any case.
  Value copied(const Operator &op, const Value &value);
  static std::vector<kernel::Affine> indices(const kernel::KernelBuilder &k, std::size_t first, std::size_t count);

 private:
  Status readInputs();
  Status apply(const Operator &op);
  bool canFold(const Operator &op) const;
  Status fold(const Operator &op);
  int bufferOf(const Value &constant);
  Status leaveOnHost(const Operator &op);
  Result<Value> argument(const Port &port, const Location &where);

  Model model_;
  const kernel::Sizes &sizes_;
  GraphBuilder graph_;
  std::map<std::string, Value> values_;
  std::map<std::string, int> constants_;  ///< buffers, by what they hold
  std::vector<std::pair<int, kernel::TensorData>> given_;
  std::set<std::string> onHost_;  ///< values that the host has
  Diagnostics warnings_;
  bool isFolding_ = false;
};

/// By the operator's kind.
using Handler = Status (*)(Importer &, const Operator &);
struct Handlers {
  std::map<std::string_view, Handler> byKind;
};
void addElementwise(Handlers &handlers);
void addLayout(Handlers &handlers);
void addConstants(Handlers &handlers);
void addSums(Handlers &handlers);
void addNormalising(Handlers &handlers);
const Handlers &handlers();

/// "conv1_y" of "/conv1/y:0".
std::string identifier(std::string_view name);

}  // namespace pimento::frontend::model
