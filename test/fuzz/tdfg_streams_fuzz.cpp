// Any text is read as streams; what is accepted becomes tensor graphs that the verifier accepts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/tdfg/extract.h"
#include "test/fuzz/tdfg_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const auto read = tdfg::readProgram({reinterpret_cast<const char *>(data), size}, "fuzz");
  if (!read) {
    fuzz::checkRefusal(read.diagnostics());
    return 0;
  }
  auto streams = tdfg::readProgram(tdfg::print(read->program, tdfg::Part::kStreams), "streams");
  // A region that had a graph alone has nothing left.
  if (!streams) return 0;
  tdfg::extract(streams->program);
  PIMENTO_CHECK(tdfg::verify(streams->program).ok());
  fuzz::checkProgram(streams->program);
  return 0;
}
