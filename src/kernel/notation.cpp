// From syntax trees to a Graph: which names are indices, how far they run, what each tensor is for, and what type
// every operation has.
#include "pimento/kernel/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/kernel/box.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/notation_index.h"
#include "pimento/kernel/notation_parser.h"
#include "pimento/kernel/notation_value.h"
#include "pimento/kernel/rounds.h"

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
    for (const SyntaxNode &n : tree_.nodes)
      if (n.kind == SyntaxNode::Kind::kElement)
        for (const int child : n.children) findIndexTensors(child);
    for (const Statement &statement : tree_.statements)
      for (const Statement::Range &range : statement.ranges)
        for (const int bound : {range.low, range.high}) findIndexTensors(bound);
    for (const Statement &statement : tree_.statements) {
      build(statement);
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

  void build(const Statement &statement) {
    switch (statement.kind) {
      case Statement::Kind::kFor:
        return openLoop(statement);
      case Statement::Kind::kEnd:
        return closeLoop(statement);
      case Statement::Kind::kSwap:
        return addSwap(statement);
      default:
        return buildStatement(statement);
    }
  }

  // ---- Loops ----

  Loop &loop() { return graph_.loops[open_.back()]; }

  std::vector<Dim> counterDims() const {
    std::vector<Dim> dims;
    for (const std::size_t l : open_) dims.push_back({graph_.loops[l].name, graph_.loops[l].extent, DimKind::kCounter});
    return dims;
  }

  void openLoop(const Statement &statement) {
    for (const Counter &counter : counters_)
      if (counter.name == statement.name)
        return fail("duplicate-name", statement.line, statement.column,
                    fmt::format("a loop around this one counts '{}' already", statement.name), "rename one");
    StatementIndices indices(tree_, statement, file_, counters_, sizes_);
    const Affine low = indices.bound(statement.low), high = indices.bound(statement.high);
    for (const int bound : {statement.low, statement.high}) markSizes(bound);
    if (indices.failure()) {
      failure_ = indices.failure();
      return;
    }
    const auto lows = rangeOf(low, counterDims()), highs = rangeOf(high, counterDims());
    if (!lows || !highs) return fail("too-large", node(statement.low), "the bounds leave 64 bits", "use smaller ones");
    const std::int64_t first = lows->first, end = highs->second - 1;
    if (end <= first)
      return fail("bad-extent", node(statement.low),
                  fmt::format("loop '{}' runs from {} up to {}", statement.name, first, end),
                  "let it run at least once");
    open_.push_back(graph_.loops.size());
    graph_.loops.push_back({statement.name,
                            end - first,
                            static_cast<int>(graph_.kernels.size()),
                            0,
                            {},
                            {file_, statement.line, statement.column}});
    counters_.push_back({statement.name, first});
    bounds_.push_back({boundBy(low, first), boundBy(high, first)});
    Affine &upper = bounds_.back().back();  // high - 1 - counter
    for (std::int64_t &c : upper.coefficients) c = -c;
    upper.constant = -upper.constant - 1;
    std::erase_if(bounds_.back(), [this](const Affine &bound) {
      return std::all_of(bound.coefficients.begin(), bound.coefficients.end() - 1,
                         [](std::int64_t c) { return c == 0; });
    });
  }

  /// The loop's own counter less an affine form of those around it.
  static Affine boundBy(const Affine &form, std::int64_t first) {
    Affine bound{{}, first - form.constant};
    for (const std::int64_t c : form.coefficients) bound.coefficients.push_back(-c);
    bound.coefficients.push_back(1);
    return bound;
  }

  void closeLoop(const Statement &statement) {
    loop().end = static_cast<int>(graph_.kernels.size());
    if (loop().end == loop().first)
      return fail("empty-notation", statement.line, statement.column,
                  fmt::format("there is no statement in loop '{}'", loop().name), "give it one, or leave it out");
    open_.pop_back();
    counters_.pop_back();
    bounds_.pop_back();
  }

  void addSwap(const Statement &statement) {
    if (open_.empty())
      return fail("misplaced-swap", statement.line, statement.column, "a swap outside loops",
                  "put it at the end of a loop, between whose rounds the tensors exchange their names");
    if (!bounds_.back().empty())
      return fail("misplaced-swap", statement.line, statement.column,
                  fmt::format("a swap in loop '{}', whose bounds move with other loops", loop().name),
                  "swap in a loop with constant bounds");
    std::array<int, 2> pair{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string &name = i == 0 ? statement.name : statement.other;
      pair[i] = graph_.tensorNamed(name);
      if (pair[i] >= 0) continue;
      std::vector<std::string> known;
      for (const Tensor &tensor : graph_.tensors) known.push_back(tensor.name);
      return fail("unknown-tensor", statement.line, statement.column, fmt::format("no tensor is called '{}'", name),
                  suggest(name, known));
    }
    loop().swaps.push_back(pair);
  }

  /// Names in a bound or condition that are sizes.
  void markSizes(int n) {
    if (node(n).kind == SyntaxNode::Kind::kName) usedDims_.insert(node(n).text);
    for (const int child : node(n).children) markSizes(child);
  }

  /// Tensors that give an index to another hold i32, where no cast says otherwise.
  void findIndexTensors(int n) {
    const SyntaxNode &here = node(n);
    if (here.kind == SyntaxNode::Kind::kElement) {
      indexTensors_.insert(here.text);
      return;
    }
    if (here.kind == SyntaxNode::Kind::kCall && parseDType(here.text)) return;
    for (const int child : here.children) findIndexTensors(child);
  }

  // ---- Statements ----

  void buildStatement(const Statement &statement) {
    StatementIndices indices(tree_, statement, file_, counters_, sizes_);
    for (const int condition : statement.conditions) markSizes(condition);
    for (const Statement::Range &range : statement.ranges)
      for (const int bound : {range.low, range.high}) markSizes(bound);
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
    const std::vector<Affine> guards = guardsOf(indices, dims.size());
    const std::optional<std::int64_t> most = rowSize(statement, indices, dims);
    if (statement.withTarget >= 0 || statement.count >= 0)
      indexTensors_.insert(node(statement.count >= 0 ? statement.count : statement.withTarget).text);
    for (TensorReference reference : indices.references()) {
      if (most && reference.node == statement.target)
        reference.index.push_back({std::vector<std::int64_t>(dims.size(), 0), *most - 1});
      registerTensor(reference, dims, guards);
    }
    if (failure_) return;
    checkTarget(statement, indices, dims);
    if (failure_) return;
    emit(statement, indices, std::move(dims), guards);
  }

  /// Bounds of the loops around, and the statement's own conditions.
  std::vector<Affine> guardsOf(const StatementIndices &indices, std::size_t dims) const {
    std::vector<Affine> guards;
    for (const auto &bounds : bounds_) guards.insert(guards.end(), bounds.begin(), bounds.end());
    guards.insert(guards.end(), indices.guards().begin(), indices.guards().end());
    for (Affine &guard : guards) guard.coefficients.resize(dims, 0);
    return guards;
  }

  /// Of a selection: how many elements a row of the target has.
  std::optional<std::int64_t> rowSize(const Statement &statement, const StatementIndices &indices,
                                      const std::vector<Dim> &dims) {
    if (statement.kind != Statement::Kind::kAppend) return std::nullopt;
    if (statement.limit >= 0) {
      const SyntaxNode &limit = node(statement.limit);
      const auto number = limit.kind == SyntaxNode::Kind::kNumber ? parseInteger(limit.text) : std::nullopt;
      if (number && *number >= 1) return number;
      fail("bad-extent", limit, "the limit is not a whole number of at least 1", "write it like 'limit 8'");
    }
    std::int64_t points = 1;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!indices.names()[d].isOnLeft) points = multiplySaturated(points, dims[d].extent);
    return points;
  }

  // ---- Indices and extents ----

  std::vector<Dim> findDims(const Statement &statement, const StatementIndices &indices) {
    std::vector<Dim> dims = counterDims();
    // Rows that data bound may overlap.
    const bool isScatter = statement.combine == Combine::kAssign &&
                           (indices.target().indirectAt >= 0 ||
                            std::any_of(indices.bounds().begin(), indices.bounds().end(), [&](const IndexBounds &b) {
                              return indices.names()[static_cast<std::size_t>(b.name)].isOnLeft;
                            }));
    for (std::size_t d = dims.size(); d < indices.names().size(); ++d) {
      const IndexName &index = indices.names()[d];
      usedDims_.insert(index.name);
      const bool isReduction = !index.isOnLeft && !isScatter && statement.kind == Statement::Kind::kStore;
      if (isReduction && statement.combine == Combine::kAssign) {
        fail("reduction-needs-accumulation", statement.assignLine, statement.assignColumn,
             fmt::format("index '{}' does not occur on the left, so several values meet in one element", index.name),
             "say how they combine: +=, *=, min= or max=");
      }
      dims.push_back({index.name, findExtent(static_cast<int>(d), index, indices),
                      isReduction                    ? DimKind::kReduction
                      : isScatter && !index.isOnLeft ? DimKind::kSequential
                                                     : DimKind::kParallel});
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
        if (isJust(reference.index[i], dim) && reference.indirectAt != static_cast<int>(i)) return shape[i];
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

  void registerTensor(const TensorReference &reference, const std::vector<Dim> &dims,
                      const std::vector<Affine> &guards) {
    int t = graph_.tensorNamed(reference.name);
    if (t < 0) {
      t = static_cast<int>(graph_.tensors.size());
      graph_.tensors.push_back({reference.name, indexTensors_.contains(reference.name) ? DType::kI32 : type_,
                                std::vector<std::int64_t>(reference.index.size(), 1), Role::kInput});
      uses_.emplace_back();
    }
    Tensor &tensor = graph_.tensors[static_cast<std::size_t>(t)];
    if (tensor.shape.size() != reference.index.size()) {
      return fail("rank-mismatch", node(reference.node),
                  fmt::format("'{}' has {} indices here and {} before", reference.name, reference.index.size(),
                              tensor.shape.size()),
                  "give a tensor the same number of indices everywhere");
    }
    std::vector<Interval> intervals;
    for (const Dim &dim : dims) intervals.push_back({0, dim.extent - 1});
    const Box box(intervals, guards);
    for (std::size_t i = 0; i < reference.index.size(); ++i) {
      if (reference.indirectAt == static_cast<int>(i)) {
        tensor.shape[i] = std::max(tensor.shape[i], extentFromData(reference, i));
        continue;
      }
      const auto range = box.range(reference.index[i]);
      if (!range || range->high == INT64_MAX) {
        return fail("too-large", node(reference.node),
                    fmt::format("index {} of '{}' leaves 64 bits", i + 1, reference.name), "use smaller factors");
      }
      if (range->low < 0 && !box.isEmpty()) {
        return fail("negative-index", node(reference.node),
                    fmt::format("index {} of '{}' goes down to {}", i + 1, reference.name, range->low),
                    "add a constant so that it starts at 0, or a condition: where i >= 1");
      }
      tensor.shape[i] = std::max(tensor.shape[i], wholeExtent(reference.index[i], dims).value_or(range->high + 1));
    }
    use(t, reference.isTarget);
  }

  /// An index on its own runs over all of a tensor, whatever conditions leave out.
  static std::optional<std::int64_t> wholeExtent(const Affine &index, const std::vector<Dim> &dims) {
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (dims[d].kind != DimKind::kCounter && isJust(index, static_cast<int>(d))) return dims[d].extent;
    return std::nullopt;
  }

  /// Data may index as far as a size says that is called like the tensor: --size x=1000 (of several dimensions,
  /// x_1=1000 for the first), or as far as an earlier statement runs.
  std::int64_t extentFromData(const TensorReference &reference, std::size_t i) {
    const std::string numbered = fmt::format("{}_{}", reference.name, i + 1);
    for (const std::string &name : {numbered, reference.index.size() == 1 ? reference.name : numbered}) {
      const auto size = sizes_.find(name);
      if (size == sizes_.end()) continue;
      usedDims_.insert(name);
      return size->second;
    }
    const std::int64_t known = graph_.tensors[static_cast<std::size_t>(graph_.tensorNamed(reference.name))].shape[i];
    if (known > 1) return known;
    fail("unknown-extent", node(reference.node),
         fmt::format("nothing says how large '{}' is, whose index {} comes from data", reference.name, i + 1),
         fmt::format("give it: --size {}=N", reference.index.size() == 1 ? reference.name : numbered));
    return 1;
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
    std::vector<bool> isSwapped(graph_.tensors.size(), false);
    for (const Loop &loop : graph_.loops) {
      for (const auto &[a, b] : loop.swaps) {
        Uses &x = uses_[static_cast<std::size_t>(a)], &y = uses_[static_cast<std::size_t>(b)];
        x.isWritten = y.isWritten = x.isWritten || y.isWritten;
        isSwapped[static_cast<std::size_t>(a)] = isSwapped[static_cast<std::size_t>(b)] = true;
        Tensor &first = graph_.tensors[static_cast<std::size_t>(a)],
               &second = graph_.tensors[static_cast<std::size_t>(b)];
        for (std::size_t i = 0; i < std::min(first.shape.size(), second.shape.size()); ++i)
          first.shape[i] = second.shape[i] = std::max(first.shape[i], second.shape[i]);
      }
    }
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const Uses &uses = uses_[t];
      graph_.tensors[t].role = !uses.isWritten                            ? Role::kInput
                               : uses.isReadBeforeWritten                 ? Role::kInOut
                               : uses.isReadAfterWritten && !isSwapped[t] ? Role::kTemporary
                                                                          : Role::kOutput;
    }
  }

  // ---- The target ----

  /// A statement that reads its own target elsewhere runs in order those of its dims in which that makes a difference.
  static void markSequential(const Statement &statement, Kernel &kernel) {
    const Access &target = kernel.stores.front().target;
    const bool isElsewhere = std::any_of(kernel.loads.begin(), kernel.loads.end(), [&](const Access &load) {
      return load.tensor == target.tensor && !(load == target);
    });
    if (!isElsewhere || statement.combine != Combine::kAssign) return;  // verify() says what is wrong
    for (std::size_t d = countersOf(kernel); d < kernel.dims.size(); ++d)
      if (isCarried(kernel, d)) kernel.dims[d].kind = DimKind::kSequential;
  }

  /// Every index on the left must be recoverable from the element, or several points would share it.
  void checkTarget(const Statement &statement, const StatementIndices &indices, const std::vector<Dim> &dims) {
    std::vector<bool> isKnown(dims.size(), false);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      isKnown[d] = !indices.names()[d].isOnLeft || dims[d].extent == 1 || dims[d].kind == DimKind::kCounter;
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

  void emit(const Statement &statement, const StatementIndices &indices, std::vector<Dim> dims,
            const std::vector<Affine> &guards) {
    std::string name = indices.target().name;
    for (int copy = 2; !kernelNames_.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", indices.target().name, copy);
    }
    KernelBuilder builder(name, std::move(dims), {file_, statement.line, statement.column});
    ValueEmitter emitter(tree_, indices, graph_, type_, file_, builder);
    if (statement.kind == Statement::Kind::kAppend) {
      emitSelection(statement, indices, emitter, builder);
    } else {
      const int value = emitter.run(statement.value);
      if (!emitter.failure()) builder.store(emitter.access(indices.target()), value, statement.combine);
      if (statement.withTarget >= 0 && !emitter.failure()) emitFollower(statement, indices, emitter, builder);
    }
    if (emitter.failure()) failure_ = emitter.failure();
    if (failure_) return;
    for (const Affine &guard : guards) builder.guard(guard);
    for (const IndexBounds &b : indices.bounds()) {
      const int low = b.low < 0 ? -1 : emitter.run(b.low),
                high = b.high < 0 || emitter.failure() ? -1 : emitter.run(b.high);
      builder.bound(b.name, low, high);
    }
    if (emitter.failure()) failure_ = emitter.failure();
    if (failure_) return;
    Kernel kernel = builder.take();
    markSequential(statement, kernel);
    graph_.kernels.push_back(std::move(kernel));
  }

  void emitFollower(const Statement &statement, const StatementIndices &indices, ValueEmitter &emitter,
                    KernelBuilder &builder) {
    const TensorReference &follower = indices.at(statement.withTarget);
    const bool isExtreme = statement.combine == Combine::kMin || statement.combine == Combine::kMax;
    if (!isExtreme || follower.index != indices.target().index || follower.indirectAt >= 0)
      return fail("bad-with", node(statement.withTarget),
                  fmt::format("'{}' does not go with a minimum or maximum at the same indices", follower.name),
                  "write it like 'm[i] min= x[i,j] with b[i] = j'");
    const int t = graph_.tensorNamed(follower.name);
    builder.storeWith(t, emitter.runAs(statement.withValue, graph_.tensors[static_cast<std::size_t>(t)].type));
  }

  void emitSelection(const Statement &statement, const StatementIndices &indices, ValueEmitter &emitter,
                     KernelBuilder &builder) {
    const int value = emitter.run(statement.value);
    const int predicate = emitter.failure() ? -1 : emitter.run(statement.predicate);
    if (emitter.failure()) return;
    Access row = emitter.access(indices.target());
    row.index.push_back(builder.at(0));
    builder.store(std::move(row), value);
    if (statement.count >= 0)
      builder.store(emitter.access(indices.at(statement.count)), builder.integer(DType::kI32, 1), Combine::kAdd);
    builder.select(predicate, statement.limit < 0 ? -1 : parseInteger(node(statement.limit).text).value_or(-1));
  }

  const SyntaxTree &tree_;
  const Sizes &sizes_;
  DType type_;
  const std::string &file_;
  Graph graph_;
  std::vector<Uses> uses_;
  std::set<std::string> usedDims_, kernelNames_, indexTensors_;
  std::vector<std::size_t> open_;            ///< loops around the current statement
  std::vector<Counter> counters_;            ///< theirs
  std::vector<std::vector<Affine>> bounds_;  ///< by open loop: forms of counters that are >= 0 in it
  std::optional<Diagnostic> failure_;
};

}  // namespace

Result<Notation> Notation::parse(std::string_view text, std::string_view file) {
  auto tree = parseSyntax(text, std::string(file));
  if (!tree) return std::move(tree.diagnostics());
  return Notation(std::make_shared<const SyntaxTree>(std::move(*tree)), std::string(file));
}

Result<Graph> Notation::bind(const Sizes &sizes, DType type) const {
  return NotationBuilder(*tree_, sizes, type, file_).run();
}

Result<Graph> parseNotation(std::string_view text, const Sizes &sizes, DType type, std::string_view file) {
  const Result<Notation> parsed = Notation::parse(text, file);
  if (!parsed) return parsed.diagnostics();
  return parsed->bind(sizes, type);
}

}  // namespace pimento::kernel
