// Sweeps: the same question for many machine numbers and kernel sizes.
//
// An axis is a path with its values: `timing.tRP=10..20`, `tRCDRD=10,14,18`, `channels=1..64*2`, `size.m=1024..8192*2`.
// Items of a list are values (a number with or without unit, or a word), ranges FIRST..LAST with step 1, ranges with a
// step FIRST..LAST:STEP, or geometric ones FIRST..LAST*FACTOR. LAST is included where the steps meet it. Several axes
// make a cross product, the last one running fastest. What is asked at a point is the caller's business.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/cluster/ranks.h"
#include "pimento/machine/machine.h"
#include "pimento/tune/control.h"
#include "pimento/tune/exploration.h"

namespace pimento::tune {

/// What may be swept: paths of the machine with its short names, and the kernel's sizes.
struct SweepNames {
  std::vector<std::string> paths;
  std::map<std::string, std::string> aliases;
  std::vector<std::string> sizes;
};
SweepNames sweepNames(const machine::Machine &machine, const std::vector<std::string> &sizes);

/// Parses one `--sweep`. A name that is no path stands for the one path that ends with it.
/// Diagnostics: sweep-syntax, sweep-unknown, sweep-ambiguous, sweep-number, sweep-range, sweep-size, sweep-too-large.
Result<Axis> parseAxis(std::string_view text, const SweepNames &names);
/// All of them. Diagnostics besides: sweep-duplicate, sweep-too-large (of the product).
Result<std::vector<Axis>> parseAxes(const std::vector<std::string> &texts, const SweepNames &names);

/// Most points that a sweep may have.
inline constexpr std::int64_t kMaxPoints = 1'000'000;

using EvaluatePoint = std::function<Result<PointResult>(const std::vector<std::string> &values)>;

/// What ranks compute in a sweep: points by their numbers. What it is given must outlive it.
cluster::Work sweepWork(const std::vector<Axis> &axes, const EvaluatePoint &evaluate);

/// Evaluates all points, or those of the control's share, in parallel; its ranks have joined with sweepWork. A point
/// that cannot be evaluated has its error; if none can, those of the first are the answer. Diagnostics besides:
/// interrupted, store-unwritable, those of the ranks.
Result<std::vector<SweepRow>> sweep(const std::vector<Axis> &axes, const EvaluatePoint &evaluate,
                                    const Control &control);

}  // namespace pimento::tune
