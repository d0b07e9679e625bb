// Ranks of an MPI job. MPI is in a module, PimentoMpi.so, which is loaded where mpirun or srun has started this
// process: without them, the tool needs no MPI and its start costs nothing (docs/decisions/0061-ranks.md).
#pragma once

#include <memory>

#include "pimento/cluster/ranks.h"

namespace pimento::cluster {

/// Whether MPI's launcher has started this process as one of several.
bool isLaunched();
/// Processors of this machine for each rank on it; 0: nobody has launched ranks.
int processorsOfRank();
/// This process's rank. Diagnostic: mpi-missing (a build without MPI, its libraries are not there, or it does not
/// start).
Result<std::unique_ptr<Ranks>> launchedRanks();

}  // namespace pimento::cluster
