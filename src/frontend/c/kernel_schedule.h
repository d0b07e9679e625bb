// From statements to kernels, step by step: `shape`, `tidy`, `schedule`, `emit`. Knows nothing of Clang.
#pragma once

#include <vector>

#include "pimento/frontend/c/kernel_program.h"
#include "pimento/frontend/nest.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// Finds the extents of pointers from what is accessed, with rows where all accesses agree on them (A[i * n + k]), and
/// checks that data-dependent indices have an extent. Warns of pointers that might overlap.
Status shapeBuffers(CProgram &program);

/// Drops statements that nothing reads, lets carried scalars live in the array that takes their result, and shortens
/// loops of which only the last iteration counts.
void tidy(CProgram &program);

/// Statements that run as one kernel.
using CGroup = std::vector<CStatement>;

/// One statement is one kernel (loop distribution) wherever no statement needs what a later one does in an earlier
/// iteration; where one does, they become one kernel, or the loop around them is unrolled.
Result<std::vector<CGroup>> schedule(CProgram &program);

/// The kernels on tensors.
Result<kernel::Graph> emitGraph(CProgram &program, const std::vector<CGroup> &groups);

/// The element a statement stores to; of an index from data only what stands before it.
NestAccess targetOf(const CStatement &s);
/// Everything it reads.
std::vector<NestAccess> readsOf(const CProgram &program, const CStatement &s);
/// Outer loops that both have.
std::vector<int> commonLoops(const std::vector<int> &a, const std::vector<int> &b);
/// out[count] = x; count += 1, both under one condition.
bool isSelection(CProgram &program, const CGroup &group);

}  // namespace pimento::frontend
