#include "pimento/kernel/notation_tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/box.h"

namespace pimento::kernel {

namespace {

bool isJust(const Affine &affine, int dim) {
  if (affine.constant != 0) return false;
  for (std::size_t d = 0; d < affine.coefficients.size(); ++d) {
    if (affine.coefficients[d] != (static_cast<int>(d) == dim ? 1 : 0)) return false;
  }
  return true;
}

/// An index on its own runs over all of a tensor, whatever conditions leave out.
std::optional<std::int64_t> wholeExtent(const Affine &index, const std::vector<Dim> &dims) {
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d].kind != DimKind::kCounter && isJust(index, static_cast<int>(d))) return dims[d].extent;
  return std::nullopt;
}

}  // namespace

void NotationTensors::fail(std::string code, const TensorReference &at, const std::string &message, std::string hint) {
  const SyntaxNode &place = node(at.node);
  if (!failure_) failure_ = error(std::move(code), {file_, place.line, place.column}, message, std::move(hint));
}

/// An earlier statement may have settled the shape of a tensor that this index alone runs over.
std::optional<std::int64_t> NotationTensors::extentAlong(int dim, const StatementIndices &indices) const {
  for (const TensorReference &reference : indices.references()) {
    const int t = graph_.tensorNamed(reference.name);
    if (t < 0) continue;
    const auto &shape = graph_.tensors[static_cast<std::size_t>(t)].shape;
    for (std::size_t i = 0; i < std::min(shape.size(), reference.index.size()); ++i) {
      if (isJust(reference.index[i], dim) && reference.indirectAt != static_cast<int>(i)) return shape[i];
    }
  }
  return std::nullopt;
}

/// Tensors that give an index to another hold i32, where no cast says otherwise.
void NotationTensors::findIndexTensors(int n) {
  const SyntaxNode &here = node(n);
  if (here.kind == SyntaxNode::Kind::kElement) {
    indexTensors_.insert(here.text);
    return;
  }
  if (here.kind == SyntaxNode::Kind::kCall && parseDType(here.text)) return;
  for (const int child : here.children) findIndexTensors(child);
}

void NotationTensors::add(const TensorReference &reference, const std::vector<Dim> &dims,
                          const std::vector<Affine> &guards) {
  int t = graph_.tensorNamed(reference.name);
  if (std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const Loop &l) { return l.name == reference.name; }))
    return fail("duplicate-name", reference,
                fmt::format("'{}' counts a loop and has no value outside it", reference.name),
                "move the statement into the loop, or rename the tensor");
  if (t < 0) {
    t = static_cast<int>(graph_.tensors.size());
    graph_.tensors.push_back({reference.name, indexTensors_.contains(reference.name) ? DType::kI32 : type_,
                              std::vector<std::int64_t>(reference.index.size(), 1), Role::kInput});
    uses_.emplace_back();
    places_.tensors.push_back({file_, node(reference.node).line, node(reference.node).column});
  }
  Tensor &tensor = graph_.tensors[static_cast<std::size_t>(t)];
  if (tensor.shape.size() != reference.index.size()) {
    return fail("rank-mismatch", reference,
                fmt::format("'{}' has {} indices here but {} before", reference.name, reference.index.size(),
                            tensor.shape.size()),
                "use the same number of indices everywhere");
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
      return fail("too-large", reference, fmt::format("index {} of '{}' exceeds 64 bits", i + 1, reference.name),
                  "use smaller factors");
    }
    if (range->low < 0 && !box.isEmpty()) {
      return fail("negative-index", reference,
                  fmt::format("index {} of '{}' is as small as {}", i + 1, reference.name, range->low),
                  "add a constant so that it starts at 0, or a condition: where i >= 1");
    }
    tensor.shape[i] = std::max(tensor.shape[i], wholeExtent(reference.index[i], dims).value_or(range->high + 1));
  }
  use(t, reference.isTarget);
}

/// Data may index as far as a size says that is called like the tensor: --size x=1000 (of several dimensions,
/// x_1=1000 for the first), or as far as an earlier statement runs.
std::int64_t NotationTensors::extentFromData(const TensorReference &reference, std::size_t i) {
  const std::string numbered = fmt::format("{}_{}", reference.name, i + 1);
  for (const std::string &name : {numbered, reference.index.size() == 1 ? reference.name : numbered}) {
    const auto size = sizes_.find(name);
    if (size == sizes_.end()) continue;
    usedSizes_.insert(name);
    return size->second;
  }
  const std::int64_t known = graph_.tensors[static_cast<std::size_t>(graph_.tensorNamed(reference.name))].shape[i];
  if (known > 1) return known;
  fail("unknown-extent", reference,
       fmt::format("the size of '{}' is unknown: its index {} comes from data", reference.name, i + 1),
       fmt::format("set it: --size {}=N", reference.index.size() == 1 ? reference.name : numbered));
  return 1;
}

void NotationTensors::use(int t, bool isWrite) {
  Uses &uses = uses_[static_cast<std::size_t>(t)];
  if (isWrite) {
    uses.isWritten = true;
  } else if (uses.isWritten) {
    uses.isReadAfterWritten = true;
  } else {
    uses.isReadBeforeWritten = true;
  }
}

void NotationTensors::assignRoles() {
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

}  // namespace pimento::kernel
