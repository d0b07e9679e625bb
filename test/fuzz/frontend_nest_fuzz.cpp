// Any bytes are read as loop nests; what is accepted verifies, whatever is not has a diagnostic with a hint.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/frontend/nest/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const Result<frontend::NestKernels> read = frontend::readNest(text, "fuzz");
  if (read) {
    PIMENTO_CHECK(kernel::verify(read->graph).ok());
    return 0;
  }
  for (const Diagnostic &d : read.diagnostics())
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.where.file.empty());
  return 0;
}
