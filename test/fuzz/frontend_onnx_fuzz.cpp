// Any bytes are read as ONNX; a model becomes a graph that verifies, all else has a diagnostic.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/frontend/onnx/read.h"
#include "test/fuzz/imported_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  pimento::test::expectImported(pimento::frontend::readOnnx(bytes, "fuzz"));
  return 0;
}
