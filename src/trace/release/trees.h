// The trees that the released analyzer of Eva-CiM takes for offloading candidates.
//
// In program order, every add, and, xor becomes a root, if no tree has it. Its children are the last writers of its two
// sources, unless a tree has them; loads are leaves. Hence a tree has one such operation, its root, and inner nodes are
// moves, comparisons and whatever else defines a register; no test asks for a load, a store, one bank, or whether a
// value lives on. One pass, O(N).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/trace/release/records.h"

namespace pimento::trace::release {

/// Indices of records in post-order; the last one is the root.
using Tree = std::vector<std::int64_t>;

/// In the order of their roots.
std::vector<Tree> growTrees(const std::vector<Record> &records);

/// As the analyzer writes tree `number` (from 1): its head, then a line per instruction.
std::vector<std::string> print(const Tree &tree, std::int64_t number, const std::vector<Record> &records);

}  // namespace pimento::trace::release
