#include "pimento/evaluate/proposals.h"

namespace pimento::evaluate {

Proposals::Proposals(const Target &target, const GraphPart &part, const machine::Machine &machine,
                     const mapping::MapSpec &spec, const Tools &tools, const mapping::MappingSpace::Chunks &chunks)
    : spec_(spec),
      own_(target.mappings(part, machine, spec, tools)),
      alternatives_(target.alternatives(part, machine, spec)),
      space_(part.kernel(), machine, chunks) {}

std::optional<mapping::Mapping> Proposals::next() {
  if (nextOwn_ < own_.size()) return own_[nextOwn_++];
  return isOpen() ? nextOfSpace() : std::nullopt;
}

std::optional<mapping::Mapping> Proposals::nextOfSpace() {
  if (!current_ || nextAlternative_ >= alternatives_.size()) {
    current_ = space_.next();
    nextAlternative_ = 0;
    if (!current_) return std::nullopt;
    const mapping::Mapping &asked = spec_.mapping;
    current_->tail = asked.tail;
    current_->mergeAt = asked.mergeAt;
    current_->program = asked.program;
    current_->mode = asked.mode;
    current_->parameters = asked.parameters;
  }
  mapping::Mapping m = *current_;
  if (nextAlternative_ < alternatives_.size())
    for (const auto &[name, value] : alternatives_[nextAlternative_]) m.parameters[name] = value;
  ++nextAlternative_;
  return m;
}

}  // namespace pimento::evaluate
