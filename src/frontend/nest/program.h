// A function as statements in loops: what a reader hands to the scheduler. Knows nothing of C or MLIR.
//
// Functions are inlined, local scalars are gone: those that a loop carries have become buffers. Every statement reads
// memory at its own time, in the order of the list.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/frontend/nest/expression.h"
#include "pimento/frontend/nest/forms.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// A loop counts from 0 to extent - 1; one that data bound, from `first` to below `end`, wherever in that.
struct NestLoop {
  std::string name;
  std::int64_t extent = 1;
  bool isSymbol = false;     ///< stands for an unknown value while a loop body is looked at for the first time
  int first = -1, end = -1;  ///< integers of the pool; -1: 0, the extent
  std::int64_t most = -1;    ///< of one that data bound: how far arrays let it go; -1: nothing has said it
  bool isRound = false;      ///< never a loop of one kernel: a loop around kernels
  std::vector<std::array<int, 2>> swaps{};  ///< buffers that exchange their names after every round
  Location where{};

  bool isBounded() const { return first >= 0 || end >= 0; }
};

struct NestBuffer {
  enum class Kind : std::uint8_t {
    kArgument,  ///< a parameter or a variable at file scope: the user's contents
    kLocal,     ///< a local array, nothing in it at first
    kCarried,   ///< a scalar that loops carry, or a value kept for later
    kResult,    ///< what the function returns
  };
  std::string name;
  Kind kind = Kind::kArgument;
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;  ///< a first extent of 0: taken from the accesses
  bool isRestrict = false;
  bool isScalar = false;  ///< a parameter by value: rank 0
  Location where;
  bool isKept = false;  ///< what was read from an element before it changed
};

/// target = value where `predicate` holds and all guards are >= 0, at every point of `loops`.
struct NestStatement {
  int buffer = -1;
  std::vector<kernel::Affine> index;
  DataIndex data;  ///< a value in place of an index
  int value = -1;
  int predicate = -1;
  std::vector<int> loops;
  std::vector<kernel::Affine> guards;
  Location where;
  std::string function;  ///< whose text it is
  /// It happens where the statement before it (the first before it that follows none), a minimum or maximum, takes a
  /// new value; it has no predicate of its own then.
  bool follows = false;
};

struct NestProgram {
  /// `wraps`: whether signed integers do.
  explicit NestProgram(std::string functionName, Location place, bool wraps = false)
      : name(std::move(functionName)),
        where(std::move(place)),
        pool([this](const kernel::Affine &form, DType type) { return fits(form, type); }, wraps) {}
  NestProgram(const NestProgram &) = delete;
  NestProgram &operator=(const NestProgram &) = delete;

  std::string name;
  Location where;
  std::vector<NestLoop> loops;
  std::vector<NestBuffer> buffers;
  std::vector<NestStatement> statements;
  ExpressionPool pool;
  Diagnostics warnings;

  std::vector<std::int64_t> extents() const;
  /// Whether data bound one of these loops.
  bool hasBounded(const std::vector<int> &some) const;
  /// Whether the bounds of a loop read from `buffer`.
  bool isBound(int buffer) const;
  /// Whether all values of `form`, guards ignored, are values of the integer type.
  bool fits(const kernel::Affine &form, DType type) const;
};

/// What a form gives at the points of `loops` where all guards are >= 0, as far as intervals tell; none where there are
/// no such points, or numbers do not fit.
std::optional<FormRange> rangeUnder(const NestProgram &program, const std::vector<int> &loops,
                                    const std::vector<kernel::Affine> &guards, const kernel::Affine &form);

/// Calls `see` for every load in what the statement computes, and in what bounds its loops.
void visitLoads(const NestProgram &program, const NestStatement &s, const std::function<void(int)> &see);

}  // namespace pimento::frontend
