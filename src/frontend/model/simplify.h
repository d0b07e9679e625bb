// What exporters write in pieces becomes the operator that it was, and what no output needs is left out.
#pragma once

#include "pimento/frontend/model/model.h"

namespace pimento::frontend::model {

/// Batch normalisation behind a convolution goes into its weights, in double precision. Written in pieces, Gelu, Silu
/// and LayerNormalization become one operator each. Then operators that no output needs are left out.
void simplify(Model &model);

}  // namespace pimento::frontend::model
