// Axis-parallel boxes of integer points, and cutting one out of another. Internal to the room.
#pragma once

#include <vector>

#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Points both hold; any size <= 0 means none.
Box intersection(const Box &a, const Box &b);
bool isEmpty(const Box &box);
/// Appends disjoint boxes that hold the points of `a` that are not in `b`: at most two per dim.
void subtract(const Box &a, const Box &b, std::vector<Box> &out);
/// Number of points, saturated.
std::int64_t volume(const Box &box);
/// "512x640 at (0,0)"
std::string str(const Box &box);
/// "(0,640)"
std::string pointText(const std::vector<std::int64_t> &point);

}  // namespace pimento::mapping
