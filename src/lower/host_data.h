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
  /// `instances`: per level of units, outermost first, how many share an instance of the one around it.
  PartialSums(kernel::Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances);

  /// A part of the unit that is next, in the order of parts.
  void add(std::int64_t element, kernel::Scalar x) { merge(levels_.back(), element, x); }
  /// The unit is complete, and with it perhaps the instances around it.
  void closeUnit();
  /// After the last unit: into the tensor, onto what is there if that is an initial value.
  void finish(kernel::TensorData &tensor, bool hasInitial);

 private:
  struct Level {
    std::vector<kernel::Scalar> values;
    std::vector<bool> isThere;
    std::vector<std::int64_t> touched;
  };
  void merge(Level &into, std::int64_t element, kernel::Scalar x) const;

  kernel::Combine combine_;
  DType type_;
  std::vector<std::int64_t> instances_;
  std::vector<Level> levels_;  ///< [0]: of all, [n]: of an instance of level n - 1
  std::int64_t units_ = 0;     ///< that are complete
};

/// Puts the results of all units together, unit after unit, onto what `data` holds, which the caller has made.
/// Functions take an operand and the bytes of all its arrays in the unit.
class Collector {
 public:
  /// All must outlive it. `carry`: what a split prefix sum hands on, if there is one.
  Collector(const Scheme &scheme, kernel::DataSet &data, const Operand *carry = nullptr);

  /// Results of points, or partial ones.
  void add(const Operand &o, const std::byte *arrays) { o.isPartial() ? addPartial(o, arrays) : addWritten(o, arrays); }
  /// What an array keeps of a selection, the next in order.
  void addSelected(const Operand &o, const std::byte *array, std::int64_t count);
  /// What comes before later units, once what this one wrote has been added.
  void carry(kernel::Scalar total);
  /// The unit is complete.
  void closeUnit();
  /// After the last one.
  void finish();

  std::int64_t unit() const { return unit_; }
  /// Values that a selection has kept so far.
  std::int64_t selected() const { return selected_; }
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
  std::int64_t unit_ = 0, selected_ = 0;
  std::map<int, PartialSums> sums_;  ///< by store
  const Operand *carry_;
  std::optional<kernel::Scalar> carried_;  ///< of all units so far
};

}  // namespace pimento::lower
