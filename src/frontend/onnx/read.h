// ONNX files as models (https://onnx.ai): protobuf, with weights inside or in files beside it.
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/frontend/model/model.h"

namespace pimento::frontend {

/// Whether this build reads ONNX (`PIMENTO_WITH_ONNX`: libonnx-dev and libprotobuf-dev).
bool hasOnnx();

/// `file`: its name, for messages and for what lies beside it. Diagnostics: onnx-parse (it is no ONNX file, or it is
/// cut), onnx-operator-set (newer than known), onnx-type, onnx-tensor (contents that do not fit their shape),
/// onnx-external (a file of weights that is not there, too short, or not beside the model), onnx-form (what is not
/// read: training, sparse tensors, control flow), onnx-reader (in a build without it).
Result<model::Model> readOnnx(std::string_view bytes, const std::string &file);

}  // namespace pimento::frontend
