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

/// Wordlines that micro-programs may use beside the array's; the largest one (f64 division) takes fewer.
constexpr int kWorkingRows = 1024;

class BitExecutor final : public Executor {
 public:
  explicit BitExecutor(const LatticeShape &shape)
      : shape_(shape), arrays_(shape.wordlines + kWorkingRows, shape.cells()) {}

  void store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> elements) override {
    arrays_.store(row, bits, first, elements);
  }
  void load(int row, int bits, std::int64_t first, std::span<std::uint64_t> elements) const override {
    arrays_.load(row, bits, first, elements);
  }

  Status run(const SramCommand &c) override {
    if (c.kind == Kind::kStream || c.kind == Kind::kSync) return okStatus();
    const Mask mask = maskOf(c.bitlines, c.tiles, shape_.cellsPerTile, shape_.tiles);
    switch (c.kind) {
      case Kind::kCompute:
        return compute(c, mask);
      case Kind::kConstant:
        arrays_.fill(c.dest, c.bits, c.constant, mask);
        break;
      case Kind::kCopy:
        arrays_.move(c.operands[0], c.dest, c.bits, 0, mask);
        break;
      default:
        move(c, mask);
        break;
    }
    return okStatus();
  }

 private:
  Status compute(const SramCommand &c, const Mask &mask) {
    const auto key = std::tuple(c.op, c.type, c.argument);
    auto at = programs_.find(key);
    if (at == programs_.end()) {
      Result<MicroProgram> program = microProgram(operationOf(c));
      if (!program) return program.diagnostics();
      PIMENTO_CHECK(program->scratchRows <= kWorkingRows);
      at = programs_.emplace(key, std::move(*program)).first;
    }
    const auto [a, b, third] = c.operands;
    arrays_.run(at->second, {a, b, third, c.dest, shape_.wordlines}, mask);
    return okStatus();
  }

  /// To the first place, then from there to the others, twice as many each time.
  void move(const SramCommand &c, Mask mask) {
    const std::int64_t distance = c.tileDistance * shape_.cellsPerTile + c.bitlineDistance;
    arrays_.move(c.operands[0], c.dest, c.bits, distance, mask);
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

  LatticeShape shape_;
  Arrays arrays_;
  std::map<std::tuple<kernel::Op, DType, DType>, MicroProgram> programs_;
};

}  // namespace

std::unique_ptr<Executor> makeExecutor(machine::Sram::Mode mode, const LatticeShape &shape) {
  if (mode == machine::Sram::Mode::kWords) return makeWordExecutor(shape);
  return std::make_unique<BitExecutor>(shape);
}

}  // namespace pimento::sim::sram
