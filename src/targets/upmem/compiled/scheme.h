// How one kernel runs on DPUs as a compiled program: a scheme (lower/operand.h) with tiles, and what merges.
//
// A dim is split over ranks, DPUs and tasklets, contiguously; what a tasklet has of it is cut into tiles, which are
// what is in WRAM at a time. The box of elements that a DPU's (inputs) or a tasklet's (results) points touch is a dense
// array in MRAM, and the box of a tile's points one in WRAM. Indices are packed and may be permuted, so that the
// innermost loop runs along rows. Not here: text (writer.h), bytes of tensors (layout.h), which mapping is good
// (space.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/lower/accumulation.h"
#include "pimento/lower/operand.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::upmem::compiled {

using lower::Axis;
using lower::Position;
using lower::Reference;
using lower::Use;

inline constexpr std::int64_t kUnit = 8, kLargestTransfer = 2048;  ///< bytes

/// `home` is in MRAM, from the first free byte; `near` in a tasklet's WRAM.
struct Operand : lower::Operand {
  std::string name;       ///< in the program
  bool isAligned = true;  ///< rows of tiles begin at multiples of 8 bytes
  bool isInMram = false;  ///< element by element: a table too large for WRAM, what is read or updated anywhere
  /// Bytes that come with an element that is read from MRAM, and stay until another is not among them: rows are read
  /// one after the other.
  std::int64_t line = kUnit;
  std::size_t block = 0;  ///< positions from here on are one piece of memory
  /// Partial results: tasklets that share an element. Where the DPU merges them, arrays are numbered member by member,
  /// and those of the first members are results.
  std::int64_t members = 1;
  std::int64_t slice = 0;                           ///< bytes that a tasklet merges at a time
  std::int64_t cyclesOfMerge = 0, cyclesSaved = 0;  ///< estimated: of the DPU, and of the host without it
};

/// Units are DPUs, threads tasklets. The nest has the dims of more than one point.
struct Scheme : lower::Scheme {
  using lower::Scheme::Scheme;

  std::vector<Operand> operands;
  bool isScan = false;          ///< a prefix sum whose dim is split: two passes
  bool isRowwise = false;       ///< a selection with a list per row, or a limit: each list has its length before it
  std::int64_t mramBytes = 0;   ///< of all arrays of a DPU
  std::int64_t wramBytes = 0;   ///< per tasklet
  std::int64_t stackBytes = 0;  ///< per tasklet
  bool mergesInWram = false;    ///< partial results stay there until they are merged

  int inner() const { return nest.empty() ? -1 : nest.back(); }
  /// Do data say which points of the dim run?
  bool isBounded(int dim) const { return kernel().boundsOf(dim) != nullptr; }
  bool merges() const;
  /// How much each tasklet keeps of a selection lies behind all arrays.
  bool hasLengthsApart() const { return kernel().form == kernel::Form::kSelect && !isRowwise; }
  /// Is it what a split prefix sum hands on?
  bool isCarry(const Operand &o) const { return isScan && o.use == Use::kPartial; }
  const Operand &carry() const;
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
