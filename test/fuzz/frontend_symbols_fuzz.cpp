// Any bytes as a program with debug information: what is said of its addresses refers to what is there.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/frontend/symbols/symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  static const std::vector<std::uint64_t> kAddresses = [] {
    std::vector<std::uint64_t> out;
    for (std::uint64_t a = 0x10000; a < 0x10080; a += 4) out.push_back(a);
    return out;
  }();
  const Result<frontend::Symbols> s =
      frontend::readSymbols({reinterpret_cast<const char *>(data), size}, "program", kAddresses);
  if (!s) {
    for (const Diagnostic &d : s.diagnostics()) PIMENTO_CHECK(d.code == "bad-elf" && !d.message.empty());
    return 0;
  }
  const trace::SourceMap &map = s->map;
  for (std::size_t i = 0; i < map.frames.size(); ++i) {
    const trace::Frame &f = map.frames[i];
    PIMENTO_CHECK(f.function < map.functions.size() && f.file < map.files.size());
    PIMENTO_CHECK(f.caller < static_cast<std::int32_t>(i));
  }
  for (const trace::SourceMap::Place &p : map.places)
    PIMENTO_CHECK(p.frame < static_cast<std::int32_t>(map.frames.size()));
  return 0;
}
