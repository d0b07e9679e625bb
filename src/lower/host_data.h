// The host's part of a lowered kernel: what it does with the bytes of tensors.
//
// Operands are gathered box by box into dense arrays, results scattered element by element; partial results merge in
// the mapping's order (kernel/order.h): those of a unit, units of the level around them, and so on outwards, then onto
// what is there. Arithmetic as the interpreter's. Elements beyond a tensor, which only points that do not run touch,
// are neither read nor written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/lanes.h"
#include "pimento/lower/operand.h"

namespace pimento::lower {

/// Elements in a row, of a tensor and of an array.
struct Row {
  std::int64_t element = 0, stride = 1;  ///< of the first, and from one to the next
  std::int64_t byte = 0;                 ///< of the first; its neighbours follow
  std::int64_t count = 1;
};
/// The rows that points from `first` on, `sizes` of each dim, touch of an operand whose box of them lies at `place`.
void forEachRow(const Operand &o, const TensorPlace &place, const PerDim &first, const PerDim &sizes,
                const std::function<void(const Row &)> &visit);

/// Copies them into the array at `to`; what lies beyond the tensor stays as it is.
void gather(const Operand &o, const PerDim &first, const PerDim &sizes, const kernel::TensorData &tensor,
            std::byte *to);

/// Sets results that no one has given to where their accumulation starts.
void startAccumulations(const kernel::Graph &graph, int kernel, kernel::DataSet &data);

/// Partial results of one store by element of its tensor, as far as there are any.
class PartialSums {
 public:
  /// A partial result; of a minimum or maximum with its index also where what follows it is kept (the caller's number).
  struct Part {
    kernel::Scalar x;
    std::int64_t tag = -1;
  };

  /// `instances`: per level of units, outermost first, how many share an instance of the one around it. `isCompared`:
  /// of parts the least or greatest by comparison, the first of equals, as Store::follows says.
  PartialSums(kernel::Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances,
              bool isCompared = false);

  /// A part of the unit that is next, in the order of parts.
  void add(std::int64_t element, Part part) { merge(levels_.back(), element, part); }
  /// The unit is complete, and with it perhaps the instances around it.
  void closeUnit();
  /// After the last unit: into the tensor, onto what is there if that is an initial value. Where parts are compared,
  /// what is there counts as the first, and `taken` gets the tags of those that are less (greater).
  void finish(kernel::TensorData &tensor, bool hasInitial, const std::function<void(std::int64_t tag)> &taken = {});

 private:
  struct Level {
    std::vector<Part> parts;
    std::vector<bool> isThere;
    std::vector<std::int64_t> touched;
  };
  void merge(Level &into, std::int64_t element, Part part) const;
  bool isBetter(kernel::Scalar x, kernel::Scalar held) const;

  kernel::Combine combine_;
  DType type_;
  std::vector<std::int64_t> instances_;
  std::vector<Level> levels_;  ///< [0]: of all, [n]: of an instance of level n - 1
  std::int64_t units_ = 0;     ///< that are complete
  bool isCompared_;
};

/// Puts the results of all units together, unit after unit, onto what `data` holds, which the caller has made.
/// Functions take an operand and the bytes of all its arrays in the unit.
class Collector {
 public:
  /// All must outlive it. `carry`: what a split prefix sum hands on, if there is one.
  Collector(const Scheme &scheme, kernel::DataSet &data, const Operand *carry = nullptr);

  /// Results of points, or partial ones.
  void add(const Operand &o, const std::byte *arrays) { o.isPartial() ? addPartial(o, arrays) : addWritten(o, arrays); }
  /// Partial minima or maxima with what follows them: operands of the same elements in the same order.
  struct Arrays {
    const Operand *operand = nullptr;
    const std::byte *bytes = nullptr;
  };
  void addExtremes(const Operand &o, const std::byte *arrays, const std::vector<Arrays> &followers);
  /// What an array keeps of a selection, the next in order.
  void addSelected(const Operand &o, const std::byte *array, std::int64_t count) { addSelected(o, {}, array, count); }
  /// ... of one list of a selection with a list per row. What exceeds the kernel's limit is left out.
  struct List {
    std::int64_t element = 0;  ///< the list's first, of the operand's tensor
    std::int64_t count = -1;   ///< element of the tensor of counts, which what is kept is added to; -1: none
  };
  void addSelected(const Operand &o, const List &list, const std::byte *array, std::int64_t count);
  /// What comes before later units, once what this one wrote has been added.
  void carry(kernel::Scalar total);
  /// The unit is complete.
  void closeUnit();
  /// After the last one.
  void finish();

  std::int64_t unit() const { return unit_; }
  /// Values that a selection of one list has kept so far.
  std::int64_t selected() const { return selected_.contains(0) ? selected_.at(0) : 0; }
  /// What is merged into an operand's tensor.
  PartialSums &sumsOf(const Operand &o);

 private:
  /// Where in the arrays, which element of the tensor, and whether the thread has no work.
  using Visit = std::function<void(std::int64_t byte, std::int64_t element, bool isIdle)>;
  void forEach(const Operand &o, const Visit &visit) const;
  void addWritten(const Operand &o, const std::byte *arrays);
  void addPartial(const Operand &o, const std::byte *arrays);
  kernel::TensorData &tensorOf(const Operand &o) { return data_[static_cast<std::size_t>(o.tensor)]; }

  const Scheme &scheme_;
  kernel::DataSet &data_;
  std::int64_t unit_ = 0;
  std::map<std::int64_t, std::int64_t> selected_;  ///< by the list's first element
  std::map<int, PartialSums> sums_;                ///< by store
  /// What follows a part of a minimum or maximum; those of one part stand side by side.
  struct Follower {
    std::int64_t element = 0;
    kernel::Scalar x;
  };
  std::vector<Follower> followers_;
  const Operand *carry_;
  std::optional<kernel::Scalar> carried_;  ///< of all units so far
};

}  // namespace pimento::lower
