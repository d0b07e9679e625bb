// Any text is read as streams and tensor graphs, any bytes as a fat binary; what is accepted must print and read back
// unchanged, be scheduled, and be refused or bound at small sizes.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "pimento/tdfg/fat_binary.h"
#include "pimento/tdfg/graph.h"
#include "pimento/tdfg/text.h"

namespace {

using namespace pimento;

void checkProgram(const tdfg::Program &program) {
  const std::string printed = tdfg::print(program);
  const auto back = tdfg::readProgram(printed, "again");
  PIMENTO_CHECK(back.ok());
  PIMENTO_CHECK(tdfg::print(back->program) == printed);
  const auto binary = tdfg::makeFatBinary(program);
  PIMENTO_CHECK(binary.ok());
  const std::string bytes = tdfg::writeFatBinary(*binary);
  const auto read = tdfg::readFatBinary(bytes, "fuzz.inf");
  PIMENTO_CHECK(read.ok());
  std::map<std::string, std::int64_t> sizes;
  for (const tdfg::Name &name : program.names)
    if (name.kind == tdfg::Name::Kind::kSize) sizes[name.name] = program.leastSize + 5;
  const auto values = tdfg::bindSizes(program, sizes);
  if (!values) return;
  static_cast<void>(tdfg::graphOf(program, *values));
  for (std::size_t r = 0; r < program.regions.size(); ++r)
    static_cast<void>(tdfg::bindRegion(program, static_cast<int>(r), *values));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const auto binary = tdfg::readFatBinary(text, "fuzz.inf");
  if (binary) checkProgram(binary->program);
  const auto read = tdfg::readProgram(text, "fuzz");
  if (!read) {
    for (const Diagnostic &d : read.diagnostics()) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
    return 0;
  }
  checkProgram(read->program);
  return 0;
}
