// A model as a text: what a reader outside this library hands over. The Python package writes it
// (python/pimento/models), from graphs that PyTorch traces and from TorchScript.
//
// The first line is JSON; behind its newline lie the contents of constants, one after the other.
//
//   {"model": 1, "name": NAME, "opset": N, "files": [NAME...],
//    "inputs": [{"name", "type", "shape": [N | NAME...]}...], "outputs": [NAME...],
//    "constants": [{"name", "type", "shape": [N...], "at": first byte, counted from behind the newline}...],
//    "known": [{"name", "type", "shape"}...],      of values that operators make, where it is known
//    "operators": [{"op", "name", "inputs": [NAME...], "outputs": [NAME...],
//                   "attributes": {NAME: integer | float | text | [integers] | [floats]},
//                   "host": true, where the host is to compute it, "place": [line, column, file]}...]}
//
// Types by their names ("f32"); operators and attributes are ONNX's.
#pragma once

#include <string_view>

#include "pimento/frontend/model/model.h"

namespace pimento::frontend::model {

/// Reads the text; `file` names it in messages. Diagnostics: model-syntax.
Result<Model> readModel(std::string_view text, std::string_view file);

}  // namespace pimento::frontend::model
