// How one kernel runs on DPUs as a compiled program: its dims cut into shares and tiles, its operands as arrays.
//
// A dim is split over ranks, DPUs and tasklets, contiguously; what a tasklet has of it is cut into tiles, which are
// what is in WRAM at a time. An operand is all accesses to one tensor that differ by constants: the box of elements
// that a DPU's (or a tasklet's) points touch is a dense array in MRAM, and the box of a tile's points is a dense array
// in WRAM. Indices are packed (x[2*i] takes no room for odd elements) and may be permuted, so that the innermost loop
// runs along rows. Not here: text (writer.h), bytes of tensors (layout.h), which mapping is good (space.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/lower/accumulation.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::upmem::compiled {

inline constexpr std::int64_t kUnit = 8, kLargestTransfer = 2048;  ///< bytes

/// A dim of the kernel.
struct Axis {
  std::string name;  ///< in the program
  kernel::DimKind kind = kernel::DimKind::kParallel;
  std::int64_t extent = 1, ranks = 1, dpus = 1, tasklets = 1, range = 1;
  std::int64_t tile = 1;   ///< points of a tile; at most `range`
  bool isOrdered = false;  ///< points run in ascending order
  bool isWhole = false;    ///< may not be tiled

  bool isTiled() const { return tile < range; }
  std::int64_t perDpu() const;
};

/// One dimension of an operand. The tensor's index is origin + step * (sum of coefficient[d] * (value of dim d) +
/// delta).
struct Position {
  int index = 0;  ///< which of the tensor's
  std::int64_t origin = 0, step = 1;
  std::vector<std::int64_t> coefficient;  ///< per dim
  std::int64_t spread = 0;                ///< largest delta
  std::int64_t fixedExtent = 0;           ///< of an indirect index: all of the tensor's

  /// How many elements it spans where dim d has sizes[d] points.
  std::int64_t extent(const std::vector<std::int64_t> &sizes) const;
  bool involves(int dim) const { return coefficient[static_cast<std::size_t>(dim)] != 0; }
};

enum class Use : std::uint8_t {
  kInput,     ///< one array per DPU
  kWrite,     ///< per tasklet; each point writes its element
  kPartial,   ///< per tasklet; partial results from the identity on, merged by the DPU (merging.h) or the host
  kInPlace,   ///< per tasklet; placed, updated in order, read back
  kSelected,  ///< per tasklet; what a selection keeps, without gaps
  kTable,     ///< per tasklet; indirect accumulation, partial results
};

struct Operand {
  Use use = Use::kInput;
  std::string name;  ///< in the program
  int tensor = -1, store = -1;
  DType type = DType::kI32;         ///< of its elements in MRAM and WRAM
  std::vector<Position> positions;  ///< outermost first
  bool isAligned = true;            ///< rows of tiles begin at multiples of 8 bytes
  bool isInMram = false;            ///< a table too large for WRAM
  int level = -1;                   ///< depth of the tile loop inside which it is moved; -1: before all
  std::size_t block = 0;            ///< positions from here on are one piece of memory
  bool hasCarry = false;            ///< prefix sums: the host adds what came before

  std::vector<std::int64_t> mramPitch, wramPitch;  ///< bytes per step of a position; the last is the element's size
  std::int64_t offset = 0;                         ///< in MRAM, from the first free byte
  std::int64_t bytes = 0;                          ///< of the array; of one tasklet's where there is one for each
  std::int64_t wramOffset = 0, wramBytes = 0;      ///< in a tasklet's WRAM

  /// Partial results: tasklets that share an element. Where the DPU merges them, arrays are numbered member by member,
  /// and those of the first members are results.
  std::int64_t members = 1;
  bool isMerged = false;
  std::int64_t slice = 0;                           ///< bytes that a tasklet merges at a time
  std::int64_t cyclesOfMerge = 0, cyclesSaved = 0;  ///< estimated: of the DPU, and of the host without it

  bool isShared() const { return use == Use::kInput; }
  /// Does the host write it before a launch?
  bool isPlaced() const { return use == Use::kInput || use == Use::kInPlace; }
  bool involves(int dim) const;
  std::int64_t size() const { return sizeOf(type).value; }
};

/// An access: an operand, and per position which delta.
struct Reference {
  int operand = -1;
  std::vector<std::int64_t> delta;
};

struct Scheme {
  const kernel::Graph *graph = nullptr;
  int number = 0;  ///< of the kernel in the graph
  std::vector<Axis> axes;
  std::vector<int> nest;  ///< dims of more than one point, outermost loop first
  std::vector<Operand> operands;
  std::vector<Reference> loads, stores;  ///< as the kernel's
  std::int64_t ranks = 1, dpus = 1, tasklets = 1;
  bool isScan = false;          ///< a prefix sum whose dim is split: two passes
  std::int64_t mramBytes = 0;   ///< of all arrays of a DPU
  std::int64_t wramBytes = 0;   ///< per tasklet
  std::int64_t stackBytes = 0;  ///< per tasklet
  bool mergesInWram = false;    ///< partial results stay there until they are merged

  const kernel::Kernel &kernel() const { return graph->kernels[static_cast<std::size_t>(number)]; }
  const Axis &axis(int d) const { return axes[static_cast<std::size_t>(d)]; }
  int inner() const { return nest.empty() ? -1 : nest.back(); }
  /// First value of each dim in DPU number `dpu`.
  std::vector<std::int64_t> baseOf(std::int64_t dpu) const;
  /// First value of each dim in tasklet `tasklet`, from the DPU's first.
  std::vector<std::int64_t> lowOf(std::int64_t tasklet) const;
  /// Arrays of an operand in a DPU, and those of them that hold results.
  std::int64_t arraysOf(const Operand &o) const { return o.isShared() ? 1 : tasklets; }
  std::int64_t resultsOf(const Operand &o) const {
    return o.isShared() ? 0 : o.isMerged ? tasklets / o.members : tasklets;
  }
  /// Which of the results has what this tasklet found; nothing where another member of its group has it.
  std::optional<std::int64_t> resultOf(const Operand &o, std::int64_t tasklet) const;
  bool merges() const;
  const kernel::Tensor &tensorOf(const Operand &o) const { return graph->tensors[static_cast<std::size_t>(o.tensor)]; }
  const kernel::Store &storeOf(const Operand &o) const { return kernel().stores[static_cast<std::size_t>(o.store)]; }
  /// Conditions (>= 0) under which an array of results has an element of the tensor.
  std::vector<kernel::Affine> guardsOf(const Operand &o) const;
  /// Is it what a split prefix sum hands on?
  bool isCarry(const Operand &o) const { return isScan && o.use == Use::kPartial; }
  const Operand &carry() const;
  /// How many values of each dim are the kernel's, not padding.
  std::vector<std::int64_t> validOf(std::int64_t dpu) const;
  std::vector<std::int64_t> sizesPerDpu() const, sizesPerTasklet() const, sizesPerTile() const;
  /// Do all DPUs need the same of it?
  bool isSameForAll(const Operand &o) const;
};

/// Who merges the partial results that tasklets share, and why: a sentence for each operand that has some.
std::vector<std::string> notesOnMerging(const Scheme &scheme);

/// Does a store accumulate onto what is there already?
bool hasInitial(const Scheme &scheme, const kernel::Store &store);

/// Bytes that a program takes of WRAM besides stacks and buffers.
inline constexpr std::int64_t kReservedWram = 1024;

/// Diagnostics: unsupported-form, unsupported-type, unsupported-pattern, illegal-mapping, capacity (WRAM, MRAM).
Result<Scheme> makeScheme(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                          const machine::Machine &machine);

}  // namespace pimento::targets::upmem::compiled
