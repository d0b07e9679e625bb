// A page from any bytes: well-formed markup or diagnostics, never a crash. Two results stand in one input with a line
// of
// "----" between them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/emit/html/page.h"
#include "test/support/markup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  std::vector<emit::html::NamedJson> inputs;
  constexpr std::string_view kBetween = "\n----\n";
  const std::size_t cut = text.find(kBetween);
  inputs.push_back({"one.json", std::string(text.substr(0, cut))});
  if (cut != std::string_view::npos) inputs.push_back({"two.json", std::string(text.substr(cut + kBetween.size()))});
  const Result<std::string> page = emit::html::page(inputs);
  if (!page) {
    for (const Diagnostic &d : page.diagnostics())
      PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && !d.where.file.empty());
    return 0;
  }
  const test::Markup markup(*page);
  PIMENTO_CHECK(markup.problems.empty());
  return 0;
}
