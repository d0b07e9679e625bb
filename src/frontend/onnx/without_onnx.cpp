#include "pimento/frontend/onnx/read.h"

namespace pimento::frontend {

bool hasOnnx() {
  return false;
}

Result<model::Model> readOnnx(std::string_view /*bytes*/, const std::string &file) {
  return unsupported("onnx-reader", Location{file, 0, 0}, "this build does not read ONNX",
                     "install libonnx-dev and libprotobuf-dev, and build Pimento again");
}

}  // namespace pimento::frontend
