// How the work is spread: each dimension of a kernel split at each level of a machine.
//
// CoMoNM's mapping vector (section IV-C): for N dims and K levels, K + 1 tuples of N factors, outermost level first;
// the last tuple is the range one innermost unit iterates over. The product of a column is the padded extent.
// Several subspaces tile the iteration space; they are allocated in the order written, each at the first uncovered
// point with the first dimension running fastest, and executed in the order of their M-indices.
//
//   'M1:{(2,9),(64,1),(2,4),(2,32)}'
//   'M1:{(64,1),(8,1),(1,16),(8,256)};cyclic(channel,64);cyclic(block,8);cyclic(lane,1);order(m,n);tail=pad'
//
// A level distributes a dim contiguously, or cyclically in chunks, or as by(...) says, a draft's representative: units
// then have stretches of a tensor dimension, and of the dim the values that go there (Borders). Not here: addresses,
// commands (see `lower`), who merges how much (dependence.h), what a unit must hold (lower/operand.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/order.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping_function.h"

namespace pimento::mapping {

enum class Tail : std::uint8_t {
  kPad,       ///< the last tile is filled up with neutral elements
  kTruncate,  ///< what does not fill a tile is left uncomputed (to compare cycles only)
};

/// One subspace: `factors[level][dim]`, levels.size() + 1 rows, the last one the range per innermost unit.
struct Subspace {
  int index = 1;  ///< the 1 of "M1"
  std::vector<std::vector<std::int64_t>> factors;
  Location where = {};                   ///< of "M1" in the text; empty if made by code
  std::vector<Location> rowsWhere = {};  ///< of each tuple in the text; empty if made by code

  /// Padded extent along `dim`: the product over all rows (the largest 64-bit number where that overflows).
  std::int64_t extent(int dim) const;
  /// Part of it that one instance of level `level` holds: the product over the rows inside; level -1: all of it.
  std::int64_t extentInside(int level, int dim) const;
  std::int64_t range(int dim) const { return factors.back()[static_cast<std::size_t>(dim)]; }
};

/// Who puts partial results of a device's innermost units together, on targets that leave a choice.
enum class MergeAt : std::uint8_t { kCheapest, kDevice, kHost };

/// Which program a mapping means, on targets that have several for one kernel.
enum class ProgramKind : std::uint8_t {
  kAny,        ///< the one that the target takes where nothing is said
  kReference,  ///< that of the published measurements, or of the vendor's simulator
  kCompiled,   ///< what a compiler makes of the kernel
  // Command streams of published cycle models, which compute nothing.
  kPublished,           ///< those of the published study
  kPublishedEvaluated,  ///< as it evaluated them, where that is another version
  kAttaccOwn,           ///< that of AttAcc's simulator
};
/// "any" "reference" "compiled" "published" "published-evaluated" "attacc-own".
std::string_view name(ProgramKind kind);
/// The words that `program=` takes, and what they mean.
const std::vector<std::pair<std::string_view, ProgramKind>> &programKinds();

/// Where a published stream takes its operands from.
enum class StreamMode : std::uint8_t {
  kAny,        ///< kernel
  kKernel,     ///< from the memory of the GPU around the device: a kernel by itself
  kInference,  ///< from its shared memory: a step of a model's inference
};

/// Which commands of a published stream are taken; barriers always are.
enum class StreamPart : std::uint8_t {
  kWhole,
  kCompute,   ///< those of the units and their buffers
  kMovement,  ///< reads and writes of the host
};

/// `by(DIM: TENSOR[AXIS]=a*DIM+c)`: the borders of a dim's tiles lie in a dimension of a tensor, of size N, that the
/// dim walks by this function (the representative mapping of a draft: DCC, section 4.2). Of the T units that share the
/// dim, the outermost level slowest, number t has the values v with t S <= a v + c < (t + 1) S, where S = N / T rounded
/// up: tiles may differ in length and be empty. Threads and lanes of a unit share its tile as they share any.
struct Borders {
  std::string tensor;
  int axis = 0;
  MappingFunction function;
  Location tensorWhere = {}, axisWhere = {}, functionWhere = {};  ///< in the text; empty if made by code

  /// Locations aside.
  bool operator==(const Borders &b) const { return tensor == b.tensor && axis == b.axis && function == b.function; }
};

/// A parsed mapping of one kernel. Plain data; check() says whether it is legal somewhere.
struct Mapping {
  std::string text;                            ///< a name for reports: "reference", or the full spec; says nothing
  std::vector<Subspace> subspaces;             ///< as written (allocation order)
  std::map<std::string, std::int64_t> cyclic;  ///< level name -> chunk, in elements of the dims split there
  std::map<std::string, Borders> by;           ///< dim name -> where the borders of its tiles lie
  std::vector<std::string> order;              ///< dim names, outermost first; empty = row-major
  /// Those of parameterNames(); targets say which they take.
  std::map<std::string, std::int64_t> parameters;
  Tail tail = Tail::kPad;
  MergeAt mergeAt = MergeAt::kCheapest;
  ProgramKind program = ProgramKind::kAny;
  StreamMode mode = StreamMode::kAny;
  StreamPart part = StreamPart::kWhole;
  std::map<std::string, Location> where;  ///< of extensions in the text: "order", "cyclic(LEVEL)", "by(DIM)", ...
};

/// What the notation takes at most; more is a diagnostic, so that no text costs much.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;  ///< of a factor, and of the product of a column
inline constexpr std::size_t kMaxTextLength = 65536, kMaxSubspaces = 1024, kMaxRows = 16, kMaxDims = 16;

/// Names that `NAME=NUMBER` extensions may have.
const std::vector<std::string> &parameterNames();

/// What `--map` may say: a keyword to be resolved per target, `host` (the kernel stays there), or a full mapping.
struct MapSpec {
  enum class Kind : std::uint8_t { kReference, kAuto, kHost, kExplicit } kind = Kind::kReference;
  Mapping mapping;  ///< kExplicit: all of it; otherwise only the extensions (tail, parameters, order, cyclic)
};

/// "reference", "auto" or "host"; kExplicit is our bug.
std::string_view keyword(MapSpec::Kind kind);

/// Parses the text of `--map`. Locations are lines and columns (bytes) in `text`; `file` names it ("<map>").
/// Diagnostics: map-empty, map-too-large, map-character, map-syntax, map-number, map-unknown-keyword, map-ragged,
/// map-duplicate, map-unknown-extension, map-unknown-value, map-by (without a mapping written out); the first one
/// found.
Result<MapSpec> parseMapSpec(std::string_view text, std::string_view file = "<map>");

/// Canonical text; parseMapSpec(print(m)) gives m back (locations and `text` aside). The mapping has subspaces: a
/// resolved `reference` prints as the full spec it stands for.
std::string print(const Mapping &mapping);
/// Same for a spec: the keyword with its extensions, or the mapping.
std::string print(const MapSpec &spec);

/// Where subspace number `subspace` (in written order) lies: lower corner and size clipped to the kernel's extents.
struct Box {
  std::vector<std::int64_t> lower, size;
};

/// A mapping that fits a kernel and a machine: factors complete, boxes placed.
struct PlacedMapping {
  Mapping mapping;
  std::vector<Box> boxes;           ///< one per subspace, written order
  std::vector<int> executionOrder;  ///< subspace numbers by ascending M-index
  /// By dim: of one with by(...), the values of each unit that shares it, which follow one another or, where the
  /// function falls, come before one another; of others nothing.
  std::vector<std::vector<Stretch>> tiles = {};
};

/// Checks shape and legality: one row per level plus range, one factor per dim, counts within the machine's levels,
/// lock-step levels full, sequential dims not split (but a prefix sum where the level merges: isPrefixSum in
/// dependence.h), reduction dims split only where the level merges, subspaces that tile the space exactly (padding at
/// the upper edges only), known level and dim names. Diagnostics say by how much.
/// A subspace may split a reduction dim against another one: their partial results are merged by the host. With
/// Tail::kTruncate the subspaces may leave the upper part of the space uncovered.
/// Diagnostics: mapping-no-subspace, mapping-levels, mapping-dims, mapping-factor, mapping-too-large,
/// mapping-duplicate-index, mapping-count, mapping-not-full, mapping-sequential-split, mapping-reduction-split,
/// mapping-unknown-level, mapping-cyclic-chunk, mapping-unknown-dim, mapping-order, mapping-overlap,
/// mapping-unused-subspace, mapping-incomplete, mapping-too-irregular; all that are found. Of by(...):
/// mapping-unknown-dim, mapping-unknown-tensor, mapping-unknown-axis, mapping-unknown-function (no reference of the
/// kernel walks that dimension so), mapping-by (not with several subspaces, tail=truncate, a dim dealt to units
/// cyclically, or one that is not tiled), mapping-uncovered (values that go to no element), mapping-tile (the range
/// does not hold the longest tile).
Result<PlacedMapping> place(const Mapping &mapping, const kernel::Graph &graph, int kernel,
                            const machine::Machine &machine);
/// For programs whose units have shares of one size: by(...) is `unsupported-mapping`.
Result<PlacedMapping> place(const Mapping &mapping, const kernel::Kernel &kernel, const machine::Machine &machine);

/// How many elements of `dim` stay together at level `level`: the chunk of cyclic(level, chunk), or all that one
/// instance holds where the level distributes contiguously.
std::int64_t chunkAt(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                     int level, int dim);

/// Where coordinate `x` (relative to the subspace's lower corner) of `dim` lands at each level, and its position in
/// the range of the innermost unit. The inverse is globalIndex. Hierarchical from the outermost level: with factor F
/// and chunk c = chunkAt(), instance = (x / c) % F, and the level inside sees x' = (x / (c F)) c + x % c.
struct DimPosition {
  std::vector<std::int64_t> instance;  ///< per level, 0 .. factor-1
  std::int64_t local = 0;              ///< 0 .. range-1
};
DimPosition locate(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels, int dim,
                   std::int64_t x);
std::int64_t globalIndex(const Mapping &mapping, const Subspace &subspace, const std::vector<machine::Level> &levels,
                         int dim, const DimPosition &position);
/// Of a placed mapping, which may have by(...): levels of units count through the tiles, those inside share one.
DimPosition locate(const PlacedMapping &placed, int subspace, const std::vector<machine::Level> &levels, int dim,
                   std::int64_t x);
std::int64_t globalIndex(const PlacedMapping &placed, int subspace, const std::vector<machine::Level> &levels, int dim,
                         const DimPosition &position);

/// How a device accumulates inside one innermost unit, and who merges what: what a target's rules add to a mapping so
/// that an accumulation order follows. See lower/*/ for who fills it in for the program; reports never do.
struct AccumulationRules {
  DType unitType = DType::kF16;   ///< type of an innermost unit's accumulator
  DType mergeType = DType::kF32;  ///< type in which partial results are merged
  /// Chunks of `tile` consecutive local reduction positions are visited in two passes: even-numbered tiles ascending,
  /// then odd-numbered ones (HBM-PIM: even and odd bank). 0 = plain ascending.
  std::int64_t evenOddTile = 0;
  /// A partial result is stored after every `spill` local positions (in the order visited) and the pieces are merged
  /// as a balanced binary tree per unit (HBM-PIM's tree variant): neighbours pairwise, then pairs of pairs; a piece
  /// without a partner moves up as it is. 0 = never.
  std::int64_t spill = 0;
  /// Every `tree` consecutive local positions are added up as a balanced binary tree, padding as 0, and the sums are
  /// accumulated one after the other, from 0 on (adder trees of near-bank units). 0 = position by position. Not with
  /// the two above.
  std::int64_t tree = 0;
  /// Type to which what a unit has accumulated is rounded before it is merged.
  std::optional<DType> movedType = std::nullopt;
  /// So many consecutive instances of the innermost level are added up in `unitType` before that (units that a node of
  /// the device merges); they divide the level's instances that share an output.
  std::int64_t merged = 1;
};

/// Reads the accumulation order of `kernel` off a placed mapping. Per output element: one leaf per innermost unit
/// (per spilled piece), in unitType; leaves merge from the innermost level outwards in mergeType, instances ascending
/// (spilled pieces of a unit first, as a tree), subspaces that share the output last, in execution order.
/// Kernels without reduction dims get an empty order.
/// A unit visits its range with the reduction dims nested as `order(...)` says (default: dim order); where a level
/// splits several of them, its instances count row-major in dim order. Padding is left out; a unit that holds nothing
/// else stays as an empty leaf, which merges as the identity (trailing empty pieces of a spilling unit are dropped:
/// the tree above has the same value). Outputs that no subspace covers (Tail::kTruncate) get a leaf without terms.
/// Cost: the number of Terms, which are closed forms: one per unit, tile and row wherever the layout is regular.
kernel::Order accumulationOrder(const PlacedMapping &placed, const kernel::Kernel &kernel,
                                const machine::Machine &machine, const AccumulationRules &rules);

/// Lowers the factors of a subspace whose ranges were rounded up until no instance is without work, the innermost level
/// first; levels that must be full stay as they are.
void dropIdleInstances(Subspace &subspace, const kernel::Kernel &kernel, const std::vector<machine::Level> &levels);

/// All legal single-subspace mappings of `kernel` on `machine` whose padding stays below one tile per dim, in a fixed
/// order, one at a time: nothing is listed in memory. Per level, every tuple of factors whose product is at most the
/// level's count (exactly the count where the level must be full), outermost level slowest; the range is what is left,
/// rounded up. Contiguous and, where `chunks` names some for a level, cyclic variants (the range then rounds up until
/// the chunks divide). A tile is the range times the factors of the levels that must be full; mappings that leave an
/// instance of any other level without work are skipped, since a smaller factor does the same.
/// `kernel` and `machine` must outlive the space.
class MappingSpace {
 public:
  using Chunks = std::map<std::string, std::vector<std::int64_t>>;  ///< level name -> chunks to try, each >= 1

  MappingSpace(const kernel::Kernel &kernel, const machine::Machine &machine, const Chunks &chunks = {});
  MappingSpace(const kernel::Kernel &kernel, machine::Machine &&machine, const Chunks &chunks = {}) = delete;
  MappingSpace(kernel::Kernel &&kernel, const machine::Machine &machine, const Chunks &chunks = {}) = delete;
  /// The next mapping, or nothing when all were given.
  std::optional<Mapping> next();
  /// Starts again.
  void reset();

 private:
  bool firstTuple(std::size_t level);
  bool nextTuple(std::size_t level);
  bool nextChunks();
  bool advance();
  std::int64_t rangeOf(std::size_t d) const;
  bool padsLessThanATile(const Subspace &subspace, std::size_t d) const;
  bool current(Mapping &out) const;

  const kernel::Kernel *kernel_;
  const machine::Machine *machine_;
  std::vector<std::vector<std::int64_t>> limits_;  ///< per level and dim: the largest factor
  std::vector<std::vector<std::int64_t>> chunks_;  ///< per level: 0 (contiguous), then the chunks to try
  std::vector<std::vector<std::int64_t>> tuples_;  ///< per level: the current factors
  std::vector<std::size_t> chunkCounter_;          ///< per level: index into chunks_
  bool isStarted_ = false, isDone_ = false;
};

}  // namespace pimento::mapping
