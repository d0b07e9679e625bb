// Memrefs and tensors that loops carry: names that exchange after every round.
#include <algorithm>
#include <numeric>
#include <set>

#include "pimento/frontend/mlir/nest_reader.h"

namespace pimento::frontend {

namespace {

bool isCarriedBy(mlir::Value value, mlir::LoopLikeOpInterface loop) {
  return value.getDefiningOp() == loop.getOperation() || llvm::is_contained(loop.getRegionIterArgs(), value);
}

bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

}  // namespace

Result<NestReader::CarriedTensors> NestReader::enterTensors(mlir::LoopLikeOpInterface loop) {
  CarriedTensors tensors;
  const auto arguments = loop.getRegionIterArgs();
  for (unsigned r = 0; r < arguments.size(); ++r) {
    if (!mlir::isa<mlir::ShapedType>(arguments[r].getType())) continue;
    const mlir::Value init = loop.getInits()[r];
    Result<View> view = isTensor(init) ? destination(init, loop->getResult(r), true, *loop) : viewOf(init, *loop);
    if (!view) return std::move(view.diagnostics());
    tensors.positions.push_back(r);
    bind(arguments[r], *view);
    bind(loop->getResult(r), *view);
    tensors.views.push_back(std::move(*view));
  }
  return tensors;
}

/// After a round, the name of each carried array stands for what the round yields in its place.
Status NestReader::yieldTensors(mlir::LoopLikeOpInterface loop, CarriedTensors &tensors, const Entered &entered,
                                std::size_t first) {
  mlir::Operation &yield = *loop->getRegion(0).front().getTerminator();
  std::vector<View> yielded;
  for (const unsigned r : tensors.positions) {
    Result<View> view = viewOf(loop.getYieldedValues()[r], yield);
    if (!view) return std::move(view.diagnostics());
    yielded.push_back(std::move(*view));
  }
  const auto isOuter = [&](int buffer) {
    return std::none_of(tensors.views.begin(), tensors.views.end(), [&](const View &v) { return v.buffer == buffer; });
  };
  // Each must be a place of its own that the round may give away.
  std::set<int> taken;
  for (std::size_t k = 0; k < yielded.size(); ++k) {
    mlir::Value value = loop.getYieldedValues()[tensors.positions[k]];
    const bool isMemref = !isTensor(value);
    const bool isLocal =
        !isOuter(yielded[k].buffer) || loop->isAncestor(mlir::Value(value).getParentBlock()->getParentOp());
    const bool isOwn = isLocal && taken.insert(yielded[k].buffer).second;
    if (isOwn && !(isMemref && isOuter(yielded[k].buffer))) continue;
    if (isMemref) {
      return unsupported("unsupported-loop", placeOf(yield), "the loop yields a memref that it does not carry",
                         "yield the memrefs of iter_args, each once, in any order; use memref.copy for other moves");
    }
    Result<View> own = newBuffer(value);
    Result<std::vector<std::int64_t>> shape = function_.dims.shape(value);
    if (!own) return std::move(own.diagnostics());
    if (!shape) return std::move(shape.diagnostics());
    if (Status s = copy(yielded[k], *own, *shape, yield); !s) return s;
    yielded[k] = std::move(*own);
  }
  return exchange(loop, tensors, std::move(yielded), entered, first);
}

/// Names exchange, where all rounds happen; else contents move.
Status NestReader::exchange(mlir::LoopLikeOpInterface loop, CarriedTensors &tensors, std::vector<View> yielded,
                            const Entered &entered, std::size_t first) {
  mlir::Operation &yield = *loop->getRegion(0).front().getTerminator();
  std::vector<int> names, after;
  for (std::size_t k = 0; k < yielded.size(); ++k) {
    names.push_back(tensors.views[k].buffer);
    after.push_back(yielded[k].buffer);
  }
  if (names == after) return okStatus();
  const bool isAlways = entered.isKnown && predicates_.empty() &&
                        std::all_of(guards_.begin(), guards_.end(),
                                    [](const Guard &g) { return g.cases.size() == 1 && g.cases.front().empty(); });
  const bool isMemref = !isTensor(loop->getResult(tensors.positions.front()));
  if (!isAlways) {
    if (isMemref) {
      return unsupported("unsupported-loop", placeOf(yield),
                         "memrefs are exchanged in a loop whose trip count depends on enclosing loops or on data",
                         "exchange them in a loop with a fixed trip count");
    }
    for (std::size_t k = 0; k < yielded.size(); ++k) {
      if (names[k] == after[k]) continue;
      Result<std::vector<std::int64_t>> shape = function_.dims.shape(loop->getResult(tensors.positions[k]));
      if (!shape) return std::move(shape.diagnostics());
      // What another name still stands for moves first.
      if (std::find(names.begin(), names.end(), after[k]) != names.end()) {
        Result<View> own = newBuffer(loop->getResult(tensors.positions[k]));
        if (!own) return std::move(own.diagnostics());
        if (Status s = copy(yielded[k], *own, *shape, yield); !s) return s;
        yielded[k] = std::move(*own);
      }
    }
    for (std::size_t k = 0; k < yielded.size(); ++k) {
      if (yielded[k].buffer == names[k]) continue;
      Result<std::vector<std::int64_t>> shape = function_.dims.shape(loop->getResult(tensors.positions[k]));
      if (!shape) return std::move(shape.diagnostics());
      if (Status s = copy(yielded[k], tensors.views[k], *shape, yield); !s) return s;
    }
    return okStatus();
  }
  if (isMemref) {
    for (auto &[value, buffer] : function_.buffers) {
      const bool isPlace = std::find(names.begin(), names.end(), buffer) != names.end();
      const bool isInside = loop->isAncestor(value.getParentBlock()->getParentOp());
      if (!isPlace || isInside || isCarriedBy(value, loop)) continue;
      for (mlir::Operation *user : value.getUsers()) {
        if (!loop->isProperAncestor(user)) continue;
        return unsupported("unsupported-loop", placeOf(*user),
                           "a memref that the loop exchanges is used inside it by its outer name",
                           "use the loop's own arguments");
      }
    }
  }
  NestLoop &rounds = program_.loops[static_cast<std::size_t>(entered.loop)];
  rounds.swaps.clear();
  // Swaps, one after the other, until every name stands for what it should.
  std::vector<int> places = names;
  for (const int b : after)
    if (std::find(places.begin(), places.end(), b) == places.end()) places.push_back(b);
  std::vector<int> holds = places;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = static_cast<std::size_t>(std::find(holds.begin(), holds.end(), after[k]) - holds.begin());
    if (at == k) continue;
    std::swap(holds[k], holds[at]);
    rounds.swaps.push_back({programBuffer(places[k]), programBuffer(places[at])});
  }
  program_.loops[static_cast<std::size_t>(entered.loop)].isRound = true;
  tensors.places = places;
  tensors.holds = holds;
  tensors.isEmpty = program_.statements.size() == first;
  return okStatus();
}

/// Whether a memref that the (inner) loop has exchanged is asked for behind it by a name that is not the loop's own, or
/// one of the loops around it.
bool NestReader::isMentioned(int buffer, mlir::LoopLikeOpInterface loop) {
  for (auto &[value, of] : function_.buffers) {
    if (of != buffer || isCarriedBy(value, loop)) continue;
    if (value.getDefiningOp() != nullptr && value.getDefiningOp()->isAncestor(loop)) continue;
    mlir::Block *const home = value.getParentBlock();
    mlir::Operation *const here = home->findAncestorOpInBlock(*loop.getOperation());
    for (mlir::Operation *user : value.getUsers()) {
      mlir::Operation *const there = home->findAncestorOpInBlock(*user);
      const bool isLater = here != nullptr && there != nullptr && (here == there || here->isBeforeInBlock(there));
      if (isLater && !user->isAncestor(loop)) return true;
    }
  }
  return false;
}

/// Behind the loop: memrefs that exchanged their names are still where they were; what nothing was done to has only
/// changed its name.
Status NestReader::finishTensors(mlir::LoopLikeOpInterface loop, const CarriedTensors &tensors,
                                 const Entered &entered) {
  if (tensors.places.empty()) return okStatus();
  const std::size_t count = tensors.places.size();
  std::vector<std::size_t> round, all(count);
  for (const int b : tensors.holds)
    round.push_back(
        static_cast<std::size_t>(std::find(tensors.places.begin(), tensors.places.end(), b) - tensors.places.begin()));
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto apply = [&](const std::vector<std::size_t> &x, const std::vector<std::size_t> &y) {
    std::vector<std::size_t> both;
    for (const std::size_t p : y) both.push_back(x[p]);
    return both;
  };
  const bool isMemref = !isTensor(loop->getResult(tensors.positions.front()));
  for (std::int64_t times = program_.loops[static_cast<std::size_t>(entered.loop)].extent; times > 0; times /= 2) {
    if (times % 2 == 1) all = apply(all, round);
    round = apply(round, round);
  }
  if (tensors.isEmpty) {
    for (std::size_t k = 0; k < tensors.positions.size(); ++k)
      bind(loop->getResult(tensors.positions[k]), whole(tensors.places[all[k]]));
    return okStatus();
  }
  const bool isSame = std::is_sorted(all.begin(), all.end());
  if (!isMemref || isSame) return okStatus();
  if (!loops_.empty()) {
    const bool isStale =
        std::any_of(tensors.places.begin(), tensors.places.end(), [&](int b) { return isMentioned(b, loop); });
    if (!isStale) return okStatus();
    return unsupported("unsupported-loop", placeOf(*loop),
                       "a memref that an inner loop exchanged is used by its old name",
                       "carry it through the enclosing loops too, and use their arguments and results");
  }
  // Name k stands for the place all[k] now: values from before the loop mean places.
  std::vector<int> nameOfPlace(count);
  for (std::size_t k = 0; k < count; ++k) nameOfPlace[all[k]] = tensors.places[k];
  for (auto &[value, buffer] : function_.buffers) {
    if (isCarriedBy(value, loop)) continue;
    const auto at = std::find(tensors.places.begin(), tensors.places.end(), buffer);
    if (at != tensors.places.end()) buffer = nameOfPlace[static_cast<std::size_t>(at - tensors.places.begin())];
  }
  return okStatus();
}

}  // namespace pimento::frontend
