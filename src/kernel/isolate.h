// Kernels of a graph as a graph of their own, with the tensors it touches and nothing else.
#pragma once

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// `count` kernels from number `first` on, alone: what they read becomes an input (constants stay constants), what they
/// write an output; what they accumulate onto (or update) and others made before them becomes an in-out; what they make
/// for each other alone stays a temporary.
Graph isolated(const Graph &graph, int first, int count = 1);

/// A text that two graphs share if they differ in names alone (of kernels, tensors and dims).
std::string shapeText(Graph graph);

}  // namespace pimento::kernel
