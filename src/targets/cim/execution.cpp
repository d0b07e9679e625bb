#include "pimento/targets/cim/execution.h"

#include <utility>

#include "pimento/targets/cim/profiler.h"

namespace pimento::targets::cim {

namespace {

trace::CacheShape shapeOf(const machine::Machine &machine, const trace::CimRules &rules) {
  trace::CacheShape out;
  out.names = cacheNames(machine);
  for (std::size_t i = 0; i < machine.caches.size(); ++i) {
    out.next.push_back(machine.caches[i].next);
    if (machine.caches[i].servesData) out.data = static_cast<int>(i);
  }
  out.rules = rules;
  return out;
}

}  // namespace

Execution::Execution(const machine::Machine &machine, const trace::CimRules &rules, trace::Executor &to)
    : to_(to), shape_(shapeOf(machine, rules)), reshaped_(machine, to), reshaping_(machine, rules, reshaped_) {
  reshaping_.reshaper().listen([this](std::span<const trace::ReshapedStep> steps) { reshaped_.onSteps(steps); });
}

void Execution::onStart(const trace::Program &program, bool hasValues) {
  to_.onStart(program, shape_);
  reshaping_.onStart(program, hasValues);
}

void Execution::Reshaped::onSteps(std::span<const trace::ReshapedStep> steps) {
  for (trace::ReshapedStep s : steps) {
    if (s.tree != nullptr) s.tree = &coming_.trees.emplace_back(*s.tree);
    coming_.all.push_back(s);
  }
}

void Execution::Reshaped::onBlock(const trace::Block &block, int /*count*/, std::span<const trace::Access> accesses) {
  flush(block.instructions.front().address);
  block_ = &block;
  accesses_.assign(accesses.begin(), accesses.end());
  std::swap(waiting_, coming_);
}

void Execution::Reshaped::onEnd() {
  flush(0);
  hand(coming_, 0);
  to_.onEnd();
}

void Execution::Reshaped::flush(std::uint64_t next) {
  if (block_ == nullptr) return;
  hand(waiting_, next);
  waiting_.all.clear();
  waiting_.trees.clear();
  block_ = nullptr;
}

/// Lines move before the instruction that moves them has its effect.
void Execution::Reshaped::hand(const Steps &steps, std::uint64_t next) {
  using Kind = trace::ReshapedStep::Kind;
  std::vector<sim::core::Step> *ofCore = nullptr;
  if (block_ != nullptr) {
    ofCore = &known_[block_];
    if (ofCore->empty())
      for (const trace::Instruction &in : block_->instructions) ofCore->push_back(core_.prepare(in));
  }
  std::size_t at = 0, first = 0;
  for (const trace::ReshapedStep &s : steps.all) {
    if (!to_.wantsMore()) return;
    if (s.kind == Kind::kGone) {
      to_.onStep(s, {});
      continue;
    }
    PIMENTO_CHECK(ofCore != nullptr && at < ofCore->size());
    std::size_t end = first;
    while (end < accesses_.size() && accesses_[end].instruction == at) ++end;
    const std::span<const trace::Access> accesses(accesses_.data() + first, end - first);
    first = end;
    ++at;
    core_.run((*ofCore)[at - 1], accesses, at < ofCore->size() ? (*ofCore)[at].address : next);
    to_.onStep(s, accesses);
  }
}

}  // namespace pimento::targets::cim
