// From syntax trees to a Graph: loops, statements, the extents of indices, and the rules for targets.
#include "pimento/kernel/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/notation_index.h"
#include "pimento/kernel/notation_parser.h"
#include "pimento/kernel/notation_tensors.h"
#include "pimento/kernel/notation_value.h"
#include "pimento/kernel/rounds.h"

namespace pimento::kernel {

namespace {

constexpr std::size_t kMaxDims = 32;

class NotationBuilder {
 public:
  NotationBuilder(const SyntaxTree &tree, const Sizes &sizes, DType type, const std::string &file)
      : tree_(tree), sizes_(sizes), type_(type), file_(file), tensors_(tree, sizes, type, file, graph_) {}

  Result<Graph> run() {
    for (const auto &[dim, extent] : sizes_) {
      if (extent < 1) {
        return error(DiagnosticKind::kUsage, "bad-extent", {file_}, fmt::format("size '{}' is {}", dim, extent),
                     "sizes must be at least 1");
      }
    }
    graph_.name = "notation";
    for (const SyntaxNode &n : tree_.nodes)
      if (n.kind == SyntaxNode::Kind::kElement)
        for (const int child : n.children) tensors_.findIndexTensors(child);
    for (const Statement &statement : tree_.statements)
      for (const Statement::Range &range : statement.ranges)
        for (const int bound : {range.low, range.high}) tensors_.findIndexTensors(bound);
    for (const Statement &statement : tree_.statements) {
      build(statement);
      if (failure_) return *failure_;
    }
    if (auto unknown = checkSizesAreUsed()) return *unknown;
    tensors_.assignRoles();
    if (Status status = verify(graph_, &tensors_.places()); !status) {
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
                    fmt::format("an enclosing loop already counts '{}'", statement.name), "rename one");
    if (graph_.tensorNamed(statement.name) >= 0)
      return fail("duplicate-name", statement.line, statement.column,
                  fmt::format("loop '{}' has the name of a tensor", statement.name), "rename one");
    StatementIndices indices(tree_, statement, file_, counters_, sizes_);
    const Affine low = indices.bound(statement.low), high = indices.bound(statement.high);
    for (const int bound : {statement.low, statement.high}) markSizes(bound);
    if (indices.failure()) {
      failure_ = indices.failure();
      return;
    }
    const auto lows = rangeOf(low, counterDims()), highs = rangeOf(high, counterDims());
    if (!lows || !highs) return fail("too-large", node(statement.low), "the bounds exceed 64 bits", "use smaller ones");
    const std::int64_t first = lows->first, end = highs->second - 1;
    if (end <= first)
      return fail("bad-extent", node(statement.low),
                  fmt::format("loop '{}' runs from {} up to {}", statement.name, first, end),
                  "it must run at least once");
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

  void closeLoop(const Statement &statement) {
    loop().end = static_cast<int>(graph_.kernels.size());
    if (loop().end == loop().first)
      return fail("empty-notation", statement.line, statement.column, fmt::format("loop '{}' is empty", loop().name),
                  "add a statement, or remove it");
    open_.pop_back();
    counters_.pop_back();
    bounds_.pop_back();
  }

  void addSwap(const Statement &statement) {
    if (open_.empty())
      return fail("misplaced-swap", statement.line, statement.column, "a swap outside of a loop",
                  "put it at the end of a loop; the tensors swap names between iterations");
    if (!bounds_.back().empty())
      return fail("misplaced-swap", statement.line, statement.column,
                  fmt::format("a swap in loop '{}', whose bounds depend on other loops", loop().name),
                  "use a loop with constant bounds");
    std::array<int, 2> pair{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string &name = i == 0 ? statement.name : statement.other;
      pair[i] = graph_.tensorNamed(name);
      if (pair[i] >= 0) continue;
      std::vector<std::string> known;
      for (const Tensor &tensor : graph_.tensors) known.push_back(tensor.name);
      return fail("unknown-tensor", statement.line, statement.column, fmt::format("unknown tensor '{}'", name),
                  suggest(name, known));
    }
    loop().swaps.push_back(pair);
  }

  /// Names in a bound or condition that are sizes.
  void markSizes(int n) {
    if (node(n).kind == SyntaxNode::Kind::kName) usedDims_.insert(node(n).text);
    for (const int child : node(n).children) markSizes(child);
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
                  fmt::format("the limit is {}", kMaxDims));
    }
    std::vector<Dim> dims = findDims(statement, indices);
    if (failure_) return;
    const std::vector<Affine> guards = guardsOf(indices, dims.size());
    const std::optional<std::int64_t> most = rowSize(statement, indices, dims);
    if (statement.withTarget >= 0 || statement.count >= 0)
      tensors_.markAsIndex(node(statement.count >= 0 ? statement.count : statement.withTarget).text);
    for (TensorReference reference : indices.references()) {
      if (most && reference.node == statement.target)
        reference.index.push_back({std::vector<std::int64_t>(dims.size(), 0), *most - 1});
      tensors_.add(reference, dims, guards);
    }
    if (!failure_) failure_ = tensors_.failure();
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
      fail("bad-extent", limit, "the limit is not a whole number of at least 1", "write, for example, 'limit 8'");
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
             fmt::format("index '{}' does not occur on the left, so several values map to one element", index.name),
             "choose how they combine: +=, *=, min= or max=");
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
    if (const auto known = tensors_.extentAlong(dim, indices)) return *known;
    std::vector<std::string> given;
    for (const auto &[name, extent] : sizes_) given.push_back(name);
    std::string hint = fmt::format("set it: --size {}=N", index.name);
    if (const std::string near = nearest(index.name, given); !near.empty()) {
      hint += fmt::format("; did you mean '{}'?", near);
    }
    fail("unknown-extent", index.line, index.column, fmt::format("the extent of index '{}' is unknown", index.name),
         hint);
    return 1;
  }

  std::optional<Diagnostic> checkSizesAreUsed() const {
    std::vector<std::string> legal;
    std::set<std::string> used = tensors_.usedSizes();
    used.insert(usedDims_.begin(), usedDims_.end());
    legal.assign(used.begin(), used.end());
    for (const auto &[name, extent] : sizes_) {
      if (used.contains(name)) continue;
      if (std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const Loop &l) { return l.name == name; }))
        return error(DiagnosticKind::kUsage, "unknown-size", {"--size"},
                     fmt::format("'{}' counts a loop, whose bounds define its range", name), "remove it");
      return error(DiagnosticKind::kUsage, "unknown-size", {file_}, fmt::format("unknown index '{}'", name),
                   suggest(name, legal));
    }
    return std::nullopt;
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
         fmt::format("different values of index '{}' can map to one element of '{}'",
                     dims[static_cast<std::size_t>(unknown - isKnown.begin())].name, indices.target().name),
         "use one index per position on the left (or digits that cannot overlap, like 4*i + j with j < 4)");
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
                  fmt::format("'{}' cannot follow a minimum or maximum at the same indices", follower.name),
                  "write, for example, 'm[i] min= x[i,j] with b[i] = j'");
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
  NotationTensors tensors_;
  std::set<std::string> usedDims_, kernelNames_;
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
