#include "pimento/program/phases.h"

#include <algorithm>
#include <array>

namespace pimento::program {

namespace {
constexpr std::array<std::string_view, 5> kNames = {"place", "append", "load", "compute", "move"};
}

std::string_view name(PhaseKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<ProcessPhase> phasesOf(const CommandLoops &nodes) {
  std::vector<ProcessPhase> out;
  int first = 0, node = 0;
  for (const CommandNode &n : nodes) {
    const auto *const kind = std::find(kNames.begin(), kNames.end(), n.label);
    if (!n.isLoop || n.trip != 1 || kind == kNames.end()) return {};
    ProcessPhase phase{static_cast<PhaseKind>(kind - kNames.begin()), node++, first, 0};
    forEachStatement(n.children, [&](const Command & /*command*/, std::int64_t times) {
      ++first;
      phase.commands = addSaturated(phase.commands, times);
    });
    if (phase.commands > 0) out.push_back(phase);
  }
  return out;
}

}  // namespace pimento::program
