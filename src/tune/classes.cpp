#include "pimento/tune/classes.h"

namespace pimento::tune {

void Classes::add(const std::vector<CompiledFacts> &candidates) {
  for (const CompiledFacts &c : candidates) {
    const auto number = static_cast<std::int64_t>(classOf_.size());
    if (c.stream.empty()) {
      classOf_.push_back(-1);
      if (!c.error.empty()) errors_[number] = c.error;
      continue;
    }
    std::size_t program = programs.size(), cost = costs.size();
    if (isShared_) program = programByName_.emplace(c.stream, program).first->second;
    if (program == programs.size()) {
      programs.emplace_back();
      programs.back().first = number;
      programs.back().stream = c.stream;
    }
    if (isShared_) cost = costByKey_.emplace(std::pair(program, workKey(c.work)), cost).first->second;
    if (!isShared_) seen_.emplace(c.stream, workKey(c.work));
    if (cost == costs.size()) costs.push_back({program, c.work, number, {}});
    classOf_.push_back(static_cast<std::int64_t>(cost));
    if (c.bound && !programs[program].bound) programs[program].bound = c.bound;
  }
}

void Classes::priceBounds(const machine::Machine &machine) {
  for (CostClass &c : costs) {
    const auto &bound = programs[c.program].bound;
    if (bound) c.bound = evaluate::costOf(machine, c.work, bound->cost);
  }
}

bool Classes::has(const CompiledFacts &candidate) const {
  const std::string work = workKey(candidate.work);
  if (!isShared_) return seen_.contains({candidate.stream, work});
  const auto program = programByName_.find(candidate.stream);
  return program != programByName_.end() && costByKey_.contains({program->second, work});
}

}  // namespace pimento::tune
