// Any text is read as a machine file, after leading "--set PATH=VALUE" lines; no text means a file that extends
// hbm-pim. What is refused says why and what to do; what is accepted prints, and keeps what engines rely on. Runs in
// the repository's root, where machines/ is.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"

namespace {

using namespace pimento;

void checkAccepted(const machine::Machine &m) {
  PIMENTO_CHECK(!printMachine(m).empty());
  PIMENTO_CHECK(!m.name.empty() && !m.levels.empty() && m.clockGHz > 0);
  for (const machine::Level &l : m.levels) PIMENTO_CHECK(l.count >= 1);
  for (const auto &[path, n] : m.numbers) PIMENTO_CHECK(!n.source.empty() && !n.unit.empty());
  if (m.dram) {
    const machine::Organization &o = m.dram->organization;
    PIMENTO_CHECK(std::has_single_bit(static_cast<std::uint64_t>(o.channels)));
    PIMENTO_CHECK(o.ranks * o.banks() <= 64 && o.rows >= 1 && o.columns >= 1);
    for (const machine::TimingConstraint &c : m.dram->constraints) {
      PIMENTO_CHECK(c.latency.value >= 0 && c.latency.value <= 1'000'000'000 && c.window >= 1);
      PIMENTO_CHECK(!c.preceding.empty() && !c.following.empty());
    }
  }
  if (m.pim) {
    PIMENTO_CHECK(m.dram && m.pim->blocks * m.pim->banksPerBlock == m.dram->organization.banks());
    for (const machine::ModeRule &r : m.pim->modeRules) PIMENTO_CHECK(!r.banks.empty());
  }
}

void tryMachine(std::string_view yaml, const std::vector<machine::Override> &overrides) {
  const auto m = machine::parseMachine(yaml, "fuzz.yaml", {"machines"}, overrides);
  if (m) return checkAccepted(*m);
  PIMENTO_CHECK(!m.diagnostics().empty());
  for (const Diagnostic &d : m.diagnostics()) {
    PIMENTO_CHECK(!d.code.empty() && !d.message.empty() && !d.hint.empty() && !d.where.file.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const bool isReady = machine::loadMachine("hbm-pim", {"machines"}).ok();
  PIMENTO_CHECK(isReady && "run in the repository's root");
  std::string_view text(reinterpret_cast<const char *>(data), size);
  std::vector<machine::Override> overrides;
  constexpr std::string_view kSet = "--set ";
  while (text.starts_with(kSet)) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(kSet.size(), end == text.npos ? end : end - kSet.size());
    const auto equals = line.find('=');
    overrides.push_back({std::string(line.substr(0, equals)),
                         std::string(equals == line.npos ? std::string_view() : line.substr(equals + 1))});
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  tryMachine(text.empty() ? "name: fuzz\nextends: hbm-pim\n" : text, overrides);
  return 0;
}
