// Any bytes are read as a fat binary, as they are and with the length and checksum that they should have.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "test/fuzz/tdfg_program.h"

namespace {

void checkFile(std::string_view bytes) {
  using namespace pimento;
  const auto binary = tdfg::readFatBinary(bytes, "fuzz.inf");
  if (!binary) return fuzz::checkRefusal(binary.diagnostics());
  PIMENTO_CHECK(tdfg::writeFatBinary(*binary) == bytes);
  fuzz::checkProgram(binary->program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  checkFile(bytes);
  const std::size_t header = tdfg::withFatBinaryHeader("").size();
  checkFile(tdfg::withFatBinaryHeader(tdfg::isFatBinary(bytes) && size > header ? bytes.substr(header) : bytes));
  return 0;
}
