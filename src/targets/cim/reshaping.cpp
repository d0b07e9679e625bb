#include "pimento/targets/cim/reshaping.h"

#include "pimento/targets/cim/profiler.h"

namespace pimento::targets::cim {

Reshaping::Reshaping(const machine::Machine &machine, trace::Consumer &to) : Reshaping(machine, rulesOf(machine), to) {}

Reshaping::Reshaping(const machine::Machine &machine, const trace::CimRules &rules, trace::Consumer &to)
    : to_(to),
      core_(machine),
      candidates_(rules),
      rows_(rowsOf(machine, to)),
      left_(rows_ ? *rows_ : to),
      reshaper_(candidates_, cacheNames(machine), left_) {}

void Reshaping::begin() {
  candidates_.setHasValues(hasValues());
  to_.onStart(program(), hasValues());
}

void Reshaping::beginBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  reshaper_.pass();
  reshaper_.add(block, count, accesses);
}

void Reshaping::onInstruction(const trace::Instruction &in, std::span<const trace::Access> accesses,
                              std::uint64_t next) {
  const auto [at, isNew] = steps_.try_emplace(&in);
  if (isNew) at->second = {core_.prepare(in), candidates_.prepare(in)};
  const sim::core::Times t = core_.run(at->second.ofCore, accesses, next);
  candidates_.onInstruction(at->second.ofTrees, accesses, {t.level, t.place});
}

void Reshaping::finish() {
  candidates_.finish();
  reshaper_.pass();
  left_.onEnd();
}

}  // namespace pimento::targets::cim
