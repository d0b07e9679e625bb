// The points of a tile as virtual instructions. Internal to lower/cnm.
#pragma once

#include <functional>
#include <vector>

#include "pimento/program/virtual.h"
#include "pimento/targets/cnm/plan.h"

namespace pimento::targets::cnm {

/// What the loops around the points are, for addresses.
struct Around {
  /// Per dim: depth of its tile loop, and of its loop over points; -1: there is none (one trip).
  std::vector<int> tileLoop, pointLoop;
  /// Numbers of the parameters that hold a dim's first value in a thread: from the unit's first, and from 0.
  std::function<int(int dim, bool isGlobal)> parameter;
};

/// Value of dim `d` as an address: in the tile, from the unit's first (inputs in the bank), or of the kernel.
enum class Origin : std::uint8_t { kTile, kThread, kUnit, kKernel };
program::Address valueOf(const Plan &plan, const Around &around, int d, Origin origin);
/// Sum of coefficients times values of dims, plus the constant.
program::Address addressOf(const Plan &plan, const Around &around, const kernel::Affine &form, Origin origin);

/// The loops over the points of a tile, with what is computed in them; `around.pointLoop` is for them.
std::vector<program::InstructionNode> writePoints(const Plan &plan, const Around &around);

}  // namespace pimento::targets::cnm
