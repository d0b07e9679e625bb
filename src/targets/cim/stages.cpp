#include "pimento/targets/cim/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/pipeline.h"
#include "pimento/targets/cim/profiler.h"
#include "pimento/targets/cim/reshaping.h"
#include "pimento/targets/cim/walker.h"
#include "pimento/trace/candidates.h"
#include "pimento/trace/release/trees.h"

namespace pimento::targets::cim {

namespace {

using trace::Access;
using trace::Instruction;

constexpr std::string_view kStages[] = {"trace", "istate", "idg", "candidates", "reshaped", "release", "pipeline"};

/// "[e7be8:e7beb]", as the paper has it.
std::string bytesOf(const Access &a) {
  return fmt::format("[{:x}:{:x}]", a.address, a.address + std::max<std::uint64_t>(a.bytes, 1) - 1);
}

/// `trace`: number, address, instruction, accesses.
class TraceWriter final : public Walker {
 public:
  explicit TraceWriter(Write write) : write_(std::move(write)) {}

 private:
  void begin() override {
    write_(fmt::format("# {}, {}, loaded at {:#x}: number, address, instruction, accesses (R, W; address; bytes{})\n",
                       program().name, name(program().isa), program().loadedAt, hasValues() ? "; value" : ""));
  }
  void onInstruction(const Instruction &in, std::span<const Access> accesses, std::uint64_t /*next*/) override {
    const trace::Function *f = program().functionAt(in.address);
    if (f != nullptr && f->name != function_) write_(fmt::format("{}:\n", function_ = f->name));
    std::string line = fmt::format("{:>10}  {:x}  {:<36}", number(), in.address, in.text);
    for (const Access &a : accesses) {
      line += fmt::format("  {} {:x} {}", a.isStore ? 'W' : 'R', a.address, a.bytes);
      if (hasValues()) line += fmt::format(" = {:#x}", a.value);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    write_(line + "\n");
  }

  Write write_;
  std::string function_;
};

/// `istate`: the records of Eva-CiM's four probes (Figs 7 and 8), times in picoseconds.
class ProbeWriter final : public Walker {
 public:
  ProbeWriter(const machine::Machine &machine, Write write)
      : machine_(machine), write_(std::move(write)), core_(machine) {
    for (const machine::CacheLevel &l : machine.caches) caches_.push_back(l.name);
  }

 private:
  std::int64_t ps(sim::core::Tick cycle) const { return std::llround(machine_.toTime(Cycles(cycle)).value); }

  void onInstruction(const Instruction &in, std::span<const Access> accesses, std::uint64_t next) override {
    const sim::core::Times t = core_.run(in, accesses, next);
    write_(fmt::format("InstProbe: fetch:{}:commit:{}:{}: {}\n", ps(t.fetched), ps(t.committed), number(), in.text));
    // Renamed once, written to the queue and read from it once; the entry of the reorder buffer is written when it is
    // dispatched and when it is done, and read when it commits.
    const machine::CoreOperation of = sim::core::classOf(in);
    const bool usesInteger = of == machine::CoreOperation::kInteger || of == machine::CoreOperation::kShift ||
                             of == machine::CoreOperation::kBranch;
    write_(fmt::format("PipeProbe: seqNum:{}: {} {} 1 1 {} {} {} 1 2\n", number(), in.reads.size(), in.writes.size(),
                       in.reads.size(), in.writes.size(), usesInteger ? 1 : 0));
    for (const Access &a : accesses) request(a, t);
  }

  void request(const Access &a, const sim::core::Times &t) {
    const std::int64_t at = ps(a.isStore ? t.committed : t.issued);
    const char *what = a.isStore ? "WriteReq" : "ReadReq";
    write_(fmt::format("RequestProbe: {}: lsq: {} {} {}\n", at, what, bytesOf(a), number()));
    if (a.isStore) return;  // it goes to the cache in the background
    if (t.level < 0) {
      write_(fmt::format("AccessProbe: {}: lsq: {} {} forwarded\n", at, what, bytesOf(a)));
      return;
    }
    const std::vector<int> way = dataWay(machine_);
    for (const int level : way) {
      const bool isHit = level == t.level;
      write_(fmt::format("AccessProbe: {}: {}: {} {} {}\n", at, caches_[static_cast<std::size_t>(level)], what,
                         bytesOf(a), isHit ? "hit" : "miss"));
      if (isHit) return;
    }
    write_(fmt::format("AccessProbe: {}: memory: {} {}\n", at, what, bytesOf(a)));
  }

  const machine::Machine &machine_;
  Write write_;
  sim::core::Core core_;
  std::vector<std::string> caches_;
};

/// `idg`: of every register that an instruction reads, who wrote it last. Eva-CiM's tables are told as it goes: a
/// register's row of the register usage table (RUT) grows by who defines it, and the index hash table (IHT) of an
/// instruction has, for each source, the place in that row of its last entry.
class GraphWriter final : public Walker {
 public:
  explicit GraphWriter(Write write) : write_(std::move(write)) {}

 private:
  static constexpr std::size_t kMostListed = 32;
  struct Row {
    std::int64_t writer = -1, entries = 0;
    std::vector<std::int64_t> first;  ///< as many as are listed
  };

  void begin() override {
    write_(
        fmt::format("# {}, {}: number, instruction, and of each register read: who wrote it last, and which entry of "
                    "its row (n0 the first)\n",
                    program().name, name(program().isa)));
  }
  void onInstruction(const Instruction &in, std::span<const Access> /*accesses*/, std::uint64_t /*next*/) override {
    std::string line = fmt::format("{:>10}  {:<36}", number(), in.text);
    bool isFirst = true;
    for (const trace::Register r : in.reads) {
      const Row &row = table_[r];
      line += fmt::format("{} {} {}", isFirst ? " <-" : ",", registerName(in.isa, r),
                          row.entries == 0 ? "from before" : fmt::format("{} (n{})", row.writer, row.entries - 1));
      isFirst = false;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    write_(line + "\n");
    for (const trace::Register r : in.writes) {
      Row &row = table_[r];
      row.writer = number();
      ++row.entries;
      if (row.first.size() < kMostListed) row.first.push_back(number());
    }
  }
  void finish() override {
    write_("# register usage table: of each register its entries, and who made them (n0, n1, ...)\n");
    for (std::size_t r = 0; r < table_.size(); ++r) {
      const Row &row = table_[r];
      if (row.entries == 0) continue;
      const bool isWhole = row.entries == static_cast<std::int64_t>(row.first.size());
      write_(fmt::format("{:<8} {:>10}  {}{}\n", registerName(program().isa, static_cast<trace::Register>(r)),
                         row.entries, fmt::join(row.first, " "), isWhole ? "" : fmt::format(" ... {}", row.writer)));
    }
  }

  Write write_;
  std::array<Row, trace::kRegisters> table_{};
};

/// `candidates`: every tree, and why it is one or is none.
class TreeWriter final : public Walker {
 public:
  TreeWriter(const machine::Machine &machine, Write write)
      : machine_(machine), write_(std::move(write)), core_(machine), candidates_(rulesOf(machine), kWindow) {
    candidates_.listen([this](const trace::JudgedTree &t) { tell(t); });
  }

 private:
  static constexpr std::size_t kWindow = 4096;
  static constexpr std::size_t kRemembered = 8 * kWindow;  ///< trees reach back four windows, fates are known later

  struct Step {
    sim::core::Step ofCore;
    trace::Candidates::Step ofTrees;
  };

  void begin() override { candidates_.setHasValues(hasValues()); }
  void onInstruction(const Instruction &in, std::span<const Access> accesses, std::uint64_t next) override {
    auto [it, isNew] = steps_.try_emplace(&in);
    if (isNew) it->second = {core_.prepare(in), candidates_.prepare(in)};
    texts_[static_cast<std::size_t>(number()) % kRemembered] = &in;
    const sim::core::Times t = core_.run(it->second.ofCore, accesses, next);
    candidates_.onInstruction(it->second.ofTrees, accesses, {t.level, t.place});
  }
  void finish() override {
    candidates_.finish();
    const trace::CandidateCounts &c = candidates_.counts();
    write_(fmt::format("# {} candidates, {} of them stored; operations:", c.trees, c.stored));
    for (int f = 0; f < trace::kFates; ++f)
      if (const std::int64_t n = c.operations[static_cast<std::size_t>(f)]; n > 0)
        write_(fmt::format(" {} {}", name(static_cast<trace::Fate>(f)), n));
    write_("; loads:");
    for (int f = 0; f < trace::kLoadFates; ++f)
      if (const std::int64_t n = c.loads[static_cast<std::size_t>(f)]; n > 0)
        write_(fmt::format(" {} {}", name(static_cast<trace::LoadFate>(f)), n));
    write_("\n");
  }

  void line(std::int64_t number, std::string_view role) {
    write_(fmt::format("  {:>10}  {:<10} {}\n", number, role,
                       texts_[static_cast<std::size_t>(number) % kRemembered]->text));
  }
  void tell(const trace::JudgedTree &t) {
    if (t.fate == trace::Fate::kOffloaded)
      write_(fmt::format("candidate {} at {}, {}\n", ++trees_, machine_.caches[static_cast<std::size_t>(t.level)].name,
                         t.store >= 0 ? "stored" : "back to a register"));
    else
      write_(fmt::format("no candidate: {}\n", name(t.fate)));
    for (const std::int64_t n : t.loads) line(n, "load");
    for (const std::int64_t n : t.operations) line(n, n == t.operations.back() ? "root" : "operation");
    if (t.store >= 0) line(t.store, "store");
  }

  const machine::Machine &machine_;
  Write write_;
  sim::core::Core core_;
  trace::Candidates candidates_;
  std::unordered_map<const Instruction *, Step> steps_;
  std::vector<const Instruction *> texts_ = std::vector<const Instruction *>(kRemembered);
  std::int64_t trees_ = 0;
};

/// `reshaped`: what is left once caches compute, as `trace` shows it.
class ReshapedWriter final : public trace::Consumer {
 public:
  ReshapedWriter(const machine::Machine &machine, Write write)
      : writer_(std::move(write)), reshaping_(machine, writer_) {}

  void onStart(const trace::Program &program, bool hasValues) override { reshaping_.onStart(program, hasValues); }
  void onBlock(const trace::Block &block, int count, std::span<const Access> accesses) override {
    reshaping_.onBlock(block, count, accesses);
  }
  void onEnd() override { reshaping_.onEnd(); }

 private:
  TraceWriter writer_;
  Reshaping reshaping_;
};

/// `release`: the trees that the analyzer of Eva-CiM's authors takes, in its own words (trace/release).
class ReleaseWriter final : public Walker {
 public:
  ReleaseWriter(const machine::Machine &machine, Write write)
      : write_(std::move(write)), core_(machine), way_(dataWay(machine)) {}

 private:
  static constexpr std::size_t kMost = 20'000'000;  ///< it has them all in memory

  void onInstruction(const Instruction &in, std::span<const Access> accesses, std::uint64_t next) override {
    const sim::core::Times t = core_.run(in, accesses, next);
    trace::release::Record record;
    record.sequence = number();
    if (!trace::release::parse(in.text, record)) return;
    const bool isRead = std::ranges::any_of(accesses, [](const Access &a) { return !a.isStore; });
    const auto place = std::ranges::find(way_, t.level) - way_.begin();
    if (isRead && t.level >= 0 && place < static_cast<std::ptrdiff_t>(trace::release::Level::kDram))
      record.level = place < static_cast<std::ptrdiff_t>(way_.size()) ? static_cast<trace::release::Level>(place)
                                                                      : trace::release::Level::kDram;
    records_.push_back(std::move(record));
  }
  bool wantsMore() const override { return records_.size() < kMost; }
  void finish() override {
    if (records_.size() >= kMost) write_(fmt::format("# of the first {} instructions alone\n", number()));
    const auto trees = trace::release::growTrees(records_);
    for (std::size_t t = 0; t < trees.size(); ++t)
      for (const std::string &line : trace::release::print(trees[t], static_cast<std::int64_t>(t) + 1, records_))
        write_(line + "\n");
    write_(fmt::format("# trees of the released analyzer: {}, in {} instructions that it reads of {}\n", trees.size(),
                       records_.size(), number()));
  }

  Write write_;
  sim::core::Core core_;
  std::vector<int> way_;
  std::vector<trace::release::Record> records_;
};

}  // namespace

std::span<const std::string_view> stageNames() {
  return kStages;
}

std::unique_ptr<trace::Consumer> stageWriter(std::string_view stage, const machine::Machine &machine, Write write) {
  if (stage == "trace") return std::make_unique<TraceWriter>(std::move(write));
  if (stage == "istate") return std::make_unique<ProbeWriter>(machine, std::move(write));
  if (stage == "idg") return std::make_unique<GraphWriter>(std::move(write));
  if (stage == "reshaped") return std::make_unique<ReshapedWriter>(machine, std::move(write));
  if (stage == "release") return std::make_unique<ReleaseWriter>(machine, std::move(write));
  if (stage == "pipeline") return pipelineWriter(machine, std::move(write));
  PIMENTO_CHECK(stage == "candidates");
  return std::make_unique<TreeWriter>(machine, std::move(write));
}

}  // namespace pimento::targets::cim
