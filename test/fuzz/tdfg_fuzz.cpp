// Any text is read as streams and tensor graphs.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "test/fuzz/tdfg_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const auto read = tdfg::readProgram({reinterpret_cast<const char *>(data), size}, "fuzz");
  if (read)
    fuzz::checkProgram(read->program);
  else
    fuzz::checkRefusal(read.diagnostics());
  return 0;
}
