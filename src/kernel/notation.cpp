// From syntax trees to a Graph: which names are indices, how far they run, what each tensor is for, and what type
// every operation has.
#include "pimento/kernel/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "pimento/base/suggest.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/notation_index.h"
#include "pimento/kernel/notation_parser.h"
#include "pimento/kernel/notation_value.h"

namespace pimento::kernel {

namespace {

constexpr std::size_t kMaxDims = 32;

class NotationBuilder {
 public:
  NotationBuilder(const SyntaxTree &tree, const Sizes &sizes, DType type, const std::string &file)
      : tree_(tree), sizes_(sizes), type_(type), file_(file) {}

  Result<Graph> run() {
    for (const auto &[dim, extent] : sizes_) {
      if (extent < 1) {
        return error(DiagnosticKind::kUsage, "bad-extent", {file_}, fmt::format("size '{}' is {}", dim, extent),
                     "sizes start at 1");
      }
    }
    graph_.name = "notation";
    for (const Statement &statement : tree_.statements) {
      buildStatement(statement);
      if (failure_) return *failure_;
    }
    if (auto unknown = checkSizesAreUsed()) return *unknown;
    assignRoles();
    if (Status status = verify(graph_); !status) {
      for (Diagnostic &d : status.diagnostics()) d.where.file = file_;
      return status.diagnostics();
    }
    return std::move(graph_);
  }

 private:
  const SyntaxNode &node(int n) const { return tree_.nodes[static_cast<std::size_t>(n)]; }

  void fail(std::string code, int line, int column, const std::string &message, std::string hint) {
    if (!failure_) failure_ = error(std::move(code), {file_, line, column}, message, std::move(hint));
  }
  void fail(std::string code, const SyntaxNode &at, const std::string &message, std::string hint) {
    fail(std::move(code), at.line, at.column, message, std::move(hint));
  }

  void buildStatement(const Statement &statement) {
    StatementIndices indices(tree_, statement, file_);
    if (indices.failure()) {
      failure_ = indices.failure();
      return;
    }
    if (indices.names().size() > kMaxDims) {
      return fail("too-many-dims", statement.line, statement.column,
                  fmt::format("the statement has {} indices", indices.names().size()),
                  fmt::format("use at most {}", kMaxDims));
    }
    std::vector<Dim> dims = findDims(statement, indices);
    if (failure_) return;
    for (const TensorReference &reference : indices.references()) registerTensor(reference, dims);
    if (failure_) return;
    markSequential(statement, indices, dims);
    checkTarget(statement, indices, dims);
    if (failure_) return;
    emit(statement, indices, std::move(dims));
  }

  // ---- Indices and extents ----

  std::vector<Dim> findDims(const Statement &statement, const StatementIndices &indices) {
    std::vector<Dim> dims;
    for (std::size_t d = 0; d < indices.names().size(); ++d) {
      const IndexName &index = indices.names()[d];
      usedDims_.insert(index.name);
      const bool isReduction = !index.isOnLeft;
      if (isReduction && statement.combine == Combine::kAssign) {
        fail("reduction-needs-accumulation", statement.assignLine, statement.assignColumn,
             fmt::format("index '{}' does not occur on the left, so several values meet in one element", index.name),
             "say how they combine: +=, *=, min= or max=");
      }
      dims.push_back({index.name, findExtent(static_cast<int>(d), index, indices),
                      isReduction ? DimKind::kReduction : DimKind::kParallel});
    }
    return dims;
  }

  std::int64_t findExtent(int dim, const IndexName &index, const StatementIndices &indices) {
    if (const auto size = sizes_.find(index.name); size != sizes_.end()) return size->second;
    // An earlier statement may have settled the shape of a tensor that this index alone runs over.
    for (const TensorReference &reference : indices.references()) {
      const int t = graph_.tensorNamed(reference.name);
      if (t < 0) continue;
      const auto &shape = graph_.tensors[static_cast<std::size_t>(t)].shape;
      for (std::size_t i = 0; i < std::min(shape.size(), reference.index.size()); ++i) {
        if (isJust(reference.index[i], dim)) return shape[i];
      }
    }
    std::vector<std::string> given;
    for (const auto &[name, extent] : sizes_) given.push_back(name);
    std::string hint = fmt::format("give it: --size {}=N", index.name);
    if (const std::string near = nearest(index.name, given); !near.empty()) {
      hint += fmt::format("; did you mean '{}'?", near);
    }
    fail("unknown-extent", index.line, index.column, fmt::format("nothing says how far index '{}' runs", index.name),
         hint);
    return 1;
  }

  static bool isJust(const Affine &affine, int dim) {
    if (affine.constant != 0) return false;
    for (std::size_t d = 0; d < affine.coefficients.size(); ++d) {
      if (affine.coefficients[d] != (static_cast<int>(d) == dim ? 1 : 0)) return false;
    }
    return true;
  }

  std::optional<Diagnostic> checkSizesAreUsed() const {
    std::vector<std::string> legal;
    legal.assign(usedDims_.begin(), usedDims_.end());
    for (const auto &[name, extent] : sizes_) {
      if (usedDims_.contains(name)) continue;
      return error(DiagnosticKind::kUsage, "unknown-size", {file_}, fmt::format("no index is called '{}'", name),
                   suggest(name, legal));
    }
    return std::nullopt;
  }

  // ---- Tensors ----

  void registerTensor(const TensorReference &reference, const std::vector<Dim> &dims) {
    int t = graph_.tensorNamed(reference.name);
    if (t < 0) {
      t = static_cast<int>(graph_.tensors.size());
      graph_.tensors.push_back(
          {reference.name, type_, std::vector<std::int64_t>(reference.index.size(), 1), Role::kInput});
      uses_.emplace_back();
    }
    Tensor &tensor = graph_.tensors[static_cast<std::size_t>(t)];
    if (tensor.shape.size() != reference.index.size()) {
      return fail("rank-mismatch", node(reference.node),
                  fmt::format("'{}' has {} indices here and {} before", reference.name, reference.index.size(),
                              tensor.shape.size()),
                  "give a tensor the same number of indices everywhere");
    }
    for (std::size_t i = 0; i < reference.index.size(); ++i) {
      const auto range = rangeOf(reference.index[i], dims);
      if (!range) {
        return fail("too-large", node(reference.node),
                    fmt::format("index {} of '{}' leaves 64 bits", i + 1, reference.name), "use smaller factors");
      }
      if (range->first < 0) {
        return fail("negative-index", node(reference.node),
                    fmt::format("index {} of '{}' goes down to {}", i + 1, reference.name, range->first),
                    "add a constant so that it starts at 0");
      }
      tensor.shape[i] = std::max(tensor.shape[i], range->second);
    }
    use(t, reference.isTarget);
  }

  /// Lowest value and highest value + 1.
  static std::optional<std::pair<std::int64_t, std::int64_t>> rangeOf(const Affine &affine,
                                                                      const std::vector<Dim> &dims) {
    std::int64_t low = affine.constant, high = affine.constant;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t c = affine.coefficients[d];
      std::int64_t reach = 0;
      std::int64_t &end = c < 0 ? low : high;
      if (__builtin_mul_overflow(c, dims[d].extent - 1, &reach) || __builtin_add_overflow(end, reach, &end)) {
        return std::nullopt;
      }
    }
    if (__builtin_add_overflow(high, std::int64_t{1}, &high)) return std::nullopt;
    return std::pair(low, high);
  }

  /// Reads of a statement are registered before its write.
  struct Uses {
    bool isReadBeforeWritten = false, isWritten = false, isReadAfterWritten = false;
  };

  void use(int t, bool isWrite) {
    Uses &uses = uses_[static_cast<std::size_t>(t)];
    if (isWrite) {
      uses.isWritten = true;
    } else if (uses.isWritten) {
      uses.isReadAfterWritten = true;
    } else {
      uses.isReadBeforeWritten = true;
    }
  }

  void assignRoles() {
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const Uses &uses = uses_[t];
      graph_.tensors[t].role = !uses.isWritten            ? Role::kInput
                               : uses.isReadBeforeWritten ? Role::kInOut
                               : uses.isReadAfterWritten  ? Role::kTemporary
                                                          : Role::kOutput;
    }
  }

  // ---- The target ----

  /// A statement that reads its own target elsewhere runs its points in order.
  static void markSequential(const Statement &statement, const StatementIndices &indices, std::vector<Dim> &dims) {
    const TensorReference &target = indices.target();
    for (const TensorReference &reference : indices.references()) {
      if (reference.name != target.name || reference.index == target.index) continue;
      if (statement.combine != Combine::kAssign) continue;  // verify() says what is wrong
      for (Dim &dim : dims) dim.kind = DimKind::kSequential;
    }
  }

  /// Every index on the left must be recoverable from the element, or several points would share it.
  void checkTarget(const Statement &statement, const StatementIndices &indices, const std::vector<Dim> &dims) {
    std::vector<bool> isKnown(dims.size(), false);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      isKnown[d] = !indices.names()[d].isOnLeft || dims[d].extent == 1;
    }
    bool hasChanged = true;
    while (hasChanged) {
      hasChanged = false;
      for (const Affine &index : indices.target().index) hasChanged |= settle(index, dims, isKnown);
    }
    const auto unknown = std::find(isKnown.begin(), isKnown.end(), false);
    if (unknown == isKnown.end()) return;
    fail("overlapping-write", statement.line, statement.column,
         fmt::format("different values of index '{}' can meet in one element of '{}'",
                     dims[static_cast<std::size_t>(unknown - isKnown.begin())].name, indices.target().name),
         "write the left side with one index per position (or digits that cannot overlap, like 4*i + j with j < 4)");
  }

  /// Marks the dims of `index` as known if its unknown ones act as digits: each factor exceeds all smaller digits.
  static bool settle(const Affine &index, const std::vector<Dim> &dims, std::vector<bool> &isKnown) {
    std::vector<std::pair<std::uint64_t, std::size_t>> digits;  // size of a step, dim
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t c = index.coefficients[d];
      if (c != 0 && !isKnown[d]) digits.push_back({c < 0 ? 0 - static_cast<std::uint64_t>(c) : c, d});
    }
    std::sort(digits.begin(), digits.end());
    std::uint64_t reach = 0;
    for (const auto &[step, d] : digits) {
      if (step <= reach) return false;
      reach += step * static_cast<std::uint64_t>(dims[d].extent - 1);  // fits: rangeOf() has seen it
    }
    for (const auto &[step, d] : digits) isKnown[d] = true;
    return !digits.empty();
  }

  // ---- The kernel ----

  void emit(const Statement &statement, const StatementIndices &indices, std::vector<Dim> dims) {
    std::string name = indices.target().name;
    for (int copy = 2; !kernelNames_.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", indices.target().name, copy);
    }
    KernelBuilder builder(name, std::move(dims), {file_, statement.line, statement.column});
    ValueEmitter emitter(tree_, indices, graph_, type_, file_, builder);
    const int value = emitter.run(statement.value);
    if (emitter.failure()) {
      failure_ = emitter.failure();
      return;
    }
    builder.store(graph_.tensorNamed(indices.target().name), indices.target().index, value, statement.combine);
    graph_.kernels.push_back(builder.take());
  }

  const SyntaxTree &tree_;
  const Sizes &sizes_;
  DType type_;
  const std::string &file_;
  Graph graph_;
  std::vector<Uses> uses_;
  std::set<std::string> usedDims_, kernelNames_;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Result<Graph> parseNotation(std::string_view text, const Sizes &sizes, DType type, std::string_view file) {
  const std::string name(file);
  auto tree = parseSyntax(text, name);
  if (!tree) return std::move(tree.diagnostics());
  return NotationBuilder(*tree, sizes, type, name).run();
}

}  // namespace pimento::kernel
