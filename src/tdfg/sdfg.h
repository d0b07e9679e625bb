// Streams (sDFG): the memory accesses of one loop nest as patterns, with what is computed beside them, sizes still
// being names.
//
// The same computation as a kernel::Kernel, whose extents, indices and guards are forms of names: each load is a load
// stream, each store a store, reduce or update stream, the body is their near-stream computation. bindStreams() gives
// the kernel. A stream whose indices do not move with an inner loop is reused there. Infinity Stream, section 3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/tdfg/form.h"

namespace pimento::tdfg {

/// form + sum of factors[d] * (value of dim d); the form is of names, not of the nest's dims.
struct StreamIndex {
  Form form{};
  std::vector<std::int64_t> factors;  ///< one per dim of the nest
  bool operator==(const StreamIndex &) const = default;
};

struct StreamDim {
  std::string name;
  Form extent;
  kernel::DimKind kind = kernel::DimKind::kParallel;  ///< never kCounter: those are names
};

struct StreamAccess {
  int array = -1;
  std::vector<StreamIndex> index;
  int indirectAt = -1, indirectIndex = -1;  ///< as kernel::Access
};

enum class StreamKind : std::uint8_t {
  kLoad,
  kStore,   ///< one element per point
  kReduce,  ///< combines points into one element, which does not move with some dim
  kUpdate,  ///< reads an element, changes it, writes it
};
/// "load", ...
std::string_view name(StreamKind kind);

struct Streams {
  /// A number of the body: a constant that is a form of names (an outer loop's value).
  struct FormValue {
    int value = -1;  ///< body value, a constant of an integer type
    Form form;
  };
  std::vector<StreamDim> dims;
  std::vector<StreamAccess> loads;
  std::vector<StreamIndex> guards;
  std::vector<StreamAccess> targets;  ///< by store
  std::vector<FormValue> forms;
  kernel::Kernel nest;  ///< body, stores and the rest; its extents, indices and guards are no numbers to ask for
};

/// What store number `store` is.
StreamKind kindOfStore(const Streams &streams, std::size_t store);
/// What load number `load` is reused in: dims that its indices do not move with.
std::vector<int> reusedIn(const StreamAccess &access, std::size_t dims);

/// The kernel at these values of names; no counters are left. Nothing: a loop does not run. Indices beyond 64 bits:
/// nothing.
std::optional<kernel::Kernel> bindStreams(const Streams &streams, const Values &values);

}  // namespace pimento::tdfg
