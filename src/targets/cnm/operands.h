// Which accesses of a kernel share an array, where it lies, and what that leaves of a mapping's freedom. Internal to
// targets/cnm.
#pragma once

#include "pimento/kernel/box.h"
#include "pimento/targets/cnm/plan.h"

namespace pimento::targets::cnm {

/// Why a kernel does not run on a machine: an error of kind kUnsupported.
Diagnostic refuse(std::string code, const kernel::Kernel &kernel, const machine::Machine &machine,
                  const std::string &message, std::string hint);

/// Do points of a thread run row-major, each seeing what those before it stored? Then sums start from what is there, in
/// the tensor's type. Else sums have the mapping's order.
bool runsInOrder(const kernel::Graph &graph, int kernel);

/// May points of dim number `d` be spread over units and threads? Not where one hands on to the next what they update
/// in place.
bool canSplit(const kernel::Graph &graph, int kernel, std::size_t d);

/// Operands, loads and stores of a plan whose axes are made. Diagnostics: unsupported-pattern, unsupported-mapping.
Status makeOperands(Plan &plan, const machine::Machine &machine);

/// What an access adds to its address where the operand has a position whole and data do not choose: elements of the
/// array, affine in the kernel's points.
kernel::Affine ownElement(const Operand &o, const lower::TensorPlace &place, const kernel::Access &access);
/// Least and greatest value of a form over all points of a plan, padding included.
kernel::Interval rangeOf(const Plan &plan, const kernel::Affine &form);

}  // namespace pimento::targets::cnm
