// From statements to kernels, step by step: `tidy`, `schedule`, `emitKernels`. Knows nothing of C or MLIR.
#pragma once

#include <vector>

#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/nest/forms.h"
#include "pimento/frontend/nest/program.h"
#include "pimento/kernel/dependence.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// Drops statements that nothing reads, lets carried scalars live in the array that takes their result, and shortens
/// loops of which only the last iteration counts; says which statements follow a minimum or maximum.
void tidy(NestProgram &program);

/// Statements that run as one kernel.
using NestGroup = std::vector<NestStatement>;

/// Kernels in the order they run, and the loops around them.
struct NestSchedule {
  struct Around {
    int loop = -1;
    std::size_t first = 0, end = 0;  ///< groups
  };
  std::vector<NestGroup> groups;
  std::vector<std::size_t> counters;  ///< by group: how many of its loops, from the outside, are around it
  std::vector<Around> loops;          ///< outer ones first
};

/// One statement is one kernel (loop distribution) wherever no statement needs what a later one does in an earlier
/// iteration; where one does, they become one kernel, or a loop goes around their kernels (Allen and Kennedy,
/// Optimizing Compilers for Modern Architectures, 2002, section 2.4: a loop that carries dependences runs in order,
/// those inside it are looked at again). So does a loop that alone keeps the loops of a statement from being parallel.
NestSchedule schedule(NestProgram &program);

/// `buffers`: by buffer of the program that of the graph; those that it lacks are made.
void addMissingBuffers(const NestProgram &program, GraphBuilder &graph, std::vector<int> &buffers);
/// Adds the kernels, after addMissingBuffers(). Diagnostics:
/// uninitialized, missing-size, unsupported-access, loop-dependence.
Status emitKernels(NestProgram &program, const NestSchedule &schedule, GraphBuilder &graph, std::vector<int> &buffers);

/// The element a statement stores to; of an index from data only what stands before it.
NestAccess targetOf(const NestStatement &s);
/// Everything it reads.
std::vector<NestAccess> readsOf(const NestProgram &program, const NestStatement &s);
/// Outer loops that both have.
std::vector<int> commonLoops(const std::vector<int> &a, const std::vector<int> &b);
/// Where an access of `a` and one of `b` touch the same element; shared are their common loops.
kernel::Meeting meeting(const NestProgram &program, const NestStatement &a, const NestAccess &first,
                        const NestStatement &b, const NestAccess &second);
/// Kinds of a statement's loops, of which the first `counters` are around its kernel: parallel ones tell the elements
/// apart and meet no other iteration; others accumulate, or run in order.
std::vector<kernel::DimKind> kindsOf(NestProgram &program, const NestStatement &s, std::size_t counters);
/// The same for statements of equal loops that run as one kernel: a loop is parallel if no element is touched in two of
/// its iterations and written in one.
std::vector<kernel::DimKind> jointKindsOf(const NestProgram &program, const NestGroup &group, std::size_t counters);
/// A form by the positions of `loops`.
kernel::Affine project(const kernel::Affine &form, const std::vector<int> &loops);
std::vector<kernel::Affine> project(const std::vector<kernel::Affine> &forms, const std::vector<int> &loops);
}  // namespace pimento::frontend
