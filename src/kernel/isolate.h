// One kernel of a graph as a graph of its own, with the tensors it touches and nothing else.
#pragma once

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Kernel number `kernel` alone: what it reads becomes an input (constants stay constants), what it writes an output;
/// what it accumulates onto (or updates) and others made before it becomes an in-out.
Graph isolated(const Graph &graph, int kernel);

/// A text that two graphs share if they differ in names alone (of kernels, tensors and dims).
std::string shapeText(Graph graph);

}  // namespace pimento::kernel
