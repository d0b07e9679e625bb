// Which loops of a nest become dims of the lattice, and which stay loops around the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// A loop of the nest on the lattice: value d of the loop lies at coordinate stride * d + offset.
struct LatticeDim {
  int loop = -1;  ///< of the streams; -1: none, all cells are at coordinate `offset`
  std::int64_t stride = 1;
  Form offset{};
  Range range{};  ///< coordinates of all points
};

struct Lattice {
  std::vector<LatticeDim> dims;  ///< dim 0 first
  std::vector<int> dimOf;        ///< by loop of the nest: lattice dim, or -1: a round
  std::vector<Round> rounds;     ///< in the order of the nest
  std::vector<int> roundName;    ///< by loop: name of its round, or -1
};

/// The lattice of a nest; names of rounds are added to the program. A reason where there is none.
struct LatticeChoice {
  std::optional<Lattice> lattice;
  std::string reason;
};
LatticeChoice chooseLattice(Program &program, const Streams &streams);

/// Loads that something stored hangs on, numbers of `streams.loads`, the last ones of the body first.
std::vector<int> liveLoads(const Streams &streams);

/// An index with rounds for the loops that are rounds: what is left are loops on the lattice.
StreamIndex withRounds(const StreamIndex &index, const Lattice &lattice);

/// Whether the array of an access lies along the lattice: each index moves with the loop of its lattice dim alone, by
/// that dim's stride, or with none.
bool isAligned(const StreamAccess &access, const Lattice &lattice);

}  // namespace pimento::tdfg
