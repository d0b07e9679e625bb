#include "pimento/targets/cim/profiler.h"

#include <algorithm>
#include <array>

namespace pimento::targets::cim {

namespace {

using machine::CoreOperation;
using trace::Fate;

/// Rows of the table, in its order.
enum Row : std::uint8_t {
  kInstructions,
  kBranches,
  kWrongGuesses,
  kLoads,
  kStores,
  kForwarded,
  kIntegerOperations,
  kComplexOperations,
  kFloatOperations,
  kRegisterReads,
  kRegisterWrites,
  kL1iReads,
  kL1dReads,
  kL1dWrites,
  kL2Reads,
  kL2Writes,
  kL3Reads,
  kL3Writes,
  kMemoryReads,
  kMemoryWrites,
  kRows,
};

std::int64_t of(const sim::core::CoreCounts &c, std::initializer_list<CoreOperation> operations) {
  std::int64_t sum = 0;
  for (const CoreOperation o : operations) sum += c.executed[static_cast<std::size_t>(o)];
  return sum;
}

trace::Operation operationOf(const std::string &word) {
  using enum trace::Operation;
  constexpr std::pair<std::string_view, trace::Operation> kWords[] = {
      {"add", kAdd}, {"sub", kSub}, {"and", kAnd}, {"or", kOr}, {"xor", kXor}};
  for (const auto &[text, operation] : kWords)
    if (text == word) return operation;
  return kOther;
}

}  // namespace

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {{
      {"instructions", "committed instructions; counted by the core", {{"instructions"}}},
      {"branches", "branches and jumps; counted by the core", {{"branches"}}},
      {"wrong_guesses", "branches that the predictor got wrong; counted by the core"},
      {"loads", "reads of memory; counted by the core", {{"loads"}}},
      {"stores", "writes of memory; counted by the core", {{"stores"}}},
      {"forwarded", "loads that a store in the queue served; counted by the core"},
      {"integer_operations",
       "operations of integer units, addresses aside; counted by the core",
       {{"integer_operations"}}},
      {"complex_operations", "products and quotients; counted by the core", {{"complex_operations"}}},
      {"float_operations", "floating-point and vector operations; counted by the core", {{"float_operations"}}},
      {"register_reads", "registers read; counted by the decoder", {{"register_reads"}}},
      {"register_writes", "registers written; counted by the decoder", {{"register_writes"}}},
      {"l1i_reads", "lines read from the instruction cache; counted by the caches", {{"l1i_reads"}}},
      {"l1d_reads", "reads of the first data cache; counted by the caches", {{"l1d_reads"}}},
      {"l1d_writes", "writes of the first data cache; counted by the caches", {{"l1d_writes"}}},
      {"l2_reads", "reads of the cache behind it; counted by the caches", {{"l2_reads"}}},
      {"l2_writes", "writes of the cache behind it; counted by the caches", {{"l2_writes"}}},
      {"l3_reads", "reads of the third cache; counted by the caches", {{"l3_reads"}}},
      {"l3_writes", "writes of the third cache; counted by the caches", {{"l3_writes"}}},
      {"memory_reads", "lines read from memory; counted by the caches", {{"memory_reads"}}},
      {"memory_writes", "lines written to memory; counted by the caches", {{"memory_writes"}}},
  }};
  return kTable;
}

trace::CimRules rulesOf(const machine::Machine &machine) {
  trace::CimRules rules;
  rules.levels.resize(machine.caches.size(), false);
  for (const machine::CacheLevel &l : machine.caches)
    rules.geometry.push_back({static_cast<std::uint64_t>(l.line.value), static_cast<std::uint64_t>(l.banks)});
  if (!machine.cim) return rules;
  const machine::Cim &cim = *machine.cim;
  for (const std::string &o : cim.operations) rules.operations.push_back(operationOf(o));
  rules.widths = {cim.width};
  for (const int l : cim.levels) rules.levels[static_cast<std::size_t>(l)] = true;
  using Ours = trace::CimRules::Locality;
  using Theirs = machine::Cim::Locality;
  rules.locality = cim.locality == Theirs::kLevel  ? Ours::kLevel
                   : cim.locality == Theirs::kBank ? Ours::kBank
                                                   : Ours::kBitline;
  return rules;
}

Profiler::Profiler(const machine::Machine &machine)
    : machine_(machine), core_(machine), candidates_(rulesOf(machine)) {}

void Profiler::runHeld(std::uint64_t next) {
  if (held_ == nullptr) return;
  const std::int64_t before = core_.cycles();
  const std::span<const trace::Access> all(heldAccesses_);
  std::size_t first = 0;
  for (int i = 0; i < heldCount_; ++i) {
    const trace::Instruction &in = held_->instructions[static_cast<std::size_t>(i)];
    std::size_t end = first;
    while (end < all.size() && all[end].instruction == i) ++end;
    const auto accesses = all.subspan(first, end - first);
    first = end;
    const std::uint64_t after =
        i + 1 < heldCount_ ? held_->instructions[static_cast<std::size_t>(i) + 1].address : next;
    if (isWarming_) {
      core_.warm(in, accesses, after);
      continue;
    }
    const sim::core::Times times = core_.run(in, accesses, after);
    candidates_.onInstruction(in, accesses, times.level);
    registerReads_ += in.reads.size();
    registerWrites_ += in.writes.size();
  }
  if (!isWarming_) cyclesAt_[held_->instructions.front().address] += core_.cycles() - before;
}

void Profiler::hold(const trace::Block &block, int count, std::span<const trace::Access> accesses, bool isWarming) {
  runHeld(block.instructions.front().address);
  // What comes after a gap has nothing to do with what came before it.
  if (isWarming && !isWarming_) candidates_.finish();
  held_ = &block;
  heldCount_ = count;
  heldAccesses_.assign(accesses.begin(), accesses.end());
  isWarming_ = isWarming;
}

void Profiler::onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  hold(block, count, accesses, false);
}

void Profiler::warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  hold(block, count, accesses, true);
}

void Profiler::onEnd() {
  runHeld(0);
  held_ = nullptr;
  candidates_.finish();
}

evaluate::Profile Profiler::profile() const {
  evaluate::Profile p;
  const sim::core::CoreCounts &c = core_.counts();
  p.instructions = c.instructions;
  p.cycles = core_.cycles();
  for (int i = 0; i < sim::core::kCauses; ++i) {
    const auto cause = static_cast<sim::core::Cause>(i);
    p.stack[std::string(name(cause))] = core_.cyclesOf(cause);
  }
  std::array<std::int64_t, kRows> totals{};
  totals[kInstructions] = c.instructions;
  totals[kBranches] = c.branches;
  totals[kWrongGuesses] = c.wrongGuesses;
  totals[kLoads] = c.loads;
  totals[kStores] = c.stores;
  totals[kForwarded] = c.forwarded;
  totals[kIntegerOperations] = of(c, {CoreOperation::kInteger, CoreOperation::kShift, CoreOperation::kBranch});
  totals[kComplexOperations] = of(c, {CoreOperation::kMultiply, CoreOperation::kDivide});
  totals[kFloatOperations] = of(c, {CoreOperation::kFloatAdd, CoreOperation::kFloatMultiply,
                                    CoreOperation::kFloatMultiplyAdd, CoreOperation::kFloatDivide,
                                    CoreOperation::kFloatSqrt, CoreOperation::kVector, CoreOperation::kVectorMultiply});
  totals[kRegisterReads] = registerReads_;
  totals[kRegisterWrites] = registerWrites_;
  const sim::cache::Hierarchy &caches = core_.caches();
  totals[kL1iReads] = caches.counts(caches.instructionCache()).reads;
  int row = kL1dReads;
  for (int l = caches.dataCache(); l >= 0 && row < kMemoryReads;
       l = machine_.caches[static_cast<std::size_t>(l)].next) {
    totals[static_cast<std::size_t>(row++)] = caches.counts(l).reads;
    totals[static_cast<std::size_t>(row++)] = caches.counts(l).writes;
  }
  totals[kMemoryReads] = caches.memoryReads();
  totals[kMemoryWrites] = caches.memoryWrites();
  for (std::size_t i = 0; i < kRows; ++i) p.counts[std::string(countTable().rows[i].name)] = totals[i];
  evaluate::DeviceRun run;
  run.cycles = Cycles(p.cycles);
  evaluate::setCounts(run, countTable(), totals, machine_, 1);
  p.energy = energy::price(machine_, run.actions, machine_.toTime(run.cycles));

  p.cyclesAt = cyclesAt_;
  p.candidates = candidates_.counts();
  const std::int64_t gone = p.candidates.loads[0], kept = p.candidates.loads[1];
  p.accesses = {c.stores, c.loads - gone - kept, gone + kept};
  const double accesses = static_cast<double>(std::max<std::int64_t>(1, c.loads + c.stores));
  const std::int64_t replaced = gone + p.candidates.stored;
  p.conversion = static_cast<double>(replaced) / accesses;
  std::int64_t atFirst = 0;
  for (std::size_t l = 0; l < p.candidates.treesAt.size(); ++l)
    if (static_cast<int>(l) == caches.dataCache()) atFirst += p.candidates.treesAt[l];
  const double share =
      p.candidates.trees == 0 ? 0 : static_cast<double>(atFirst) / static_cast<double>(p.candidates.trees);
  p.conversionL1 = p.conversion * share;
  p.conversionOther = p.conversion - p.conversionL1;
  if (!machine_.cim || p.instructions == 0) return p;
  // Trees stand for their operations: all run at the level of their leaves.
  const double cpi = static_cast<double>(p.cycles) / static_cast<double>(p.instructions);
  const double left = static_cast<double>(p.instructions - p.candidates.offloaded() - replaced) * cpi;
  double reading = 0, extra = 0;
  for (std::size_t l = 0; l < p.candidates.treesAt.size(); ++l) {
    const double operations = p.candidates.trees == 0 ? 0
                                                      : static_cast<double>(p.candidates.offloaded()) *
                                                            static_cast<double>(p.candidates.treesAt[l]) /
                                                            static_cast<double>(p.candidates.trees);
    reading += operations * static_cast<double>(machine_.caches[l].latency.value);
    extra += operations * static_cast<double>(machine_.cim->addExtra.value);
  }
  p.speedupLow = static_cast<double>(p.cycles) / (left + reading + extra);
  p.speedupHigh = static_cast<double>(p.cycles) / (left + extra);
  return p;
}

}  // namespace pimento::targets::cim
