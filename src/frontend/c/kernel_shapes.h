// Extents of what C knows as a pointer only. Knows nothing of Clang.
#pragma once

#include "pimento/frontend/nest/program.h"

namespace pimento::frontend {

/// Finds the extents of pointers from what is accessed, with rows where all accesses agree on them (A[i * n + k]), and
/// checks that data-dependent indices have an extent. Warns of pointers that might overlap.
Status shapeBuffers(NestProgram &program);

}  // namespace pimento::frontend
