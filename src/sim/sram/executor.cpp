#include "pimento/sim/sram/executor.h"

#include <map>
#include <tuple>

#include "pimento/kernel/scalar.h"
#include "pimento/sim/sram/arrays.h"
#include "pimento/sim/sram/command_operation.h"
#include "pimento/sim/sram/masks.h"
#include "pimento/sim/sram/words.h"

namespace pimento::sim::sram {

using program::SramCommand;
using Kind = program::SramCommandKind;

namespace {

class BitExecutor final : public Executor {
 public:
  BitExecutor(const LatticeShape &shape, int jobs) : shape_(shape), arrays_(shape.wordlines, shape.cells(), jobs) {}

  void settle() override { flush(); }
  void store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> elements) override {
    flush();
    arrays_.store(row, bits, first, elements);
  }
  void load(int row, int bits, std::int64_t first, std::span<std::uint64_t> elements) override {
    flush();
    arrays_.load(row, bits, first, elements);
  }

  Status run(const SramCommand &c) override {
    if (c.kind == Kind::kStream || c.kind == Kind::kSync) return okStatus();
    if (c.kind == Kind::kCompute) return compute(c);
    flush();
    const Mask mask = maskOf(c.bitlines, c.tiles, shape_.cellsPerTile, shape_.tiles);
    if (c.kind == Kind::kConstant)
      arrays_.fill(c.dest, c.bits, c.constant, mask);
    else if (c.kind == Kind::kCopy)
      arrays_.move(c.operands[0], c.dest, c.bits, 0, mask);
    else
      move(c, mask);
    return okStatus();
  }

 private:
  /// Waits: bitlines know nothing of each other, so a block of them may run all that waits before the next one does.
  Status compute(const SramCommand &c) {
    const auto key = std::tuple(c.op, c.type, c.argument);
    auto at = programs_.find(key);
    if (at == programs_.end()) {
      const Result<MicroProgram> program = microProgram(operationOf(c));
      if (!program) return program.diagnostics();
      at = programs_.try_emplace(key, *program).first;
    }
    const auto [a, b, third] = c.operands;
    const Wordlines wordlines{a, b, third, c.dest};
    // Pieces of one operation are one.
    if (waiting_.empty() || waiting_.back().program != &at->second || waiting_.back().at != wordlines) {
      if (waiting_.size() == kMostWaiting) flush();
      waiting_.push_back({&at->second, wordlines, Mask(static_cast<std::size_t>(shape_.cells() / 64))});
    }
    addTo(waiting_.back().mask, c.bitlines, c.tiles, shape_.cellsPerTile, shape_.tiles);
    return okStatus();
  }

  void flush() {
    if (waiting_.empty()) return;
    std::vector<Arrays::Work> works;
    for (const Waiting &w : waiting_) works.push_back({w.program, w.at, w.mask});
    arrays_.run(works);
    waiting_.clear();
  }

  /// To the first place, then from there to the others, twice as many each time.
  void move(const SramCommand &c, Mask mask) {
    const std::int64_t distance = c.tileDistance * shape_.cellsPerTile + c.bitlineDistance;
    arrays_.move(c.operands[0], c.dest, c.bits, distance, mask);
    if (c.kind != Kind::kBroadcast) return;
    mask = moved(mask, distance);
    const auto repeat = [&](std::int64_t stride, std::int64_t count) {
      for (std::int64_t have = 1; have < count;) {
        const std::int64_t next = std::min(2 * have, count);
        arrays_.move(c.dest, c.dest, c.bits, (next - have) * stride, mask);
        unite(mask, moved(mask, (next - have) * stride));
        have = next;
      }
    };
    for (int i = 0; i < c.bitlineCopies.levels(); ++i)
      repeat(c.bitlineCopies.level(i).stride, c.bitlineCopies.level(i).count);
    for (int i = 0; i < c.tileCopies.levels(); ++i)
      repeat(c.tileCopies.level(i).stride * shape_.cellsPerTile, c.tileCopies.level(i).count);
  }

  static constexpr std::size_t kMostWaiting = 16;
  struct Waiting {
    const HostProgram *program;
    Wordlines at;
    Mask mask;
  };

  LatticeShape shape_;
  Arrays arrays_;
  std::map<std::tuple<kernel::Op, DType, DType>, HostProgram> programs_;
  std::vector<Waiting> waiting_;
};

}  // namespace

std::unique_ptr<Executor> makeExecutor(machine::Sram::Mode mode, const LatticeShape &shape, int jobs) {
  if (mode == machine::Sram::Mode::kWords) return makeWordExecutor(shape);
  return std::make_unique<BitExecutor>(shape, jobs);
}

}  // namespace pimento::sim::sram
