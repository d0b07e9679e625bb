// Loop nests of affine, scf, memref, tensor and linalg ops as statements (nest/program.h). Internal to the MLIR front
// end.
//
// Ops are run on expressions in the order of the text: every scalar is an expression over elements and loops, every
// store a statement. A loop counts from 0 to its extent - 1; lower bounds and steps go into the indices, bounds that
// depend on outer loops become guards. What a loop carries (iter_args) lives in a buffer: an element for each iteration
// of the loops around if the loop accumulates, else one more for each of its own iterations. Tensors that a loop
// carries are buffers that it updates, or that exchange their names after every round.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/mlir/body.h"
#include "pimento/frontend/mlir/dims.h"
#include "pimento/frontend/mlir/parse.h"
#include "pimento/frontend/nest/recorder.h"

namespace pimento::frontend {

/// A loop, a branch, a load, a store or a slice: what NestReader reads at the top of a function.
bool isNestOp(mlir::Operation &op);
/// An op that makes another name for (a part of) a memref or tensor.
bool isViewOp(mlir::Operation &op);

class NestReader : private NestRecorder {
 public:
  /// What the reader needs to know of the function around; references outlive it.
  struct Function {
    const ParsedModule &parsed;
    FunctionDims &dims;
    GraphBuilder &graph;
    llvm::DenseMap<mlir::Value, int> &buffers;        ///< of memrefs and tensors
    const llvm::DenseMap<mlir::Value, int> &scalars;  ///< of scalar arguments
    std::function<Result<Buffer>(mlir::Value)> describe;
  };
  NestReader(NestProgram &program, Function function);

  /// Reads one op of the function's block. Its statements wait for flush().
  Status read(mlir::Operation &op);
  /// Whether an op needs what nests made: scalars, or parts of memrefs and tensors; or has loads in its body.
  bool concerns(mlir::Operation &op) const;
  /// Values read from a buffer of the graph that are needed behind `op`, which writes it, get a place of their own.
  void protect(int buffer, mlir::Operation &op);
  /// Turns what was read into kernels, before `op`.
  Status flush(mlir::Operation &op);

 private:
  /// A memref or tensor as (a part of) a buffer of the graph: offsets by dimension of the buffer, and for each index
  /// which dimension it moves, and by how much.
  struct View {
    struct Step {
      std::size_t dim = 0;
      int stride = -1;  ///< an expression
    };
    int buffer = -1;
    std::vector<int> offsets;  ///< expressions
    std::vector<Step> steps;
  };
  /// A value that a loop carries.
  struct Carried {
    mlir::Value argument, result, yielded;
    int init = -1;
    std::optional<std::int64_t> step;  ///< it goes up by a constant
    int buffer = -1;
    std::vector<kernel::Affine> index;
    bool isTimed = false;   ///< an element for every iteration
    bool isShared = false;  ///< the loop around carries it too
    bool isUnused = false;
  };
  /// A loop that has been entered.
  struct Entered {
    int loop = -1;
    std::vector<kernel::Affine> guards;
    bool isKnown = true;  ///< it always runs as often
  };
  struct Bounds {
    std::vector<int> lower, upper;  ///< expressions: the largest, the smallest counts
    std::int64_t step = 0;
  };
  struct State {
    std::size_t statements = 0;
    BodyTranslator::Values values;
    std::vector<int> predicates;
    std::vector<std::vector<int>> held;
  };
  class PoolSink final : public ScalarSink {
   public:
    explicit PoolSink(ExpressionPool &pool) : pool_(pool) {}
    int real(DType type, double x) override { return pool_.real(type, x); }
    int integer(DType type, std::int64_t x) override { return pool_.integer(type, x); }
    int indexValue(int dim, DType type) override {
      return pool_.form(type, unit(loops[static_cast<std::size_t>(dim)]));
    }
    int load(DType, const kernel::Access &) override { return -1; }
    int op(kernel::Op op, DType type, int a, int b, int c) override { return pool_.op(op, type, a, b, c); }
    int cast(DType type, int a) override { return pool_.cast(type, a); }
    DType typeOf(int value) const override { return pool_[value].type; }

    std::vector<int> loops;  ///< of the structured op that is being read

   private:
    ExpressionPool &pool_;
  };

  // nest_reader.cpp: ops, branches, elements
  Status readBlock(mlir::Block &block);
  Status readOp(mlir::Operation &op);
  Status readPlain(mlir::Operation &op);
  std::string freshName(mlir::Operation &op) const;
  Status readNested(mlir::Operation &op);
  bool readsAny(const State &state, const std::set<int> &buffers, mlir::Operation &op) const;
  Status readIf(mlir::Operation &op);
  Status readSides(mlir::Operation &op, int truth, mlir::Block *onTrue, mlir::Block *onFalse);
  Status readSide(mlir::Block *block, int predicate, const DisjointGuards *guards, std::vector<int> &yields,
                  int &predicateAfter);
  Status readLoad(mlir::Operation &op);
  Status readStore(mlir::Operation &op);
  Result<int> truthOf(mlir::Operation &op);
  Result<int> valueOf(mlir::Value value, mlir::Operation &user);
  Result<std::vector<int>> valuesOf(mlir::ValueRange values, mlir::Operation &user);
  Result<int> expressionOf(mlir::AffineExpr expr, const std::vector<int> &operands, unsigned dims,
                           mlir::Operation &user);
  Result<std::vector<int>> resultsOf(mlir::AffineMap map, mlir::ValueRange operands, mlir::Operation &user);
  void emit(NestStatement s, mlir::Operation &op, std::size_t predicates = 0);
  void keepOldValues(int buffer, mlir::Operation &op);
  bool isUsedAfter(mlir::Value value, mlir::Operation &op) const;

  // nest_bounds.cpp: where loops start and end
  Result<Bounds> boundsOf(mlir::Operation &op);
  Result<std::vector<kernel::Affine>> boundForms(const std::vector<int> &bounds, kernel::Op choice,
                                                 mlir::Operation &op);
  Result<std::optional<Entered>> enter(mlir::Value iv, const Bounds &bounds, mlir::Operation &op);
  int newLoop(std::int64_t extent, const Location &where);
  bool readsData(int e) const;
  bool isBoundByData(const Bounds &bounds) const;
  std::int64_t extentIndexed(mlir::Value iv);
  Result<std::optional<Entered>> enterBounded(mlir::Value iv, const Bounds &bounds, mlir::Operation &op);
  Status keepsItsBounds(const Entered &entered, std::size_t first, mlir::Operation &op) const;

  // nest_loops.cpp: what happens in loops, and the scalars they carry
  Status readLoop(mlir::Operation &op);
  Status readParallel(mlir::Operation &op);
  Status readAffineParallel(mlir::Operation &op);
  Status mergeReductions(mlir::Operation &op, const std::vector<Carried> &carried);
  Status readReductions(mlir::Operation &op, const std::vector<Carried> &carried);
  std::vector<kernel::Affine> guardsAround() const;
  void within(const Entered &entered);
  void leave();
  std::vector<Carried> scalarsOf(mlir::LoopLikeOpInterface loop);
  void countSteps(std::vector<Carried> &carried, const Entered &entered) const;
  bool isChained(const Carried &c, mlir::Operation &loop) const;
  Status startCarried(std::vector<Carried> &carried, const Entered &entered, mlir::Operation &op);
  Status storeCarried(std::vector<Carried> &carried, mlir::Operation &op, std::vector<int> yields);
  void finishCarried(const std::vector<Carried> &carried, const Entered &entered);
  int elementOf(const Carried &c, const std::vector<kernel::Affine> &index) const;
  State save() const;
  void restore(const State &state);

  // nest_views.cpp: parts and other shapes, and scf.forall
  Status readView(mlir::Operation &op);
  Result<View> partOf(const View &from, mlir::OffsetSizeAndStrideOpInterface part, const llvm::SmallBitVector &dropped,
                      mlir::Operation &op);
  Status takeOut(mlir::Operation &op);
  void share(const View &view, mlir::Value value);
  Status readExpand(mlir::Operation &op);
  Status readCollapse(mlir::Operation &op, llvm::ArrayRef<mlir::ReassociationIndices> groups);
  Status reshape(const View &from, const std::vector<std::int64_t> &shape, const View &to,
                 const std::vector<int> &groupOf, mlir::Operation &op);
  Status readForall(mlir::Operation &op);
  Status readParallelInsert(mlir::Operation &op);

  // nest_tensors.cpp: memrefs, tensors, structured ops
  Result<View> viewOf(mlir::Value value, mlir::Operation &user);
  Status readAllocation(mlir::Operation &op);
  Status readCopy(mlir::Operation &op);
  Status readInsert(mlir::Operation &op);
  Status readInsertSlice(mlir::Operation &op);
  Status readStructured(mlir::linalg::LinalgOp op);
  Result<int> elementOf(const View &view, const std::vector<int> &indices, mlir::Operation &op);
  Result<NestStatement> targetAt(const View &view, const std::vector<int> &indices, mlir::Operation &op);
  Result<View> destination(mlir::Value init, mlir::Value result, bool needsOld, mlir::Operation &op);
  Status copy(const View &from, const View &to, const std::vector<std::int64_t> &shape, mlir::Operation &op,
              const char *name = "copy");
  /// One element of `to` is one of `from`, in the loops that are open; `name` is that of the kernel.
  Status assign(const View &from, const std::vector<int> &fromAt, const View &to, const std::vector<int> &toAt,
                const char *name, mlir::Operation &op);
  Result<View> newBuffer(mlir::Value like);
  View whole(int buffer);
  void bind(mlir::Value value, View view);
  int programBuffer(int buffer);
  bool mayOverwrite(mlir::Value init, mlir::Operation &op) const;
  Status readPoint(mlir::linalg::LinalgOp op, const std::vector<View> &targets, const std::vector<int> &iterations);
  bool isStoredTo(int buffer) const;
  /// Memrefs or tensors that a loop carries.
  struct CarriedTensors {
    std::vector<unsigned> positions;  ///< of the iter_args
    std::vector<View> views;          ///< what their names stand for
    std::vector<int> places, holds;   ///< buffers that exchange names, and what each name stands for after a round
    bool isEmpty = false;             ///< nothing happens in a round but that
  };
  Result<CarriedTensors> enterTensors(mlir::LoopLikeOpInterface loop);
  Status yieldTensors(mlir::LoopLikeOpInterface loop, CarriedTensors &tensors, const Entered &entered,
                      std::size_t first);
  Status exchange(mlir::LoopLikeOpInterface loop, CarriedTensors &tensors, std::vector<View> yielded,
                  const Entered &entered, std::size_t first);
  bool isMentioned(int buffer, mlir::LoopLikeOpInterface loop);
  Status finishTensors(mlir::LoopLikeOpInterface loop, const CarriedTensors &tensors, const Entered &entered);

  Diagnostic notAffine(const std::string &what, mlir::Operation &op) const;
  Location placeOf(mlir::Operation &op) const { return place(op.getLoc(), function_.parsed.file); }
  std::string nameOf(mlir::Value value) const;
  Buffer &bufferOf(const View &view) { return function_.graph.buffer(view.buffer); }

  Function function_;
  PoolSink sink_;
  BodyTranslator body_;
  std::vector<int> mapped_;             ///< buffers of the program as those of the graph
  llvm::DenseMap<int, int> buffersOf_;  ///< the other way
  llvm::DenseMap<mlir::Value, View> views_;
  std::vector<std::vector<int> *> held_;    ///< values on their way to where they are stored
  std::vector<Carried> *around_ = nullptr;  ///< scalars that the innermost loop carries
  mlir::Operation *aroundLoop_ = nullptr;
  std::string kernelName_ = "nest";
};

}  // namespace pimento::frontend
